/** The owner's word that a rule may be passed once. */
export interface Override {
  readonly id: string;
  readonly rule: string;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly used: { readonly at: number; readonly host: string; readonly session: string } | null;
}
