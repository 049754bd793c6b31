/** Texts into directions: texts of one meaning point the same way. */
export interface Embedder {
  /** Vectors of different models are never compared, so it goes with each. */
  readonly model: string;
  /** The cosine from which two texts have something to do with each other, where that was measured. */
  readonly related?: number | undefined;
  /** One for each text, in bytes: of a vector only its direction is kept. Throws an OldhandError where it cannot be reached. */
  embed(texts: readonly string[]): Promise<readonly Int8Array[]>;
  /** Ends its threads, where it has some. What it is asked meanwhile fails. */
  close?(): Promise<void>;
}
