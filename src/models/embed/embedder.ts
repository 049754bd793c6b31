/** Turns texts into vectors; texts with similar meaning have similar directions. */
export interface Embedder {
  /** Stored with each vector, because vectors of different models are never compared. */
  readonly model: string;
  /** The cosine from which two texts count as related, if it was measured. */
  readonly related?: number | undefined;
  /**
   * One vector per text, scaled to bytes: only its direction is kept. Throws an OldhandError if the embedder cannot
   * be reached.
   */
  embed(texts: readonly string[]): Promise<readonly Int8Array[]>;
  /** Ends its threads, if any. Pending calls fail. */
  close?(): Promise<void>;
}
