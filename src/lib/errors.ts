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
  | "unsupported"
  | "stopped";

/** A mistake of the operator or a problem of the environment. Shown to a person with a hint, never as a stack trace. */
export class OldhandError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "OldhandError";
    this.code = code;
    this.hint = options.hint;
  }
}

/** 0 done, 1 negative result, 2 the operator's mistake, 70 a bug, 130 stopped by Ctrl-C. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof OldhandError)) return 70;
  if (error.code === "stopped") return STOPPED_EXIT_CODE;
  return negative.has(error.code) ? 1 : 2;
}

const negative: ReadonlySet<ErrorCode> = new Set(["not-found", "refused", "capped", "conflict"]);

/** The shells' convention for a program that SIGINT ended. */
export const STOPPED_EXIT_CODE = 130;

/** The message of anything thrown, without its stack. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of Node's and SQLite's errors; empty for anything else. */
export function systemErrorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
