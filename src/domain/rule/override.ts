/** The owner's word that a rule may be passed once. */
export interface Override {
  readonly id: string;
  readonly rule: string;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly used: { readonly at: number; readonly host: string; readonly session: string } | null;
}

/** Lets one call pass. One that was used already, or taken back, lets nothing pass. */
export function consumeOverride(override: Override | null, used: NonNullable<Override["used"]>): Override | null {
  return override === null || override.used !== null ? override : { ...override, used };
}
