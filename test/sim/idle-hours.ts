import type { SimEngine } from "../../sim/queue/engines.ts";
import { newSimulation, START } from "../../sim/core/simulation.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { HOUR } from "../../src/lib/clock.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { makeQueue } from "../../src/store/queue/make-queue.ts";
import { jobNoun } from "../../src/store/nouns/jobs.ts";
import { findHolds } from "../../src/work/jobs/find-pauses.ts";
import { workSlots } from "../../src/work/jobs/work-slots.ts";

export interface IdleReport {
  /** Statements that write, by table. */
  readonly writes: Readonly<Record<string, number>>;
  readonly reads: number;
}

/** The real worker with jobs that are not due, for some hours. Counts what it asks of the store. */
export async function idleHours(engine: SimEngine, hours: number): Promise<IdleReport> {
  const sim = newSimulation(1);
  const machine = sim.newMachine("machine");
  await engine.begin(sim, machine.clock);
  const work = { kind: "command", command: "exit 1", folder: "/", seconds: 1 } as const;
  for (const name of ["one", "two"])
    await jobNoun.write(engine.db, name, {
      ...{ id: name, name, cron: "0 0 1 7 *", zone: "Europe/Berlin", work, late: "all" },
      ...{ model: "anthropic/claude-sonnet-4-5", enabled: true, madeAt: START },
    });
  const writes: Record<string, number> = {};
  let reads = 0;
  const db = counting(engine.db, sim.track, (sql) => {
    const table = /^\s*(?:insert into|update|delete from)\s+(\w+)/.exec(sql)?.[1];
    if (table === undefined) reads++;
    else writes[table] = (writes[table] ?? 0) + 1;
  });
  const config = { policy: defaultPolicy, off: { everywhere: false, workspaces: [] } };
  const { clock } = machine;
  const never = new AbortController().signal;
  sim.start(machine, "worker", (self) =>
    workSlots({
      ctx: { db, clock, config },
      queue: makeQueue(db, engine.items(clock), {
        isGone: () => false,
        watch: async () => ({ close: async () => {} }),
        close: async () => {},
      }),
      queues: ["slots"],
      worker: { id: "worker", leaseMs: 30_000 },
      atOnce: 2,
      pause: {
        look: async () => void (await findHolds({ db, config }, clock.now()))(clock.now()),
        signal: () => never,
      },
      signal: never,
      sleep: self.sleep,
      say: () => {},
      work: () => {
        throw new Error("something was run");
      },
    }),
  );
  await sim.run(() => false, hours * HOUR - 1, Number.MAX_SAFE_INTEGER);
  await sim.end();
  return { writes, reads };
}

function counting(db: Db, track: <T>(call: () => Promise<T>) => Promise<T>, note: (sql: string) => void): Db {
  const call = <T>(sql: string, act: () => Promise<T>) => {
    note(sql);
    return track(act);
  };
  return {
    ...db,
    all: (sql, values) => call(sql, () => db.all(sql, values)),
    get: (sql, values) => call(sql, () => db.get(sql, values)),
    run: (sql, values) => call(sql, () => db.run(sql, values)),
    tx: (act) => track(() => db.tx((tx) => act(counting(tx, (inner) => inner(), note)))),
  };
}
