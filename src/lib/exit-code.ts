import { type ErrorCode, OldhandError } from "./errors.ts";

/** 0 done, 1 negative result, 2 the operator's mistake, 70 a bug, 130 stopped by Ctrl-C. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof OldhandError)) return 70;
  return exitCodeOfCode(error.code);
}

export function exitCodeOfCode(code: ErrorCode): number {
  if (code === "stopped") return STOPPED_EXIT_CODE;
  return negative.has(code) ? 1 : 2;
}

const negative: ReadonlySet<ErrorCode> = new Set(["not-found", "refused", "capped", "conflict"]);

/** The shells' convention for a program that SIGINT ended. */
export const STOPPED_EXIT_CODE = 130;
