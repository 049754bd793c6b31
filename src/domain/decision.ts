import { type ErrorCode, OldhandError } from "../lib/errors.ts";

/** Why a decision cannot be made as things are. */
export class Refusal {
  readonly code: ErrorCode;
  readonly why: string;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, why: string, hint?: string) {
    this.code = code;
    this.why = why;
    this.hint = hint;
  }
}

/** What a decision makes of a state; a refusal is told to whoever decided. */
export function requireGranted<T>(decided: T | Refusal): T {
  if (!(decided instanceof Refusal)) return decided;
  const { code, why, hint } = decided;
  throw new OldhandError(code, why, hint === undefined ? {} : { hint });
}

/** A decision needs something to decide about: what is gone is refused. */
export function requireExisting<T>(state: T | null, what: string, hint: string): T {
  return requireGranted(state ?? new Refusal("not-found", `there is no ${what}`, hint));
}
