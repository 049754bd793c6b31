import type { Context } from "../context.ts";
import { isShellTool } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import type { Event } from "../domain/event/event.ts";
import { savings } from "../domain/proof/proof.ts";
import { signatureOf } from "../domain/event/signature.ts";
import { plainTool } from "../domain/text/tool-name.ts";
import { iso, MINUTE } from "../lib/clock.ts";
import { oneLine } from "../lib/text.ts";
import { eventsByIds } from "../store/events.ts";
import {
  type FailureFilter,
  type FailureGroup,
  type FailurePlace,
  failuresByCost,
  placesOfFailure,
} from "../store/failures.ts";
import { recoveriesOf } from "../store/recoveries.ts";
import { listRules } from "../store/rules.ts";
import { ruleTotals } from "../store/rule-sessions.ts";
import { totalsOfSessions } from "../store/sessions.ts";
import { backtestOf } from "./backtest.ts";
import { countRules } from "./count-rules.ts";
import { effects, type RuleEffect } from "./effect.ts";
import { mine } from "./mine.ts";
import type { Backtest } from "./proposal.ts";

interface Cost {
  readonly calls: number;
  readonly minutes: number;
  readonly tokens: number;
}

export interface Mistake {
  readonly signature: string;
  readonly text: string;
  readonly tool: string;
  readonly head: string | null;
  readonly count: number;
  readonly sessions: number;
  readonly workspaces: readonly string[];
  readonly hosts: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly cost: Cost;
  readonly evidence: readonly {
    readonly ref: { readonly session: string; readonly seq: number };
    readonly at: string;
    readonly summary: string;
    readonly error: string;
  }[];
  readonly recovery: { readonly summary: string; readonly times: number } | null;
  /** The rule there is, or the one that would be proposed. */
  readonly rule: {
    readonly id: string | null;
    readonly text: string;
    readonly status: string;
    readonly level: string;
    readonly backtest: Backtest | null;
    /** Only from an effect that is proven. */
    readonly saved: (Cost & { readonly low: Cost; readonly high: Cost }) | null;
  } | null;
}

export interface Report {
  readonly totals: {
    readonly sessions: number;
    readonly events: number;
    readonly failures: number;
    readonly repeated: number;
  };
  readonly mistakes: readonly Mistake[];
}

export interface ReportOptions {
  readonly limit: number;
  readonly workspace?: string | undefined;
  readonly since?: number | undefined;
}

/** The mistakes made more than once, dearest first, each with its evidence and what helped. */
export async function report(world: Omit<Context, "store">, options: ReportOptions): Promise<Report> {
  const { db } = world;
  const filter = { ...options, within: world.config.policy.observe.recoveryWithin };
  const groups = await failuresByCost(db, filter);
  const repeated = groups.filter((group) => group.count > 1 && group.sessions > 1);
  const rules = await rulesBySignature(world);
  const mistakes: Mistake[] = [];
  for (const group of repeated.slice(0, options.limit)) {
    const mistake = await mistakeOf(db, group, filter);
    mistakes.push({ ...mistake, rule: rules.get(group.signature)?.(mistake) ?? null });
  }
  return {
    totals: {
      ...(await totalsOfSessions(db)),
      failures: groups.reduce((sum, group) => sum + group.count, 0),
      repeated: repeated.length,
    },
    mistakes,
  };
}

const EVIDENCE = 3;
/** A mistake made more often than this is told by its latest. */
const LOOKED_AT = 1_000;

async function mistakeOf(
  db: Context["db"],
  group: FailureGroup,
  filter: FailureFilter,
): Promise<Omit<Mistake, "rule">> {
  const places = await placesOfFailure(db, group.signature, filter, LOOKED_AT);
  const chosen = evidenceFrom(places);
  const events = (await eventsByIds(db, chosen)).toSorted((a, b) => chosen.indexOf(a.id) - chosen.indexOf(b.id));
  const [newest] = events;
  return {
    signature: group.signature,
    text: newest ? signatureOf(plainTool(newest.tool ?? ""), newest.input, newest.error ?? "").text : "",
    tool: newest?.tool ?? "",
    head: newest?.head ?? null,
    count: group.count,
    sessions: group.sessions,
    workspaces: namesIn(places.map((place) => place.workspace)),
    hosts: namesIn(places.map((place) => place.host)),
    first: iso(group.first),
    last: iso(group.last),
    cost: {
      calls: group.calls,
      minutes: Math.round((group.ms / MINUTE) * 10) / 10,
      tokens: Math.round(group.characters / CHARACTERS_PER_TOKEN),
    },
    evidence: events.map((event) => ({
      ref: { session: event.session, seq: event.seq },
      at: iso(event.at),
      summary: summaryOf(event),
      error: oneLine(event.error ?? "", 240),
    })),
    recovery: await whatHelped(db, places, filter.within),
  };
}

type TellRule = (mistake: Pick<Mistake, "count" | "cost">) => NonNullable<Mistake["rule"]>;

/** What is said, or would be said, against each kind of failure, with its backtest and what it has saved. */
async function rulesBySignature(world: Omit<Context, "store">): Promise<ReadonlyMap<string, TellRule>> {
  const told = new Map<string, TellRule>();
  for (const { signature, text, level, backtest } of (await mine(world, { only: ["failures"] })).proposals)
    if (signature !== null)
      told.set(signature, () => ({ id: null, text, status: "would be proposed", level, backtest, saved: null }));
  const rules = (await listRules(world.db)).filter((rule) => rule.signature !== null);
  // Else what came since the last maintenance would be left out of what is claimed.
  await countRules(world);
  const totals = await ruleTotals(world.db);
  const effectOf = new Map((await effects(world, rules)).map((one) => [one.rule.id, one]));
  for (const rule of rules) {
    const counts = totals.get(rule.id);
    const backtest = counts === undefined ? null : backtestOf(counts);
    const { id, text, status, level } = rule;
    told.set(rule.signature ?? "", (mistake) => ({
      id,
      text,
      status,
      level,
      backtest,
      saved: savedBy(effectOf.get(id), mistake, backtest?.precision ?? 1),
    }));
  }
  return told;
}

/** What the attempts that were not made would have cost: a failure each, as often as attempts fail. With its 95 % interval. */
function savedBy(
  effect: RuleEffect | undefined,
  { count, cost }: Pick<Mistake, "count" | "cost">,
  failing: number,
): NonNullable<Mistake["rule"]>["saved"] {
  if (effect === undefined || count === 0) return null;
  const saved = savings({ ...effect.proof, verdict: effect.verdict }, failing);
  if (saved.kind === "unproven") return null;
  const of = (failures: number): Cost => ({
    calls: tenths((cost.calls / count) * failures),
    minutes: tenths((cost.minutes / count) * failures),
    tokens: Math.round((cost.tokens / count) * failures),
  });
  return { ...of(saved.cost), low: of(saved.low), high: of(saved.high) };
}

function tenths(value: number): number {
  return Math.round((value + Number.EPSILON) * 10) / 10;
}

/** As good as an estimate gets without the model's own tokenizer. */
const CHARACTERS_PER_TOKEN = 4;

/** The latest of each session, and only then others of the same. */
function evidenceFrom(places: readonly FailurePlace[]): readonly number[] {
  const sessions = new Map<string, number>();
  for (const place of places) {
    const session = `${place.host} ${place.session}`;
    if (!sessions.has(session)) sessions.set(session, place.id);
  }
  const firsts = [...sessions.values()];
  const others = places.map((place) => place.id).filter((id) => !firsts.includes(id));
  return [...firsts.slice(0, EVIDENCE), ...others].slice(0, EVIDENCE);
}

function namesIn(names: readonly (string | null)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== null))].toSorted().slice(0, 20);
}

/** The recovery that came most often; of those that came equally often the latest. */
async function whatHelped(
  db: Context["db"],
  places: readonly FailurePlace[],
  within: number,
): Promise<Mistake["recovery"]> {
  const recoveries = await recoveriesOf(
    db,
    places.map((place) => place.id),
    within,
  );
  const times = new Map<string, number>();
  for (const { through, by } of recoveries.toSorted((a, b) => b.failure - a.failure)) {
    const summary = helpOf(by, through);
    times.set(summary, (times.get(summary) ?? 0) + 1);
  }
  const [best] = [...times].toSorted((a, b) => b[1] - a[1]);
  return best ? { summary: best[0], times: best[1] } : null;
}

/** Of a command its text; of an edit what came before it, since the edit itself is never the same twice. */
function helpOf(by: Event, through: string | null): string {
  if (by.tool !== null && isShellTool(by.tool)) return summaryOf(by);
  const tool = plainTool(by.tool ?? "");
  const before = through?.split(", ").map(plainTool).join(", ");
  return before === undefined ? `${tool} again` : `${before}, then ${tool}`;
}

/** What a call was, in a line. */
export function summaryOf(event: Pick<Event, "tool" | "input" | "text" | "kind">): string {
  if (event.kind !== "call") return oneLine(event.text ?? event.kind);
  const shell = event.tool !== null && isShellTool(event.tool) ? shellTextOf(event.input) : null;
  if (shell !== null) return oneLine(shell);
  const input = event.input as Readonly<Record<string, unknown>> | null;
  const tool = plainTool(event.tool ?? "");
  const path = input?.["file_path"] ?? input?.["path"] ?? input?.["pattern"];
  return oneLine(
    typeof path === "string" ? `${tool} ${path}` : `${tool} ${input === null ? "" : JSON.stringify(input)}`,
  );
}
