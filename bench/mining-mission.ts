import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listRuleEffects } from "../src/distil/counting/rule-counts.ts";
import { runMaintenance } from "../src/distil/maintenance/maintenance.ts";
import type { NewEvent } from "../src/domain/event/event.ts";
import type { Rule } from "../src/domain/rule/rule.ts";
import { readCall } from "../src/domain/cause/read-call.ts";
import { estimateTokens } from "../src/domain/advice/context-window.ts";
import { isHeldByUs } from "../src/domain/text/rule-message-text.ts";
import { DAY, fixedClock, HOUR, MINUTE, SECOND } from "../src/lib/clock.ts";
import { openContext, type OpenMind } from "../src/mind.ts";
import { joinReasonAndContext } from "../src/observe/protocol/hook-event.ts";
import { adviseBeforeCall } from "../src/recall/calls/before-call.ts";
import { digest } from "../src/store/derived/digest.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { listChangesOf } from "../src/store/journal/journal.ts";
import { listRules } from "../src/store/nouns/rules.ts";
import { makeRandom } from "../src/lib/random.ts";

const WORKSPACE = "/work/shop";
const BEGIN = Date.UTC(2027, 0, 1);

/** A mistake of the scripted agent: how often it makes it, and how it reacts to the rule. */
interface Habit {
  readonly name: string;
  /** Probability that an opportunity is used wrongly, and that this then fails. */
  readonly wrong: number;
  readonly fails: number;
  /** Probability that a session follows the rule once shown. If negative: probability that it does the opposite. */
  readonly obeys: number;
  readonly bad: () => Call;
  readonly good: () => Call;
}

interface Call {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly error: string;
}

const shell = (command: string, error = ""): Call => ({ tool: "Bash", input: { command }, error });

const habits: readonly Habit[] = [
  {
    name: "npm in a pnpm project",
    wrong: 0.7,
    fails: 1,
    obeys: 0.9,
    bad: () => shell("npm test", "Exit code 1\nERR_PNPM: this project uses pnpm, use pnpm instead"),
    good: () => shell("pnpm test"),
  },
  {
    name: "push without pull",
    wrong: 0.5,
    fails: 0.95,
    obeys: 0.7,
    bad: () => shell("git push origin main", "Exit code 1\nerror: failed to push some refs (fetch first)"),
    good: () => shell("git pull --rebase origin main && git push origin main"),
  },
  {
    name: "told, never obeyed",
    wrong: 0.6,
    fails: 1,
    obeys: 0,
    bad: () => shell("docker compose up -d", "Exit code 1\nCannot connect to the Docker daemon"),
    good: () => shell("podman compose up -d && docker compose ps"),
  },
  {
    name: "told, done more",
    wrong: 0.35,
    fails: 1,
    obeys: -1,
    bad: () => shell("rake db:migrate --quick", "Exit code 1\ninvalid option: --quick\nDid you mean?  --step"),
    good: () => shell("rake db:migrate --step"),
  },
  {
    name: "fails by chance",
    wrong: 1,
    fails: 0.1,
    obeys: 0.9,
    bad: () =>
      shell("curl https://registry.test/index", "Exit code 6\ncurl: (6) Could not resolve host: registry.test"),
    good: () => shell("curl https://registry.test/index"),
  },
];

interface MissionArm {
  readonly calls: number;
  readonly failures: number;
  readonly attempts: Readonly<Record<string, number>>;
  readonly opportunities: Readonly<Record<string, number>>;
  readonly tokens: number;
  /** How often the agent was shown something, its tokens, and how often the call would have worked. */
  readonly told: { readonly times: number; readonly tokens: number; readonly beforeWorking: number };
}

export interface Mission {
  readonly days: number;
  /** The first days, which are only recorded, like imported history: nothing is shown. */
  readonly silent: number;
  readonly seed: number;
}

/**
 * Runs a scripted agent with known mistakes and known obedience for `days` days, with and without oldhand and with the
 * same random numbers. Reports the avoided repeats, the cost, and what happened to useless rules.
 */
export async function measureMission(options: Mission) {
  const without = await runMission(options, null);
  const home = mkdtempSync(join(tmpdir(), "oldhand-mission-"));
  const clock = fixedClock(BEGIN);
  const mind = await openContext({ home, clock });
  try {
    const withIt = await runMission(options, { mind, clock });
    const rules = await listRules(mind.db);
    const found = await listRuleEffects(mind, rules);
    return {
      days: options.days,
      without,
      with: withIt,
      avoided: Object.fromEntries(
        habits.map(({ name }) => [name, 1 - computeRate(withIt, name) / Math.max(computeRate(without, name), 1e-9)]),
      ),
      rules: await Promise.all(
        rules.map(async (rule) => {
          const verdict = found.find((one) => one.rule.id === rule.id)?.verdict ?? null;
          return { ...ruleOut(rule, verdict), proven: await listProofSteps(mind, rule.id, options) };
        }),
      ),
    };
  } finally {
    await mind.close();
    rmSync(home, { recursive: true });
  }
}

function computeRate(arm: MissionArm, name: string): number {
  return (arm.attempts[name] ?? 0) / Math.max(1, arm.opportunities[name] ?? 0);
}

/** The changes that maintenance made because of the rule's proof, with the day of the mission. */
async function listProofSteps({ db }: OpenMind, rule: string, { days }: Mission) {
  const changes = await listChangesOf(db, "rule", rule);
  return changes
    .filter((change) => change.cause.id === "prove")
    .map((change) => ({ day: Math.round((change.at - BEGIN) / DAY), of: days, because: change.cause.note }));
}

function ruleOut(rule: Rule, verdict: string | null) {
  return { text: rule.text, status: rule.status, level: rule.level, verdict };
}

const SESSIONS_A_DAY = 6;
const INTENTS = 30;

const control = { note: "with the result", refusal: "the call", asks: "yes", holds: true } as const;

type With = { readonly mind: OpenMind; readonly clock: ReturnType<typeof fixedClock> };

async function runMission({ days, silent, seed }: Mission, oldhand: With | null): Promise<MissionArm> {
  const random = makeRandom(seed);
  const tally = {
    calls: 0,
    failures: 0,
    tokens: 0,
    attempts: {} as Record<string, number>,
    opportunities: {} as Record<string, number>,
    told: { times: 0, tokens: 0, beforeWorking: 0 },
  };
  let number = 0;
  for (let day = 0; day < days; day++) {
    for (let turn = 0; turn < SESSIONS_A_DAY; turn++) {
      const session = `day-${day}-${turn}`;
      const obeying = new Map<string, boolean>();
      for (let intent = 0; intent < INTENTS; intent++) {
        oldhand?.clock.advance(MINUTE);
        const habit = habits[Math.floor(random() * habits.length)] as Habit;
        const dice = { wrong: random(), fails: random(), obeys: random() };
        if (day >= silent) tally.opportunities[habit.name] = (tally.opportunities[habit.name] ?? 0) + 1;
        const obeys = obeying.get(habit.name);
        const wrong = obeys === undefined ? habit.wrong : obeys ? (habit.obeys < 0 ? 1 : 0) : habit.wrong;
        const isBad = dice.wrong < wrong;
        const call = isBad ? habit.bad() : habit.good();
        const wouldFail = isBad && dice.fails < habit.fails;
        if (isBad && day >= silent) tally.attempts[habit.name] = (tally.attempts[habit.name] ?? 0) + 1;
        const pending = { host: "claude-code", session, workspace: WORKSPACE, cwd: WORKSPACE, agent: null, ...call };
        const advice =
          oldhand === null || day < silent
            ? null
            : await adviseBeforeCall({ ...oldhand.mind, clock: oldhand.clock }, pending, { takes: "both", control });
        const denied = advice?.decision?.kind === "deny" ? advice.decision.reason : null;
        const made = (one: Call, refused: string | null, fails: boolean) => {
          const failed = fails && refused === null;
          if (day >= silent) {
            tally.calls++;
            if (failed) tally.failures++;
            tally.tokens += callTokens(one, failed);
          }
          if (oldhand === null) return undefined;
          return store(oldhand, { session, call: one, failed, denied: refused, number: ++number });
        };
        await made(call, denied, wouldFail);
        if (oldhand === null || advice === null) continue;
        const text = joinReasonAndContext(advice.decision?.reason, advice.context ?? undefined);
        tally.told.times++;
        tally.told.tokens += estimateTokens(text);
        if (!wouldFail) tally.told.beforeWorking++;
        // On first sight of the rule, the session decides whether it follows it.
        if (!obeying.has(habit.name)) obeying.set(habit.name, dice.obeys < Math.abs(habit.obeys));
        if (!isHeldByUs(denied)) continue;
        // The agent still has to do its work: another way, or the same call, which passes now.
        oldhand.clock.advance(SECOND);
        const other = obeying.get(habit.name) === true && habit.obeys > 0;
        await made(other ? habit.good() : call, null, !other && wouldFail);
      }
      if (oldhand !== null) oldhand.clock.advance(HOUR);
    }
    if (oldhand === null) continue;
    oldhand.clock.advance(DAY - SESSIONS_A_DAY * HOUR - SESSIONS_A_DAY * INTENTS * MINUTE);
    if (day < silent - 1) continue;
    await digest(oldhand.mind.db);
    await runMaintenance({ ...oldhand.mind, clock: oldhand.clock }, { write: true, force: true });
  }
  return tally;
}

function callTokens(call: Call, failed: boolean): number {
  return Math.ceil((JSON.stringify(call.input).length + (failed ? call.error.length : 40)) / 4);
}

interface Made {
  readonly session: string;
  readonly call: Call;
  readonly failed: boolean;
  /** The reason of the refusal; null if the call ran. */
  readonly denied: string | null;
  readonly number: number;
}

async function store({ mind, clock }: With, { session, call, failed, denied, number }: Made): Promise<void> {
  const error = denied ?? (failed ? call.error : null);
  const event = makeCallEvent({ session, number, at: clock.now(), tool: call.tool, input: call.input, error });
  await appendEvents(mind.db, [event]);
}

/** A call of the scripted agent as the host would report it. */
export function makeCallEvent(made: {
  readonly session: string;
  readonly number: number;
  readonly at: number;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** Null if the call succeeded. */
  readonly error: string | null;
}): NewEvent {
  const { session, number, at, tool, input, error } = made;
  const raw = {
    host: "claude-code",
    session,
    uid: `call:${number}`,
    seq: number,
    at,
    kind: "call" as const,
    workspace: WORKSPACE,
    cwd: WORKSPACE,
    tool,
    head: null,
    input,
    ok: error === null,
    outcome: null,
    benign: false,
    exitCode: null,
    error: null,
    signature: null,
    text: error ?? "done",
    model: null,
    agent: null,
    durationMs: null,
  } satisfies NewEvent;
  return { ...raw, ...readCall(raw) };
}
