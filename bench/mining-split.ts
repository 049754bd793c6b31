import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detectCause } from "../src/domain/cause/cause.ts";
import { isHiddenFailure } from "../src/domain/cause/hidden-failure.ts";
import { readCall } from "../src/domain/cause/read-call.ts";
import { defaultPolicy } from "../src/domain/policy.ts";
import type { Rule } from "../src/domain/rule/rule.ts";
import { makeCallGroup } from "../src/domain/shell/step.ts";
import { wilsonLower } from "../src/domain/proof/wilson.ts";
import { distil } from "../src/distil/mining/distil.ts";
import { parseTime } from "../src/lib/clock.ts";
import { openContext } from "../src/mind.ts";
import { importFile } from "../src/observe/imports/import.ts";
import { parseNeutralEvent } from "../src/observe/imports/neutral.ts";
import { newBatchMatcher } from "../src/recall/calls/match-batch.ts";
import { digest } from "../src/store/derived/digest.ts";
import { listRules } from "../src/store/nouns/rules.ts";
import { unzip } from "./data.ts";
import { computeFactBounds, judgeFacts } from "./mining-facts.ts";
import labelled from "./mining-labels.json" with { type: "json" };

const RATES = [0.0025, 0.005, 0.01];
const EARLIER = 0.6;
/** Naive mining makes a rule for a tool and command head with failures in this many sessions. */
const NAIVE_SESSIONS = 3;

/** A recorded call of the later part and its outcome. */
interface LateCall {
  readonly source: string;
  readonly failed: boolean;
  readonly good: boolean;
  readonly group: string;
  readonly signature: string | null;
  readonly error: string;
}

interface SourceRow {
  readonly source: string;
  readonly failures: number;
  /** The share of all failures, earlier and later, whose cause is recognised. */
  readonly causes: number;
  readonly successes: number;
  readonly coverage: Readonly<Record<string, { readonly ours: number; readonly naive: number }>>;
  /** Coverage by facts alone, and by rules and facts; failed calls with a matching fact, and good calls with one. */
  readonly facts: {
    readonly coverage: Readonly<Record<string, { readonly facts: number; readonly both: number }>>;
    readonly met: number;
    readonly disturbed: number;
  };
}

/**
 * Mines rules from the first 60 % of each source's sessions and tests them on the later 40 %: the share of later
 * failures they precede, at a given share of false alarms, compared with naive mining of the same sessions and
 * outcomes.
 */
export async function measureMining(folder: string) {
  const home = mkdtempSync(join(tmpdir(), "oldhand-mining-"));
  const mind = await openContext({ home });
  try {
    const sources = readdirSync(folder)
      .filter((name) => /^traj_.*\.jsonl\.gz$/.test(name))
      .toSorted()
      .map((name) => split(name.replace(/^traj_|\.jsonl\.gz$/g, ""), unzip(join(folder, name))));
    for (const { source, earlier } of sources) {
      const file = join(home, `${source}.jsonl`);
      writeFileSync(file, `${earlier.join("\n")}\n`);
      await importFile(mind, { path: file, from: "neutral" });
    }
    await digest(mind.db);
    const { proposals } = await distil(mind, { write: true });
    const rules = await listRules(mind.db);
    const bounds = new Map(proposals.map((one) => [one.id, one.backtest?.lower ?? 0]));
    const naive = naiveGroups(sources.flatMap(({ earlier }) => earlier.flatMap(parseCall)));
    const calls = sources.flatMap(({ source, later }) => judgeCalls(source, later, rules));
    const judgedFacts = sources.map((source) => judgeFacts(factCalls(source)));
    const kinds = computeFactBounds(judgedFacts);
    const factMarks = judgedFacts.flatMap((one) => one.marks);
    const causes = computeCauseShares(sources);
    const sweep = (name: string, isMeant: (source: string) => boolean): SourceRow => {
      const some = calls.flatMap(({ call, rules: met }, at) =>
        isMeant(call.source) ? [{ call, rules: met, facts: factMarks[at] ?? [] }] : [],
      );
      const good = some.filter(({ call }) => call.good).length;
      return {
        source: name,
        failures: some.filter(({ call }) => call.failed).length,
        causes: causes(isMeant),
        successes: good,
        coverage: Object.fromEntries(
          RATES.map((rate) => [
            `${rate * 100} %`,
            {
              ours: computeCoverage(
                some.map(({ call, rules: met }) => ({ call, marks: met })),
                bounds,
                rate * good,
              ),
              naive: computeCoverage(
                some.map(({ call }) => ({ call, marks: [call.group] })),
                naive,
                rate * good,
              ),
            },
          ]),
        ),
        facts: {
          coverage: Object.fromEntries(
            RATES.map((rate) => [
              `${rate * 100} %`,
              {
                facts: computeCoverage(
                  some.map(({ call, facts }) => ({ call, marks: facts })),
                  kinds,
                  rate * good,
                ),
                both: computeCoverage(
                  some.map(({ call, rules: met, facts }) => ({ call, marks: [...met, ...facts] })),
                  new Map([...bounds, ...kinds]),
                  rate * good,
                ),
              },
            ]),
          ),
          met: some.filter(({ call, facts }) => call.failed && facts.length > 0).length,
          disturbed: some.filter(({ call, facts }) => call.good && facts.length > 0).length,
        },
      };
    };
    return {
      split: "first 60 % of each source's sessions by time, against the later 40 %",
      facts: NO_DISK,
      rules: judgeRules(rules, bounds, calls),
      table: [
        ...sources.map(({ source }) => sweep(source, (other) => other === source)),
        sweep("real developers", (source) => !isScripted(source)),
        sweep("all", () => true),
      ],
      uncovered: listUncovered(calls),
    };
  } finally {
    await mind.close();
    rmSync(home, { recursive: true });
  }
}

/** A line for each source: our coverage and that of naive mining at each rate of disturbed successful calls. */
export function formatMiningTable({ table }: { readonly table: readonly SourceRow[] }): readonly string[] {
  const percent = (share: number) => (100 * share).toFixed(1).padStart(5);
  const names = Math.max(...table.map((row) => row.source.length));
  const rates = RATES.map((rate) => `ours, naive at ${rate * 100} %`.padStart(24)).join("");
  return [
    `${"source".padEnd(names)}  failures  cause known${rates}`,
    ...table.map((row) => {
      const covered = Object.values(row.coverage).map((at) =>
        `${percent(at.ours)} %, ${percent(at.naive)} %`.padStart(24),
      );
      return `${row.source.padEnd(names)}  ${String(row.failures).padStart(8)}  ${percent(row.causes).padStart(9)} %${covered.join("")}`;
    }),
  ];
}

const NO_DISK =
  "facts are known from the first failure on; recorded sessions have no disk, so that only a later call that worked shows that something is there again";

/** The second table: coverage by facts, by rules and by both. */
export function formatFactTable({ table }: { readonly table: readonly SourceRow[] }): readonly string[] {
  const percent = (share: number) => `${(100 * share).toFixed(1).padStart(5)} %`;
  const names = Math.max(...table.map((row) => row.source.length));
  const rates = RATES.map((rate) => `facts, rules, both at ${rate * 100} %`.padStart(34)).join("");
  return [
    `before the call; ${NO_DISK}`,
    `${"source".padEnd(names)}  facts met  disturb${rates}`,
    ...table.map((row) => {
      const covered = Object.entries(row.facts.coverage).map(([rate, { facts, both }]) =>
        [facts, row.coverage[rate]?.ours ?? 0, both].map(percent).join(", ").padStart(34),
      );
      const met = `${String(row.facts.met).padStart(9)}  ${String(row.facts.disturbed).padStart(7)}`;
      return `${row.source.padEnd(names)}  ${met}${covered.join("")}`;
    }),
  ];
}

/** Runs of a benchmark, without a person. */
function isScripted(source: string): boolean {
  return source.startsWith("mini-swe-agent");
}

function computeCauseShares(
  sources: readonly {
    readonly source: string;
    readonly earlier: readonly string[];
    readonly later: readonly string[];
  }[],
) {
  const counted = sources.map(({ source, earlier, later }) => {
    const failed = [...earlier, ...later]
      .flatMap(parseCall)
      .filter((call) => call.outcome === "failed" && !call.benign && !isHiddenFailure(call));
    return {
      source,
      failed: failed.length,
      known: failed.filter((call) => detectCause(call, call.error ?? "") !== null).length,
    };
  });
  return (isMeant: (source: string) => boolean): number => {
    const some = counted.filter(({ source }) => isMeant(source));
    const sum = (of: (one: (typeof counted)[number]) => number) => some.reduce((all, one) => all + of(one), 0);
    const failed = sum((one) => one.failed);
    return failed === 0 ? 0 : Number((sum((one) => one.known) / failed).toFixed(4));
  };
}

function split(source: string, text: string) {
  const sessions = new Map<string, { first: number; lines: string[] }>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const { session, ts } = JSON.parse(line) as { session: string; ts: string };
    const at = parseTime(ts) ?? 0;
    const known = sessions.get(session);
    if (known) {
      known.lines.push(line);
      known.first = Math.min(known.first, at);
    } else sessions.set(session, { first: at, lines: [line] });
  }
  const ordered = [...sessions.values()].toSorted((a, b) => a.first - b.first);
  const cut = Math.floor(ordered.length * EARLIER);
  return {
    source,
    earlier: ordered.slice(0, cut).flatMap((session) => session.lines),
    later: ordered.slice(cut).flatMap((session) => session.lines),
  };
}

function parseCall(line: string) {
  const event = parseNeutralEvent(JSON.parse(line), defaultPolicy.observe);
  if (event === null || event.tool === null) return [];
  const read = { ...event, tool: event.tool, seq: event.seq ?? 0 };
  return [{ ...read, ...readCall(read) }];
}

function factCalls({ earlier, later }: { readonly earlier: readonly string[]; readonly later: readonly string[] }) {
  const of = (lines: readonly string[], isLater: boolean) =>
    lines.flatMap(parseCall).map((event) => ({ ...event, ...classifyEnd(event), isLater }));
  return [...of(earlier, false), ...of(later, true)];
}

/** Whether a call failed or worked. Some did neither; failures that only their output shows are left out. */
function classifyEnd(event: ReturnType<typeof parseCall>[number]) {
  return {
    failed: event.outcome === "failed" && !event.benign && !isHiddenFailure(event),
    good: event.outcome === "ok" || (event.outcome === "failed" && event.benign),
  };
}

function judgeCalls(source: string, lines: readonly string[], rules: readonly Rule[]) {
  const judge = newBatchMatcher(rules);
  return lines.flatMap(parseCall).map((event) => {
    const call: LateCall = {
      source,
      ...classifyEnd(event),
      group: makeCallGroup(event.tool, event.head),
      signature: event.signature,
      error: event.error ?? "",
    };
    return { call, rules: judge(event).rules.map((rule) => rule.id) };
  });
}

/** The naive rules with the lower bound of their precision; outcomes are classified as for ours. */
function naiveGroups(calls: readonly ReturnType<typeof parseCall>[number][]): ReadonlyMap<string, number> {
  const groups = new Map<string, { failed: number; total: number; sessions: Set<string> }>();
  for (const event of calls) {
    if ((event.outcome !== "ok" && event.outcome !== "failed") || isHiddenFailure(event)) continue;
    const key = makeCallGroup(event.tool, event.head);
    const group = groups.get(key) ?? { failed: 0, total: 0, sessions: new Set<string>() };
    groups.set(key, group);
    group.total++;
    if (event.outcome === "ok" || event.benign) continue;
    group.failed++;
    group.sessions.add(event.session);
  }
  return new Map(
    [...groups]
      .filter(([, group]) => group.sessions.size >= NAIVE_SESSIONS)
      .map(([key, group]) => [key, wilsonLower(group.failed, group.total)]),
  );
}

/**
 * Adds rules by descending bound while false alarms stay within `allowed`. Returns the share of failures they precede.
 */
function computeCoverage(
  calls: readonly { readonly call: LateCall; readonly marks: readonly string[] }[],
  bounds: ReadonlyMap<string, number>,
  allowed: number,
): number {
  const order = [...bounds].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([mark]) => mark);
  const failures = calls.filter(({ call }) => call.failed).length;
  const spoken = new Set<number>();
  const byMark = new Map<string, number[]>();
  for (const [at, { marks }] of calls.entries())
    for (const mark of marks) byMark.set(mark, [...(byMark.get(mark) ?? []), at]);
  let [hits, alarms] = [0, 0];
  for (const mark of order) {
    const fresh = (byMark.get(mark) ?? []).filter((at) => !spoken.has(at));
    const more = fresh.filter((at) => calls[at]?.call.good).length;
    // Skip a rule that would exceed the limit; later ones may still fit.
    if (alarms + more > allowed) continue;
    alarms += more;
    hits += fresh.filter((at) => calls[at]?.call.failed).length;
    for (const at of fresh) spoken.add(at);
  }
  return failures === 0 ? 0 : Number((hits / failures).toFixed(4));
}

const labels: Readonly<Record<string, { readonly label: string }>> = labelled.labels;

function judgeRules(
  rules: readonly Rule[],
  bounds: ReadonlyMap<string, number>,
  calls: readonly { readonly call: LateCall; readonly rules: readonly string[] }[],
) {
  const judgedRules = rules.map((rule) => {
    const met = calls.filter(({ rules: ids }) => ids.includes(rule.id));
    return {
      id: rule.id,
      level: rule.level,
      text: rule.text,
      label: (rule.signature === null ? undefined : labels[rule.signature]?.label) ?? "not labelled",
      lower: Number((bounds.get(rule.id) ?? 0).toFixed(3)),
      later: {
        hits: met.filter(({ call }) => call.failed).length,
        falseAlarms: met.filter(({ call }) => call.good).length,
      },
    };
  });
  const precision = (some: typeof judgedRules) => ({
    rules: some.length,
    worthPreventing: some.filter((one) => one.label === "worth preventing").length,
  });
  const wanted = Object.entries(labels).filter(([, one]) => one.label === "worth preventing");
  const mined = new Set(rules.map((rule) => rule.signature));
  return {
    proposed: precision(judgedRules),
    speaking: precision(judgedRules.filter((one) => one.level !== "watch")),
    recall: { worthPreventing: wanted.length, mined: wanted.filter(([signature]) => mined.has(signature)).length },
    each: judgedRules.toSorted((a, b) => b.lower - a.lower),
  };
}

function listUncovered(calls: readonly { readonly call: LateCall; readonly rules: readonly string[] }[]) {
  const counts = new Map<string, number>();
  for (const { call, rules } of calls)
    if (call.failed && rules.length === 0) {
      const key = `${call.group}: ${call.error.slice(0, 60).replaceAll("\n", " ")}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, 40);
}
