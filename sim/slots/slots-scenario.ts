import { defaultPolicy } from "../../src/domain/policy.ts";
import type { Job } from "../../src/domain/work/job.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { nextDueTime } from "../../src/lib/cron.ts";
import { OldhandError } from "../../src/lib/errors.ts";
import type { Queue } from "../../src/store/engine/queue.ts";
import { makeQueue } from "../../src/store/queue/make-queue.ts";
import { jobNoun } from "../../src/store/nouns/jobs.ts";
import type { Slot } from "../../src/store/work/slots.ts";
import type { WorkContext } from "../../src/work/jobs/find-pauses.ts";
import { planDueJobs } from "../../src/work/jobs/plan-slots.ts";
import { runSlot, type WorkResult } from "../../src/work/jobs/run-slot.ts";
import { SLOT_QUEUE } from "../../src/work/jobs/slot-items.ts";
import { workClaim } from "../../src/work/work-queue.ts";
import { type Faults, noFaults } from "../core/faults.ts";
import { type SimStore, simDb } from "../core/sim-db.ts";
import { type Machine, newSimulation, START, type SimProcess, type StoryLine } from "../core/simulation.ts";
import type { SimEngine } from "../queue/engines.ts";
import { checkSlots, newSlotWitness, type SlotCounts } from "./slot-promises.ts";
import { type SlotFence, withoutSlotFence } from "./without-slot-fence.ts";

export interface SlotsRun {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly story: readonly StoryLine[];
  readonly steps: number;
  /** What became of the slots. */
  readonly counts: SlotCounts;
}

const LEASE_MS = 30 * SECOND;
/** At the end nothing goes wrong any more, and everything must come to its end. */
const CALM = 10 * DAY;
const STEPS_A_DAY = 20_000;

/** Zones that change their clocks at other times, by other amounts, or never. */
const simJobs: readonly Job[] = [
  newJob("daily", "0 9 * * *", "Europe/Berlin", "once"),
  // At this time a clock is put forward or back.
  newJob("night", "30 2 * * *", "America/New_York", "all"),
  newJob("weekdays", "15 1 * * 1-5", "Australia/Lord_Howe", "skip"),
  newJob("steps", "0 */8 * * *", "Asia/Kathmandu", "once"),
];

export interface SlotsOptions {
  readonly days: number;
  readonly without?: SlotFence | undefined;
  /**
   * How many machines the two workers are on: two by default on PostgreSQL, one on SQLite. With two, the store has a clock
   * of its own, and theirs differ from it. SQLite is then only the faster engine for the same laws.
   */
  readonly machines?: 1 | 2 | undefined;
}

/** Two workers on a mind with jobs, for some days, with what the seed makes go wrong. */
export async function simulateSlots(engine: SimEngine, seed: number, options: SlotsOptions): Promise<SlotsRun> {
  const sim = newSimulation(seed);
  const draw = (most: number) => Math.floor(sim.random() * most);
  const isServer = (options.machines ?? (engine.name === "postgres" ? 2 : 1)) === 2;
  const machines = isServer
    ? [sim.newMachine("machine 1", draw(HOUR)), sim.newMachine("machine 2", -draw(HOUR))]
    : [sim.newMachine("machine 1")];
  const storeMachine = isServer ? sim.newMachine("server") : (machines[0] as Machine);
  await engine.begin(sim, storeMachine.clock);
  for (const job of simJobs) await jobNoun.write(engine.db, job.id, job);
  const witness = newSlotWitness();
  const store: SimStore = { sim, db: engine.db, faults: drawRates(), holder: null };
  const length = options.days * DAY;

  function drawRates(): Faults {
    const rate = (most: number) => (sim.random() < 0.5 ? 0 : sim.random() * most);
    return { ...noFaults, failBefore: rate(0.01), failAfter: rate(0.01), slow: rate(0.02), slowMs: LEASE_MS * 1.5 };
  }

  const openFor = (self: SimProcess): { readonly ctx: WorkContext; readonly queue: Queue } => {
    const own = simDb(store, self);
    const db = options.without === undefined ? own : withoutSlotFence(own, options.without);
    const off = { everywhere: false, workspaces: [] };
    const queue = makeQueue(db, engine.items(storeMachine.clock), {
      isGone: (worker) => sim.find(worker)?.isDown === true && sim.find(worker)?.machine === self.machine,
      watch: async () => ({ close: async () => {} }),
      close: async () => {},
    });
    return { ctx: { db, clock: self.machine.clock, config: { policy: defaultPolicy, off } }, queue };
  };

  const work = async (self: SimProcess): Promise<void> => {
    const { ctx, queue } = openFor(self);
    const worker = { id: self.name, leaseMs: LEASE_MS };
    const on = { ...{ db: ctx.db, queue, clock: self.machine.clock, sleep: self.sleep }, signal: never };
    const runner = {
      ...{ ctx, queue, worker: self.name },
      work: (job: Job, { slot }: Slot, lost: AbortSignal) => {
        witness.begins(job.id, slot);
        sim.note(self.name, `runs ${job.name} of ${new Date(slot).toISOString()}`);
        return doWork(self, lost);
      },
    };
    for (;;) {
      try {
        await queue.recover();
        await planDueJobs(ctx, { queue, machine: self.machine.name });
        for (let claim = await queue.claim(SLOT_QUEUE, worker); claim; claim = await queue.claim(SLOT_QUEUE, worker)) {
          const held = claim;
          await workClaim(on, held, (lost) => runSlot(runner, held, lost));
        }
      } catch (error) {
        if (!(error instanceof OldhandError)) throw error;
      }
      await self.sleep(untilNextSlot() + draw(30 * SECOND));
    }
  };

  /** Real workers look each second; these know when there is something to see. */
  function untilNextSlot(): number {
    const now = storeMachine.clock.now();
    const next = Math.min(...simJobs.map((job) => nextDueTime(job, now) ?? now + DAY));
    return Math.min(next - now, sim.random() < 0.05 ? MINUTE : 6 * HOUR);
  }

  /** Mostly short, sometimes longer than the time to the next slot; sometimes it fails for days. */
  async function doWork(self: SimProcess, lost: AbortSignal): Promise<WorkResult> {
    const isLong = sim.random() < 0.004;
    await self.sleep(isLong ? 8 * HOUR + draw(HOUR) : draw(LEASE_MS), lost);
    const isBadWeek = Math.floor(sim.now() / (7 * DAY)) % 9 === 4;
    const fails = sim.random() < (isBadWeek ? 0.9 : 0.02);
    return { kind: fails ? "failed" : "ran", detail: "" };
  }

  let workers = 0;
  const startWorker = (machine: Machine) => void sim.start(machine, `worker ${++workers}`, work);
  const someWorker = () => sim.find(`worker ${workers - draw(2)}`);
  startWorker(machines[0] as Machine);
  startWorker(machines.at(-1) as Machine);

  /** Something goes wrong every few days. */
  const planTrouble = () => {
    if (sim.now() > length - CALM) return;
    const kind = draw(10);
    const hurt = someWorker();
    if (kind < 4 && hurt?.isDown === false) {
      hurt.crash();
      sim.after(draw(kind === 0 ? 4 * DAY : MINUTE), () => startWorker(hurt.machine));
    } else if (kind < 7) hurt?.pause(draw(kind === 4 ? 6 * DAY : 10 * MINUTE));
    else if (kind < 8) sim.resumeAll();
    else {
      const machine = sim.random() < 0.7 ? storeMachine : (machines[draw(machines.length)] as Machine);
      const ms = draw(4 * DAY) - 2 * DAY;
      machine.jump(ms);
      sim.after(draw(DAY), () => machine.jump(-ms));
    }
    sim.after(draw(4 * DAY), planTrouble);
  };
  sim.after(draw(4 * DAY), planTrouble);
  sim.after(length - CALM, () => {
    store.faults = noFaults;
    sim.resumeAll();
    sim.note("-", "no more faults");
    startWorker(machines[0] as Machine);
  });

  await sim.run(() => sim.now() >= length, length, options.days * STEPS_A_DAY);
  const steps = sim.steps();
  const isOver = sim.now() >= length;
  await sim.end();
  const found = await checkSlots(engine.db, { jobs: simJobs, witness, until: START + length - DAY });
  const broken = isOver ? found.broken : [`it did not come to its end in ${steps} steps`];
  return { seed, broken, story: sim.story, steps, counts: found.counts };
}

const never = new AbortController().signal;

function newJob(name: string, cron: string, zone: string, late: Job["late"]): Job {
  const work = { kind: "built-in", name: "heartbeat" } as const;
  return { id: `job_${name}`, name, cron, zone, work, late, model: null, enabled: true, madeAt: START };
}
