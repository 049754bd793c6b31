/** What went wrong, as a code that scripts can test. Each has one exit code. */
export type ErrorCode =
  | "usage"
  | "config"
  | "input"
  | "not-found"
  | "conflict"
  | "refused"
  | "capped"
  | "store-locked"
  | "store-corrupt"
  | "store-newer"
  | "store-unreachable"
  | "store-full"
  | "store-readonly"
  | "unreachable"
  | "unanswered"
  | "unsupported"
  | "stopped";

/** A mistake of the operator or a problem of the environment. Shown to a person with a hint, never as a stack trace. */
export class OldhandError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** The model call that failed. */
  readonly call: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; call?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "OldhandError";
    this.code = code;
    this.hint = options.hint;
    this.call = options.call;
  }
}

/** The message of anything thrown, without its stack. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of Node's and SQLite's errors; empty for anything else. */
export function systemErrorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
