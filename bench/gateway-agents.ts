import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newBenchDatabase } from "./dashboard-minds.ts";
import { type BenchServer, startBenchServer } from "./dashboard-server.ts";
import { type Contender, computeTimeRatio, interleave, median, roundTo } from "./floor.ts";

/** A named agent over HTTP on one store: milliseconds of answers of the cache and of others. */
export interface AgentFigures {
  readonly cached: { readonly p50: number; readonly best: number };
  readonly uncached: { readonly p50: number; readonly best: number };
  /** The median over rounds of the ratio of both in the same round. */
  readonly cachedToUncached: number;
}

export type AgentReport = Readonly<Record<string, AgentFigures | { readonly skipped: string }>>;

/**
 * Answers of a named agent, of the cache and others, from `oldhand serve`. All stores take turns. Without an embedder, whose
 * work only answers that are not cached wait for: it would hide what oldhand itself costs.
 */
export async function benchAgents(options: {
  readonly rounds: number;
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string;
  /** Null if there is no PostgreSQL. */
  readonly postgres: string | null;
}): Promise<AgentReport> {
  const { rounds, dir, env, model } = options;
  const made = options.postgres === null ? null : await newBenchDatabase(options.postgres);
  const databases = { sqlite: {}, ...(made === null ? {} : { postgres: { OLDHAND_DATABASE: made.database } }) };
  const servers: BenchServer[] = [];
  try {
    const contenders: Contender[] = [];
    for (const [name, database] of Object.entries(databases)) {
      const home = join(dir, `agents-${name}`);
      mkdirSync(home, { recursive: true });
      writeFileSync(
        join(home, "config.json"),
        JSON.stringify({ embedder: "none", models: { use: [model], exploreShare: 0 } }),
      );
      const server = await startBenchServer({ env: { ...env, HOME: home, OLDHAND_HOME: home, ...database } });
      servers.push(server);
      let asked = 0;
      const same = "the same question pieces=20";
      await complete(server, same, false);
      contenders.push(
        { name: `${name}, cached`, act: () => complete(server, same, true) },
        { name, act: () => complete(server, `question ${asked++} pieces=20`, false) },
      );
    }
    const times = await interleave(contenders, { rounds, seconds: 0 });
    const figures = Object.keys(databases).map((name) => [name, toFigures(times, name)] as const);
    const skipped = made === null ? { postgres: { skipped: "no PostgreSQL server" } } : {};
    return { ...Object.fromEntries(figures), ...skipped };
  } finally {
    for (const server of servers) await server.stop();
    await made?.drop();
  }
}

function toFigures(times: ReadonlyMap<string, readonly number[]>, name: string): AgentFigures {
  const [cached, uncached] = [times.get(`${name}, cached`) ?? [], times.get(name) ?? []];
  const of = (some: readonly number[]) => ({ p50: roundTo(median(some)), best: roundTo(Math.min(...some)) });
  return { cached: of(cached), uncached: of(uncached), cachedToUncached: roundTo(computeTimeRatio(cached, uncached)) };
}

async function complete({ origin, token }: BenchServer, prompt: string, isCached: boolean): Promise<void> {
  const response = await fetch(`${origin}/agents/bench/complete`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt, taskType: "triage" }),
  });
  const answer = (await response.json()) as { readonly cached?: boolean };
  if (answer.cached !== isCached) throw new Error(`an agent answered ${response.status}: ${JSON.stringify(answer)}`);
}
