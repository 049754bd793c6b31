/** Texts into directions: texts of one meaning point the same way. */
export interface Embedder {
  /** Vectors of different models are never compared, so it goes with each. */
  readonly model: string;
  /** One for each text, in bytes: of a vector only its direction is kept. Throws an OldhandError where it cannot be reached. */
  embed(texts: readonly string[]): Promise<readonly Int8Array[]>;
  /** Gives up what it is at, at once; the next text starts it again. */
  stop?(): Promise<void>;
}
