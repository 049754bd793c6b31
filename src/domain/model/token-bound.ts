/** An upper bound of a text's tokens, whichever tokenizer counts them. */
export function boundTokens(text: string): number {
  return Buffer.byteLength(text) / 2;
}
