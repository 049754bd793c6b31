import { OldhandError } from "../../src/lib/errors.ts";
import type { Db } from "../../src/store/engine/db.ts";
import type { Claim, Queue } from "../../src/store/engine/queue.ts";
import { makeQueue } from "../../src/store/queue/make-queue.ts";
import { type Performed, workQueue } from "../../src/work/work-queue.ts";
import { drawFaults, noFaults } from "../core/faults.ts";
import { askModel, deliverLater } from "../core/outside.ts";
import { type SimStore, simDb } from "../core/sim-db.ts";
import { type Machine, newSimulation, type SimProcess, type StoryLine } from "../core/simulation.ts";
import { SIM_QUEUE, type SimEngine } from "./engines.ts";
import { newWitness } from "./promises.ts";
import { type Fence, withoutFence } from "./without-fence.ts";

export interface QueueRun {
  readonly seed: number;
  /** The promises that were broken; empty if none. */
  readonly broken: readonly string[];
  readonly story: readonly StoryLine[];
  readonly steps: number;
}

const LEASE_MS = 3_000;
/** Faults happen in this time; then everything must come to its end. */
const TROUBLED_MS = 16_000;
const LIMIT_MS = 300_000;

/** Several workers, a producer and an operator on one queue, with what the seed makes go wrong. */
export async function simulateQueue(
  engine: SimEngine,
  seed: number,
  options: { readonly without?: Fence | undefined } = {},
): Promise<QueueRun> {
  const sim = newSimulation(seed);
  const draw = (most: number) => Math.floor(sim.random() * most);
  // A file of SQLite has one machine. A server has a clock of its own.
  const machines = Array.from({ length: engine.name === "sqlite" ? 1 : 1 + draw(3) }, (_, n) =>
    sim.newMachine(`machine ${n + 1}`, engine.name === "sqlite" ? 0 : draw(60_000) - 30_000),
  );
  const storeMachine = engine.name === "sqlite" ? (machines[0] as Machine) : sim.newMachine("server");
  await engine.begin(sim, storeMachine.clock);
  const witness = newWitness(sim, storeMachine);
  const store: SimStore = { sim, db: engine.db, faults: drawFaults(sim.random, LEASE_MS), holder: null };
  const items = witness.watchItems(engine.items(storeMachine.clock));
  const bells = new Map<SimProcess, () => void>();

  const openFor = (self: SimProcess): { readonly db: Db; readonly queue: Queue } => {
    const own = simDb(store, self);
    const db = options.without === undefined ? own : withoutFence(own, options.without);
    const queue = makeQueue(db, items, {
      isGone: (worker) => {
        const other = sim.find(worker);
        return other?.isDown === true && other.machine === self.machine;
      },
      watch: async (_queue, onWork) => {
        bells.set(self, onWork);
        return { close: async () => {} };
      },
      close: async () => {},
    });
    return { db, queue: witness.watchQueue(queue, self) };
  };

  const work = async (self: SimProcess): Promise<void> => {
    const { db, queue } = openFor(self);
    await workQueue({
      ...{ db, queue, names: [SIM_QUEUE], clock: self.machine.clock, sleep: self.sleep },
      worker: { id: self.name, leaseMs: LEASE_MS },
      signal: new AbortController().signal,
      perform: async (claim, signal): Promise<Performed> => {
        sim.note(self.name, `works on ${claim.item}, attempt ${claim.attempt}`);
        const answer = await askModel(sim, store.faults, self, { longest: LEASE_MS * 1.5, signal });
        const settlement =
          answer === "answers" ? ({ kind: "done" } as const) : ({ kind: "dead", reason: "refused" } as const);
        return { settlement, record: (tx) => writeRecord(tx, claim, settlement.kind) };
      },
      onTrouble: (text) => sim.note(self.name, text),
      onOutage: (text) => sim.note(self.name, text),
    });
  };

  let workers = 0;
  const startWorker = () => void sim.start(machines[draw(machines.length)] as Machine, `worker ${++workers}`, work);
  for (let n = 2 + draw(2); n > 0; n--) startWorker();

  let isProduced = false;
  const produce = async (self: SimProcess): Promise<void> => {
    const { db, queue } = openFor(self);
    for (let n = 2 + draw(4); n > 0; n--) {
      await self.sleep(draw(2_500));
      const isGhost = sim.random() < 0.2;
      await enqueueOne(self, db, queue, {
        item: isGhost ? `ghost ${n}` : `item ${n}`,
        lastAttempt: 2 + draw(4),
        priority: draw(3),
        wait: sim.random() < 0.3 ? draw(8_000) : null,
        isGhost,
      });
      for (const [worker, ring] of bells) deliverLater(sim, store.faults, worker, ring);
    }
    isProduced = true;
  };
  const producer = sim.start(machines[0] as Machine, "producer", produce);

  planTrouble();
  let isOver = false;
  sim.start(storeMachine, "observer", async (self) => {
    for (;;) {
      await self.sleep(1_000);
      if (sim.now() < TROUBLED_MS || store.holder !== null) continue;
      const counts = await sim.track(() => items.counts(engine.db, SIM_QUEUE));
      isOver = (isProduced || producer.isDown) && counts.waiting + counts.held === 0;
    }
  });

  function planTrouble(): void {
    const { crashes, pauses, jumps } = store.faults;
    const at = () => draw(TROUBLED_MS * 0.8);
    const someone = () => sim.find(`worker ${1 + draw(workers)}`);
    for (let n = 0; n < crashes; n++)
      sim.after(at(), () => {
        (sim.random() < 0.15 ? producer : someone())?.crash();
        sim.after(draw(3_000), startWorker);
      });
    for (let n = 0; n < pauses; n++)
      sim.after(at(), () => someone()?.pause(Math.floor(LEASE_MS * (0.5 + 2 * sim.random()))));
    for (let n = 0; n < jumps; n++)
      sim.after(at(), () => {
        const machine = sim.random() < 0.6 ? storeMachine : (machines[draw(machines.length)] as Machine);
        const ms = draw(24_000) - 12_000;
        machine.jump(ms);
        if (machine === storeMachine) witness.noteJump(ms);
      });
    if (sim.random() < 0.4)
      sim.after(at(), () => void sim.start(storeMachine, "operator", (self) => restore(openFor(self))));
    sim.after(TROUBLED_MS, () => {
      store.faults = noFaults;
      sim.resumeAll();
      sim.note("-", "no more faults");
      startWorker();
    });
  }

  await sim.run(() => isOver, LIMIT_MS);
  const steps = sim.steps();
  await sim.end();
  const { dead } = await items.counts(engine.db, SIM_QUEUE);
  await witness.checkEnd(engine.db, dead, isOver);
  return { seed, broken: witness.broken, story: sim.story, steps };
}

interface NewWork {
  readonly item: string;
  readonly lastAttempt: number;
  readonly priority: number;
  readonly wait: number | null;
  readonly isGhost: boolean;
}

class RolledBack extends Error {}

/** The work and its place in the queue, in one transaction; a ghost's is rolled back. */
async function enqueueOne(self: SimProcess, db: Db, queue: Queue, work: NewWork): Promise<void> {
  for (;;) {
    try {
      await db.tx(async (tx) => {
        const isNew = await tx.run(
          "insert into sim_work (item, last_attempt) values (?, ?) on conflict (item) do nothing",
          [work.item, work.lastAttempt],
        );
        // Only with the row it is about: the work may be done and pruned since an answer was lost.
        if (isNew !== 1) return;
        await queue.enqueue(tx, {
          ...{ queue: SIM_QUEUE, item: work.item, attempt: 1, lastAttempt: work.lastAttempt, priority: work.priority },
          notBefore: work.wait === null ? undefined : self.machine.clock.now() + work.wait,
        });
        if (work.isGhost) throw new RolledBack();
      });
      return;
    } catch (error) {
      if (error instanceof RolledBack) return;
      if (!(error instanceof OldhandError)) throw error;
      await self.sleep(1_000);
    }
  }
}

/** What a restore does: the queue is emptied, and the owner enqueues what has no record. */
async function restore({ db, queue }: { readonly db: Db; readonly queue: Queue }): Promise<void> {
  const restoring = db.tx(async (tx) => {
    await queue.clear(tx);
    const open = await tx.all<{ item: string; last_attempt: number }>(
      "select item, last_attempt from sim_work where item not in (select item from sim_records where kind = 'done') order by item",
    );
    for (const { item, last_attempt } of open)
      await queue.enqueue(tx, { queue: SIM_QUEUE, item, attempt: 1, lastAttempt: last_attempt });
  });
  // The store did not answer: the operator gives up.
  await restoring.catch((error: unknown) => {
    if (!(error instanceof OldhandError)) throw error;
  });
}

async function writeRecord(tx: Db, claim: Claim, kind: string): Promise<void> {
  await tx.run("insert into sim_records (item, attempt, worker, kind) values (?, ?, ?, ?)", [
    claim.item,
    claim.attempt,
    claim.worker,
    kind,
  ]);
}
