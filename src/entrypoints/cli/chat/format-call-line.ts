import type { ClosedCall } from "../../../converse/turn/entry.ts";
import { cap } from "../../../lib/text.ts";

/** A call that has ended, as a line: what was called, and why it was refused or failed. */
export function formatCallLine(call: {
  readonly summary: string;
  readonly ok: boolean;
  readonly text: string;
  readonly closed: ClosedCall | null;
}): string {
  if (call.ok) return `· ${call.summary}`;
  return `· ${call.summary}: ${verbs[call.closed ?? "failed"]}: ${cap(call.text, LONGEST_REASON)}`;
}

const LONGEST_REASON = 600;

const verbs: Readonly<Record<ClosedCall | "failed", string>> = {
  failed: "failed",
  refused: "refused",
  guardrail: "refused",
  stopped: "stopped",
  died: "no result",
};
