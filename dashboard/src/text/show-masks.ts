/** The text of a mistake, with an ellipsis where its calls differ: numbers, paths, addresses and quoted words. */
export function showMasks(text: string): string {
  return text.replaceAll(/<(?:n|str|path|url)>/g, "…");
}
