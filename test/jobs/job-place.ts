import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { owner } from "../../src/domain/actor.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { sleep } from "../../src/lib/sleep.ts";
import { operationNamed, type OperationMap } from "../../src/operations.ts";
import type { Claim, Queue } from "../../src/store/engine/queue.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import { listSlots } from "../../src/store/work/slots.ts";
import { runSlot, type WorkResult } from "../../src/work/jobs/run-slot.ts";
import { listSlotQueues } from "../../src/work/jobs/slot-items.ts";
import { planDueJobs } from "../../src/work/jobs/plan-slots.ts";
import { claimFirst, workClaim } from "../../src/work/work-queue.ts";
import { quiet } from "../context.ts";
import { type TestStore, withStore } from "../stores.ts";
import { ownMachineName } from "../../src/domain/work/own-machine.ts";

/** A Friday. */
export const START = Date.parse("2026-05-01T12:00:00Z");

/** A mind with a clock that the test moves, and a worker that does what the test says. */
export interface JobPlace {
  readonly ctx: Context;
  readonly queue: Queue;
  readonly clock: ReturnType<typeof fixedClock>;
  /** The names of the jobs whose work was done, in this order. */
  readonly done: string[];
  run<Name extends keyof OperationMap>(
    name: Name,
    input: OperationMap[Name]["input"],
  ): Promise<OperationMap[Name]["output"]>;
  /** Adds a job that runs every hour, unless `more` says otherwise. */
  add(name: string, more?: Partial<OperationMap["job add"]["input"]>): Promise<void>;
  plan(): Promise<void>;
  claim(worker?: string): Promise<Claim | null>;
  /** Does claimed work. */
  work(claim: Claim, result?: WorkResult | Promise<WorkResult>): Promise<void>;
  /** Plans, then does all work that is due. */
  tick(result?: WorkResult): Promise<void>;
  /** `12:00 ran`, oldest first. */
  fates(): Promise<readonly string[]>;
}

export function withJobs(kind: TestStore, act: (place: JobPlace) => Promise<void>): Promise<void> {
  return withStore(kind, async (store) => {
    const home = mkdtempSync(join(tmpdir(), "oldhand-jobs-"));
    const clock = fixedClock(START);
    const config = loadConfig({ home, env: { OLDHAND_EMBEDDER: "none", PATH: process.env["PATH"] } });
    const ctx: Context = { ...quiet, db: store.db, store, config, clock, actor: owner };
    // A server has a clock of its own; here the test moves it.
    const queues = listSlotQueues(ownMachineName(config));
    const queue = { ...(await openQueue(store, { queues, clock })), now: async () => clock.now() };
    try {
      await act(newJobPlace(ctx, queue, clock));
    } finally {
      await queue.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
}

const ran: WorkResult = { kind: "ran", detail: "done" };
export const failed: WorkResult = { kind: "failed", detail: "exit 1" };

function newJobPlace(ctx: Context, queue: Queue, clock: ReturnType<typeof fixedClock>): JobPlace {
  const done: string[] = [];
  const machine = ownMachineName(ctx.config);
  const place: JobPlace = {
    ...{ ctx, queue, clock, done },
    run: async (name, input) => {
      const found = operationNamed(name);
      return (await found.run(ctx, found.input.parse(input))) as never;
    },
    add: async (name, more = {}) => {
      await place.run("job add", { name, cron: "0 * * * *", command: "true", zone: "UTC", ...more });
    },
    plan: () => planDueJobs(ctx, { queue, machine }),
    claim: (worker = "w1") => claimFirst(queue, listSlotQueues(machine), { id: worker, leaseMs: 30_000 }),
    work: async (claim, result = ran) => {
      const work = async (job: { readonly name: string }) => {
        done.push(job.name);
        return result;
      };
      const runner = { ctx, queue, worker: claim.worker, work };
      await workClaim({ db: ctx.db, queue, clock, sleep, signal: ctx.signal }, claim, (lost) =>
        runSlot(runner, claim, lost),
      );
    },
    tick: async (result) => {
      await place.plan();
      for (let claim = await place.claim(); claim !== null; claim = await place.claim())
        await place.work(claim, result);
    },
    fates: async () => {
      const slots = await listSlots(ctx.db, { since: 0, until: Number.MAX_SAFE_INTEGER, limit: 1_000 });
      return slots.toReversed().map(({ slot, fate, reason, isLate }) => {
        const time = new Date(slot).toISOString().slice(11, 16);
        return `${time} ${reason ?? fate}${isLate ? " late" : ""}`;
      });
    },
  };
  return place;
}
