/** A model that its provider no longer knows. The router uses it again after the entry is undone. */
export interface RetiredModel {
  /** `provider/model`. */
  readonly id: string;
  readonly at: number;
  readonly message: string;
}
