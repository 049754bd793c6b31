/** The owner's permission to pass a rule once. */
export interface Override {
  readonly id: string;
  readonly rule: string;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly used: { readonly at: number; readonly host: string; readonly session: string } | null;
}

/** Uses the override for one call. One that is missing or already used is returned unchanged. */
export function consumeOverride(override: Override | null, used: NonNullable<Override["used"]>): Override | null {
  return override === null || override.used !== null ? override : { ...override, used };
}
