import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../src/config.ts";
import { levels, type Rule } from "../src/domain/rule/rule.ts";
import { fixedClock, MINUTE } from "../src/lib/clock.ts";
import { composeAtSessionStart } from "../src/recall/at-session-start.ts";
import { composeIdentity, loadIdentity } from "../src/recall/identity/identity.ts";
import type { Db, Store } from "../src/store/engine/db.ts";
import { mistakeNoun } from "../src/store/nouns/ledger.ts";
import { ruleNoun } from "../src/store/nouns/rules.ts";
import { putSummary } from "../src/store/sessions/session-summaries.ts";
import { readShownSoFar } from "../src/store/shown/shown.ts";
import { type Measured, summariseTimes, timeAct, type Times } from "./measure-in-turns.ts";
import { BENCH_WORKSPACE, makeQueries, makeText, NOW } from "./made-memories.ts";

/** Milliseconds within which 95 % of session starts must be answered. */
const MAX_MS = 50;
const RULES = 1_000;
const STARTS = 60;

export interface BootReport extends Times {
  readonly rules: number;
  /** The length of the text: proves that the measured start is not empty. */
  readonly characters: number;
  readonly parts: number;
  readonly met: boolean;
}

/** Measures the advice at session start (identity, rules, memories, ledger, handoff) in a mind with many of each. */
export async function benchBoot(store: Store, dir: string, say: (line: string) => void): Promise<BootReport> {
  say(`SQLite: a session's start with ${RULES} rules`);
  const home = join(dir, "home");
  mkdirSync(home);
  writeFileSync(join(home, "SOUL.md"), `# Soul\n\n${makeText(1)}\n`);
  const config = loadConfig({ home, env: {} });
  await store.db.tx(fillBesides);
  const { db } = store;
  const start = async (n: number) => {
    const to = {
      host: "claude-code",
      session: `start-${n}`,
      workspace: n % 2 === 0 ? BENCH_WORKSPACE : `/bench/other-${4 + (n % 10) * 5}`,
      model: null,
      maxCharacters: 100_000,
    };
    const files = await loadIdentity({ db, config });
    const identity = (characters: number) => composeIdentity(files, characters);
    return composeAtSessionStart(
      { db, config, clock: fixedClock(NOW), identity, models: { embedder: async () => null } },
      to,
      await readShownSoFar(db, to.host, to.session),
    );
  };
  const message = await start(0);
  const times: Measured = { wall: [], cpu: [] };
  for (let n = 0; n < STARTS; n++) {
    const { wall, cpu } = await timeAct(() => start(n));
    times.wall.push(wall);
    times.cpu.push(cpu);
  }
  const took = summariseTimes(times);
  return {
    rules: RULES,
    ...took,
    characters: message?.text.length ?? 0,
    parts: message?.parts.length ?? 0,
    met: took.p95 < MAX_MS,
  };
}

async function fillBesides(tx: Db): Promise<void> {
  for (let n = 0; n < RULES; n++) await ruleNoun.write(tx, `r_${n}`, { ...makeRule(n) });
  for (let n = 0; n < 100; n++)
    await mistakeNoun.write(tx, `k_${n}`, {
      id: `k_${n}`,
      at: NOW - n * MINUTE,
      what: makeText(n),
      why: "it looked right",
      pattern: `pattern ${n % 7}`,
      expectation: null,
      origin: "agent",
      session: null,
      workspace: BENCH_WORKSPACE,
      shouldHave: "looked first",
      severity: "medium",
      signal: "exit code 1 of the first run",
    });
  const questions = makeQueries();
  for (let n = 0; n < 50; n++)
    await putSummary(tx, {
      host: "claude-code",
      session: `past-${n}`,
      workspace: n % 5 === 0 ? BENCH_WORKSPACE : `/bench/other-${n}`,
      startedAt: NOW - (n + 2) * 60 * MINUTE,
      lastAt: NOW - (n + 1) * 60 * MINUTE,
      upTo: n,
      text: makeText(n),
      topics: (questions[n] ?? "").split(" "),
      decisions: [makeText(n + 1)],
      threads: [],
    });
}

function makeRule(n: number): Rule {
  return {
    id: `r_${n}`,
    text: `Before the next step, ${makeText(n)}.`,
    status: "approved",
    level: levels[1 + (n % 3)] ?? "advise",
    confidence: 0.8,
    salience: (n % 100) / 100,
    origin: "agent",
    scope:
      n % 4 === 0
        ? { kind: "global" }
        : { kind: "workspace", workspace: n % 4 === 1 ? BENCH_WORKSPACE : `/bench/other-${n % 50}` },
    signature: null,
    matcher: { tool: "shell", head: "npm", has: [`word:${n}`] },
    evidence: {
      observations: 5,
      sessions: 3,
      first: NOW - 100 * MINUTE,
      last: NOW,
      refs: Array.from({ length: 5 }, (_, at) => ({
        session: `past-${at}`,
        seq: at,
        host: "claude-code",
        at: NOW,
        excerpt: makeText(at),
      })),
    },
    pinned: false,
    mergedInto: null,
    createdAt: NOW - n * MINUTE,
  };
}
