import { wilsonLower } from "../src/domain/proof/wilson.ts";
import { roundTo } from "./floor.ts";

/** A long-running process has an embedder; a command hook searches by words only. */
export const recallModes = ["living", "hook"] as const;
export type RecallMode = (typeof recallModes)[number];

const TARGET = { living: 0.85, hook: 0.65, unneeded: 0.05 };

export interface Prompt {
  readonly text: string;
  readonly needs: readonly string[];
  readonly shares: "word" | "identifier" | "meaning" | "nothing";
}

export interface PromptResult extends Prompt {
  readonly workspace: string;
  /** The ids of its workspace's memories. */
  readonly own: readonly string[];
  /** The score of each memory that may be shown; oldhand shows those with at least 1. */
  readonly weighed: Readonly<Record<string, number>>;
  readonly shown: readonly string[];
}

export interface RecallFigures {
  /** Prompts that need a memory, and how many of them got all they need. */
  readonly needed: number;
  readonly shown: number;
  readonly share: number;
  readonly byWhatTheyShare: Readonly<Record<string, string>>;
  /** Memories shown in addition to the needed ones. */
  readonly beside: number;
  readonly unneeded: number;
  readonly unneededShown: number;
  readonly unneededShare: number;
  /** Memories shown from another workspace, over all prompts. */
  readonly across: number;
}

export interface UnrelatedFigures {
  readonly prompts: number;
  readonly shown: number;
}

/** Evaluates each workspace with the threshold chosen on the others. */
export function leaveOneOut(rows: readonly PromptResult[]): readonly PromptResult[] {
  const names = [...new Set(rows.map((row) => row.workspace))];
  return names.flatMap((name) => {
    const threshold = chooseThreshold(rows.filter((row) => row.workspace !== name));
    return rows
      .filter((row) => row.workspace === name)
      .map((row) => ({ ...row, shown: listShownFrom(row, threshold) }));
  });
}

/** The lowest threshold that keeps the share of unneeded hits within the target. */
export function chooseThreshold(rows: readonly PromptResult[]): number {
  const highest = rows
    .filter((row) => row.needs.length === 0)
    .map((row) => Math.max(0, ...Object.values(row.weighed)))
    .toSorted((a, b) => b - a);
  return (highest[Math.floor(TARGET.unneeded * highest.length)] ?? 0) + 0.0001;
}

function listShownFrom({ weighed }: PromptResult, threshold: number): readonly string[] {
  return Object.keys(weighed).filter((id) => (weighed[id] ?? 0) >= threshold);
}

export function computeRecallFigures(rows: readonly PromptResult[]): RecallFigures {
  const needed = rows.filter((row) => row.needs.length > 0);
  const unneeded = rows.filter((row) => row.needs.length === 0);
  const isServed = (row: PromptResult) => row.needs.every((id) => row.shown.includes(id));
  const kinds = [...new Set(needed.map((row) => row.shares))];
  const ofKind = (kind: string) => needed.filter((row) => row.shares === kind);
  const served = needed.filter(isServed).length;
  const disturbed = unneeded.filter((row) => row.shown.length > 0).length;
  return {
    needed: needed.length,
    shown: served,
    share: roundTo(served / needed.length, 3),
    byWhatTheyShare: Object.fromEntries(
      kinds.map((kind) => [kind, `${ofKind(kind).filter(isServed).length} of ${ofKind(kind).length}`]),
    ),
    beside: needed.reduce((sum, row) => sum + row.shown.filter((id) => !row.needs.includes(id)).length, 0),
    unneeded: unneeded.length,
    unneededShown: disturbed,
    unneededShare: roundTo(disturbed / unneeded.length, 3),
    across: rows.reduce((sum, row) => sum + row.shown.filter((id) => !row.own.includes(id)).length, 0),
  };
}

export function computeUnrelatedFigures(rows: readonly PromptResult[]): UnrelatedFigures {
  return { prompts: rows.length, shown: rows.filter((row) => row.shown.length > 0).length };
}

export function isRecallTargetMet(way: RecallMode, { share, unneededShare, across }: RecallFigures): boolean {
  return share >= TARGET[way] && unneededShare <= TARGET.unneeded && across === 0;
}

export function formatMemoryReport({
  outOfFold,
  shipped,
  strangers,
}: {
  readonly outOfFold: Readonly<Record<RecallMode, RecallFigures>>;
  readonly shipped: Readonly<Record<RecallMode, RecallFigures>>;
  readonly strangers: Readonly<Record<RecallMode, UnrelatedFigures>> | null;
}): string {
  const line = (name: string, way: RecallMode, one: RecallFigures) => {
    const kinds = Object.entries(one.byWhatTheyShare).map(([kind, count]) => `${kind} ${count}`);
    const served = formatShare(one.shown, one.needed);
    const disturbed = formatShare(one.unneededShown, one.unneeded);
    return `| ${name} | ${modeNames[way]} | ${served} | ${kinds.join(", ")} | ${disturbed} | ${one.across} |`;
  };
  return `${[
    "| threshold chosen on | where | needed and shown | by what they share | unneeded, and shown something | of another workspace |",
    "|---|---|---|---|---|---|",
    ...recallModes.map((way) => line("the other four workspaces", way, outOfFold[way])),
    ...recallModes.map((way) => line("all five: what is shipped", way, shipped[way])),
    ...(strangers === null
      ? []
      : [
          "",
          ...recallModes.map((way) => {
            const { shown, prompts } = strangers[way];
            return `Prompts about something else, and shown something, ${modeNames[way]}: ${formatShare(shown, prompts)}`;
          }),
        ]),
  ].join("\n")}\n`;
}

const modeNames = { living: "living process", hook: "command hook" };

/** A share with its 95 % Wilson interval. */
function formatShare(hits: number, total: number): string {
  const percent = (share: number) => String(roundTo(100 * share, 1));
  const [low, high] = [wilsonLower(hits, total), 1 - wilsonLower(total - hits, total)];
  return `${hits} of ${total} (${percent(hits / total)} %, ${percent(low)} to ${percent(high)})`;
}
