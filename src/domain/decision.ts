import { type ErrorCode, OldhandError } from "../lib/errors.ts";

/** The reason why a decision is not possible in the current state. */
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

/** Returns the new state, or throws the refusal as an error. */
export function requireGranted<T>(decided: T | Refusal): T {
  if (!(decided instanceof Refusal)) return decided;
  const { code, why, hint } = decided;
  throw new OldhandError(code, why, hint === undefined ? {} : { hint });
}

/** Returns the state, or throws `not-found` if it is null. */
export function requireExisting<T>(state: T | null, what: string, hint: string): T {
  return requireGranted(state ?? new Refusal("not-found", `there is no ${what}`, hint));
}
