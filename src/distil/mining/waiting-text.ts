import type { RareCorrection } from "./mine-corrections.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { waitsForReview } from "../../domain/rule/unknown-cause.ts";
import { isShowable } from "../../domain/trust/showable.ts";
import { oneLine, plural } from "../../lib/text.ts";

/** What waits for the owner: rules to decide on, the silent ones among them, corrections from too few sessions. */
export function formatWaiting({
  waiting,
  silent,
  heardOnce,
  isCounted,
}: {
  readonly waiting: number;
  /** True if another line has said how many wait. */
  readonly isCounted: boolean;
  readonly silent: readonly { readonly text: string }[];
  readonly heardOnce: readonly Pick<RareCorrection, "text" | "sessions">[];
}): readonly string[] {
  if (waiting === 0 || isCounted) return formatRareCorrections(heardOnce);
  const quiet =
    silent.length === 0
      ? ""
      : `; agents are not shown ${silent.length < waiting ? `${silent.length} of them` : waiting === 1 ? "it" : "them"} now: ${formatList(silent)}`;
  return [
    `${plural(waiting, "rule")} ${waiting === 1 ? "waits" : "wait"} for review (oldhand review)${quiet}`,
    ...formatRareCorrections(heardOnce),
  ];
}

export function formatRareCorrections(
  corrections: readonly Pick<RareCorrection, "text" | "sessions">[],
): readonly string[] {
  const [first] = corrections;
  if (first === undefined) return [];
  const isOne = corrections.length === 1;
  return [
    `${plural(corrections.length, "correction")} heard in too few sessions: ${formatList(corrections)} (${isOne ? "it becomes a rule" : "each becomes a rule"} for review when heard in ${plural(first.sessions, "session")})`,
  ];
}

/** Candidates that are not shown to agents. */
export function isSilentCandidate(rule: Rule): boolean {
  return waitsForReview(rule) && !isShowable(rule);
}

/** `oldhand review` shows the rest. */
const MOST = 3;

function formatList(all: readonly { readonly text: string }[]): string {
  const shown = all.slice(0, MOST).map(({ text }) => oneLine(text, 120).replace(/\.$/, ""));
  return [...shown, ...(all.length > MOST ? [`and ${all.length - MOST} more`] : [])].join(" · ");
}
