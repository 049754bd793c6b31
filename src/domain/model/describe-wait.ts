import type { ModelFailure, ModelFailureKind } from "./failure.ts";

/** Why a provider is called again later, for a person. */
export function describeWait({ kind, status }: Pick<ModelFailure, "kind" | "status">): string {
  // Only these statuses say that it has too much to do.
  if (kind === "overloaded" && status !== null && status !== 503 && status !== 529) return `it answers ${status}`;
  return reasons[kind] ?? "it failed";
}

const reasons: Readonly<Partial<Record<ModelFailureKind, string>>> = {
  "rate-limited": "rate limit",
  overloaded: "it is overloaded",
  timeout: "no answer in time",
  unreachable: "not reachable",
  "cut-off": "the answer broke off",
  malformed: "the answer cannot be read",
};

/** `40 s`, `33 min`, `5 h`. */
export function formatWaitTime(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** `waiting 7 s for anthropic (rate limit)` */
export function formatWait({
  ms,
  provider,
  why,
}: {
  readonly ms: number;
  readonly provider: string;
  readonly why: string;
}): string {
  return `waiting ${Math.max(1, Math.round(ms / 1_000))} s for ${provider} (${why})`;
}
