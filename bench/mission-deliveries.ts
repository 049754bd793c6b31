import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { distil } from "../src/distil/mining/distil.ts";
import { countRules } from "../src/distil/counting/count-rules.ts";
import { countNewTries } from "../src/distil/counting/count-new-events.ts";
import { estimateTokens } from "../src/domain/advice/context-window.ts";
import { CALL_MS, CALL_TOKENS } from "../src/domain/rule/delivery/hold.ts";
import * as decisions from "../src/domain/rule/decisions.ts";
import { isHeldByUs } from "../src/domain/text/rule-message-text.ts";
import { owner } from "../src/domain/actor.ts";
import { fixedClock, HOUR, MINUTE, SECOND } from "../src/lib/clock.ts";
import { joinReasonAndContext } from "../src/observe/protocol/hook-event.ts";
import { openContext, type OpenMind } from "../src/mind.ts";
import { adviseBeforeCall } from "../src/recall/calls/before-call.ts";
import { digest } from "../src/store/derived/digest.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { applyChange } from "../src/store/journal/journal.ts";
import { listRules, ruleNoun } from "../src/store/nouns/rules.ts";
import { makeCallEvent } from "./mining-mission.ts";
import { makeRandom } from "../src/lib/random.ts";

/**
 * How the agent is shown a rule: never, with the call's result, by a hold of the first call, or as the evidence
 * decides.
 */
const deliveryModes = ["nothing", "note", "hold", "default"] as const;
type DeliveryMode = (typeof deliveryModes)[number];

/** Mistakes by their cost: almost no output, a few lines, or a build's output after a minute. */
const kinds = ["short", "cheap", "slow"] as const;
type Kind = (typeof kinds)[number];

/** A mistake, its fix and its cost. */
interface Trap {
  readonly kind: Kind;
  readonly bad: string;
  readonly good: string;
  readonly error: string;
  readonly seconds: number;
}

const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `  at step ${n} of the build: nothing was made`).join("\n");

/**
 * The cheap ones print about 60 tokens, the median of 960 failures in developers' recorded sessions; the slow ones
 * print and take as much as a build.
 */
const traps: readonly Trap[] = [
  {
    kind: "short",
    bad: "svc reload --all",
    good: "svc reload --each",
    error: "Exit code 1\nsvc: unknown option '--all'. Did you mean '--each'?",
    seconds: 0.1,
  },
  {
    kind: "short",
    bad: "key show --plain",
    good: "key show --masked",
    error: "Exit code 3\nkey: unknown option '--plain'. Did you mean '--masked'?",
    seconds: 0.1,
  },
  {
    kind: "cheap",
    bad: "cfg set --global port 80",
    good: "cfg set --local port 80",
    error:
      "Exit code 1\ncfg: unknown option --global\nusage: cfg set [--local | --file PATH] NAME VALUE\n  --local      the settings of this repository\n  --file PATH  the settings in this file\nsee cfg help set for what a name may be",
    seconds: 0.5,
  },
  {
    kind: "cheap",
    bad: "rel push --env staging",
    good: "rel push --target staging",
    error:
      "Exit code 2\nerror: unknown option '--env'\n\nUsage: rel push [options]\n\nOptions:\n  --target NAME  where to push: staging, production\n  --dry-run      only say what would be pushed\n  -h, --help     what can be said here",
    seconds: 0.2,
  },
  {
    kind: "slow",
    bad: "img pack --push",
    good: "img pack --load",
    error: `Exit code 2\n${lines(60)}\nimg: unknown option '--push'. Did you mean '--load'?`,
    seconds: 90,
  },
  {
    kind: "slow",
    bad: "dump sync --full",
    good: "dump sync --fresh",
    error: `Exit code 1\n${lines(40)}\ndump: unknown option '--full'. Did you mean '--fresh'?`,
    seconds: 45,
  },
];

interface Cost {
  readonly failures: number;
  readonly calls: number;
  readonly tokens: number;
  readonly seconds: number;
  /** The total in tokens, weighted as in the decision on holds. */
  readonly cost: number;
}

/** The scripted agent. Every delivery mode uses the same random numbers. */
export interface DeliveryMission {
  readonly seeds: number;
  readonly sessions: number;
  /** Probability that the call the rule warns against really fails; otherwise the rule is wrong. */
  readonly fails: number;
  /** Probability that an agent that reads the rule before any failure follows it. After a failure: `believes`. */
  readonly obeys: number;
  readonly believes: number;
}

/**
 * The cost of each delivery mode for the same agent and rules, by kind of mistake: failures, calls, tokens and seconds
 * per 100 pieces of work; and how much the default saves compared with the others, paired by random seed.
 */
export async function measureDeliveries(mission: DeliveryMission) {
  const runs: Record<DeliveryMode, Record<Kind, Cost>[]> = { nothing: [], note: [], hold: [], default: [] };
  for (let seed = 1; seed <= mission.seeds; seed++)
    for (const way of deliveryModes) runs[way].push(await runMission(mission, way, seed));
  const less = (kind: Kind, way: DeliveryMode, than: DeliveryMode) =>
    mapCost((what) => summarise(runs[than].map((run, at) => run[kind][what] - (runs[way][at]?.[kind][what] ?? 0))));
  return kinds.map((kind) => ({
    kind,
    ways: deliveryModes.map((way) => ({
      way,
      ...mapCost((what) => summarise(runs[way].map((run) => run[kind][what]))),
      lessThanNothing: less(kind, way, "nothing"),
    })),
    defaultSaves: { note: less(kind, "default", "note").cost, hold: less(kind, "default", "hold").cost },
  }));
}

export type MeasuredDeliveries = Awaited<ReturnType<typeof measureDeliveries>>;

/** A Markdown table for the docs. */
export function formatDeliveryTable(measured: MeasuredDeliveries): string {
  const cell = ({ mean, low, high }: Summary) => `${formatWhole(mean)} (${formatWhole(low)}–${formatWhole(high)})`;
  return [
    "| mistake | told | failures | calls | tokens | seconds | total |",
    "|---|---|---|---|---|---|---|",
    ...measured.flatMap(({ kind, ways }) =>
      ways.map((one) => `| ${kind} | ${one.way} | ${costs.map((what) => cell(one[what])).join(" | ")} |`),
    ),
  ].join("\n");
}

function formatWhole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

const costs = ["failures", "calls", "tokens", "seconds", "cost"] as const;

function mapCost<T>(of: (what: keyof Cost) => T): Readonly<Record<keyof Cost, T>> {
  return Object.fromEntries(costs.map((what) => [what, of(what)])) as Record<keyof Cost, T>;
}

interface Summary {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Mean and 95 % interval over the seeds. */
function summarise(values: readonly number[]): Summary {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, values.length - 1));
  const half = (1.96 * spread) / Math.sqrt(values.length);
  return { mean: rounded(mean), low: rounded(mean - half), high: rounded(mean + half) };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

const WORKSPACE = "/work/shop";
const BEGIN = Date.UTC(2027, 0, 1);
const WORK = 8;
const control = { note: "with the result", refusal: "the call", asks: "yes", holds: true } as const;

async function runMission(mission: DeliveryMission, way: DeliveryMode, seed: number): Promise<Record<Kind, Cost>> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-deliveries-"));
  const clock = fixedClock(BEGIN);
  const opened = await openContext({ home, clock, env: { OLDHAND_EMBEDDER: "none" } });
  try {
    const { policy } = opened.config;
    // No control group, so that only the delivery differs.
    const distilPolicy = { ...policy.distil, holdOut: false };
    const recall = { ...policy.recall, holdCalls: way === "hold" || way === "default" };
    const mind = { ...opened, config: { ...opened.config, policy: { ...policy, distil: distilPolicy, recall } } };
    await learn(mind, clock, way);
    const tally = { short: { ...none }, cheap: { ...none }, slow: { ...none } };
    const work = { short: 0, cheap: 0, slow: 0 };
    for (let n = 0; n < mission.sessions; n++) {
      const agent = new Agent(mission, { way, mind, clock, session: `s${n}` });
      for (let at = 0; at < WORK; at++) {
        const random = makeRandom(seed * 1_000_003 + n * 101 + at);
        const trap = traps[Math.floor(random() * traps.length)] as Trap;
        work[trap.kind]++;
        await agent.do(trap, random, tally[trap.kind]);
      }
      clock.advance(HOUR);
    }
    for (const kind of kinds) tally[kind].cost = toTokens(tally[kind]);
    const each = (kind: Kind) => mapCost((what) => (100 * tally[kind][what]) / work[kind]);
    return { short: each("short"), cheap: each("cheap"), slow: each("slow") };
  } finally {
    await opened.close();
    rmSync(home, { recursive: true });
  }
}

const none = { failures: 0, calls: 0, tokens: 0, seconds: 0, cost: 0 };

function toTokens({ tokens, calls, seconds }: Omit<Cost, "cost">): number {
  return tokens + (calls + (seconds * SECOND) / CALL_MS) * CALL_TOKENS;
}

/**
 * Creates the history and the rules: each mistake was made twelve times and always failed, and the owner approved the
 * rules. In mode `hold` each failure took an hour, so that the evidence makes every rule hold.
 */
async function learn(mind: OpenMind, clock: ReturnType<typeof fixedClock>, way: DeliveryMode): Promise<void> {
  let number = 0;
  for (const trap of traps)
    for (let n = 0; n < 12; n++) {
      const past = { session: `past-${n % 6}`, tool: "Bash" };
      const at = clock.now() + number * MINUTE;
      const bad = { input: { command: trap.bad }, error: trap.error, at };
      const good = { input: { command: trap.good }, error: null, at: at + SECOND };
      const durationMs = way === "hold" ? HOUR : trap.seconds * SECOND;
      await appendEvents(mind.db, [
        { ...makeCallEvent({ ...past, ...bad, number: ++number }), durationMs },
        makeCallEvent({ ...past, ...good, number: ++number }),
      ]);
    }
  clock.advance(12 * HOUR);
  await digest(mind.db);
  await distil(mind, { write: true });
  for (const rule of await listRules(mind.db))
    await applyChange(
      mind.db,
      { noun: ruleNoun, id: rule.id },
      { actor: owner, cause: { kind: "person", id: null, note: null }, at: clock.now() },
      (now) => (now === null ? null : decisions.approveRule(now)),
    );
  await countNewTries(mind);
  await countRules(mind);
}

interface AgentContext {
  readonly way: DeliveryMode;
  readonly mind: OpenMind;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly session: string;
}

/** The agent of one session. It remembers until the end what it was shown. */
class Agent {
  readonly #mission: DeliveryMission;
  readonly #in: AgentContext;
  readonly #read = new Set<string>();
  readonly #knows = new Set<string>();

  constructor(mission: DeliveryMission, surroundings: AgentContext) {
    this.#mission = mission;
    this.#in = surroundings;
  }

  /**
   * Works until the task is done. After a failure, an agent that does not know the rule repeats the call half of the
   * time.
   */
  async do(trap: Trap, random: () => number, tally: { -readonly [Key in keyof Cost]: number }): Promise<void> {
    const { fails, obeys, believes } = this.#mission;
    const wouldFail = random() < fails;
    let isWrong = !this.#knows.has(trap.bad) && random() < 0.7;
    for (let tries = 0; tries < 6; tries++) {
      const command = isWrong ? trap.bad : trap.good;
      const message = await this.#ask(command);
      this.#in.clock.advance(5 * SECOND);
      if (message.text !== "") this.#read.add(trap.bad);
      tally.calls++;
      tally.tokens += estimateTokens(command) + estimateTokens(message.text);
      if (message.isHeld) {
        if (random() < obeys) this.#knows.add(trap.bad);
        isWrong = !this.#knows.has(trap.bad);
        continue;
      }
      const failed = isWrong && wouldFail;
      tally.seconds += failed ? trap.seconds : 1;
      tally.tokens += estimateTokens(failed ? trap.error : "done");
      if (!failed) return;
      tally.failures++;
      if (this.#read.has(trap.bad) && random() < believes) this.#knows.add(trap.bad);
      isWrong = !this.#knows.has(trap.bad) && random() < 0.5;
    }
  }

  async #ask(command: string): Promise<{ readonly text: string; readonly isHeld: boolean }> {
    const { way, mind, clock, session } = this.#in;
    if (way === "nothing") return { text: "", isHeld: false };
    const call = { host: "claude-code", session, workspace: WORKSPACE, cwd: WORKSPACE, agent: null, tool: "Bash" };
    const advice = await adviseBeforeCall(
      { ...mind, clock },
      { ...call, input: { command } },
      { takes: "both", control },
    );
    const text = joinReasonAndContext(advice?.decision?.reason, advice?.context ?? undefined);
    return { text, isHeld: isHeldByUs(advice?.decision?.reason ?? null) };
  }
}
