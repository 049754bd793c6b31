import type { SessionEvent } from "../../api/contract.ts";
import type { Outcome } from "../../api/shapes.ts";
import type { Tone } from "../badge.tsx";

type OutcomeLabel = { readonly text: string; readonly tone: Tone; readonly title: string };
type Judged = Pick<SessionEvent, "outcome" | "benign">;

const verdicts: Readonly<Record<Outcome, OutcomeLabel>> = {
  ok: { text: "ok", tone: "quiet", title: "The call did what it was asked to do" },
  failed: { text: "failed", tone: "fail", title: "The call failed" },
  denied: { text: "denied", tone: "warn", title: "A permission or a rule did not allow the call" },
  rejected: { text: "rejected", tone: "warn", title: "The user said no to the call" },
  interrupted: { text: "interrupted", tone: "warn", title: "The user stopped the call" },
  cascade: { text: "cascade", tone: "quiet", title: "Failed only because another call failed" },
};

const benign: OutcomeLabel = {
  text: "benign",
  tone: "quiet",
  title: "It failed in a way that is part of normal work, such as a search without a match",
};

export function getOutcomeLabel({ outcome, benign: harmless }: Judged): OutcomeLabel | null {
  if (outcome === null) return null;
  return outcome === "failed" && harmless ? benign : verdicts[outcome];
}

/** True if the event counts as a failure of its session. */
export function isFailedEvent({ outcome, benign: harmless }: Judged): boolean {
  return outcome === "failed" && !harmless;
}

/** True if the user or a rule intervened. */
export function isStoppedEvent({ outcome, kind }: Pick<SessionEvent, "outcome" | "kind">): boolean {
  return kind === "correction" || outcome === "denied" || outcome === "rejected" || outcome === "interrupted";
}
