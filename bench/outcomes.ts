import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readOutcome } from "../src/domain/event/outcome.ts";
import type { Outcome } from "../src/domain/event/outcome.ts";
import { unzip } from "./data.ts";
import { signatureOf } from "../src/domain/event/signature.ts";

interface Recorded {
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  readonly input: unknown;
  readonly ok: boolean;
  readonly error_text: string | null;
  readonly out_head: string | null;
}

interface Recurring {
  readonly text: string;
  readonly sessions: number;
  readonly calls: number;
}

interface Tally {
  readonly calls: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly benign: number;
  readonly mistakes: number;
  readonly recurring: {
    readonly mistakes: readonly Recurring[];
    readonly benign: readonly Recurring[];
  };
}

/**
 * How recorded calls are classified, by source: outcomes, benign failures, and signatures seen in three or more
 * sessions.
 */
export function measureOutcomes(folder: string): { readonly sources: Readonly<Record<string, Tally>> } {
  const files = readdirSync(folder).filter((name) => /^traj_.*\.jsonl\.gz$/.test(name));
  return { sources: Object.fromEntries(files.toSorted().map((name) => [name, tally(recordedIn(join(folder, name)))])) };
}

function recordedIn(file: string): readonly Recorded[] {
  const lines = unzip(file).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Recorded);
}

function tally(calls: readonly Recorded[]): Tally {
  const outcomes: Partial<Record<Outcome, number>> = {};
  const seen = new Map<string, { text: string; benign: boolean; sessions: Set<string>; calls: number }>();
  let benign = 0;
  for (const call of calls) {
    const reading = readOutcome({
      host: call.agent,
      tool: call.tool,
      input: call.input,
      ok: call.ok,
      text: call.error_text ?? call.out_head,
    });
    outcomes[reading.outcome] = (outcomes[reading.outcome] ?? 0) + 1;
    if (reading.outcome !== "failed") continue;
    if (reading.benign) benign++;
    const { key, text } = signatureOf(call.tool, call.input, reading.error ?? "");
    const entry = seen.get(`${key} ${reading.benign}`) ?? {
      text,
      benign: reading.benign,
      sessions: new Set(),
      calls: 0,
    };
    entry.sessions.add(call.session);
    entry.calls++;
    seen.set(`${key} ${reading.benign}`, entry);
  }
  const recurring = (wanted: boolean): readonly Recurring[] =>
    [...seen.values()]
      .filter((entry) => entry.benign === wanted && entry.sessions.size >= 3)
      .map((entry) => ({ text: entry.text, sessions: entry.sessions.size, calls: entry.calls }))
      .toSorted((a, b) => b.sessions - a.sessions);
  return {
    calls: calls.length,
    outcomes,
    benign,
    mistakes: (outcomes.failed ?? 0) - benign,
    recurring: { mistakes: recurring(false), benign: recurring(true) },
  };
}
