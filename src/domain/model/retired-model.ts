/** A provider said that it does not know this model any more. It is used again once the entry is undone. */
export interface RetiredModel {
  /** `provider/model`. */
  readonly id: string;
  readonly at: number;
  readonly message: string;
}
