import type { Db } from "../../src/store/engine/db.ts";
import type { Claim, Queue, WorkItems } from "../../src/store/engine/queue.ts";
import type { Machine, SimProcess, Simulation } from "../core/simulation.ts";

interface Hold {
  readonly claim: Claim;
  readonly process: SimProcess;
  readonly epoch: number;
  /** By the store's clock, at the earliest. */
  until: number;
}

/** Observes what the queue grants and accepts in one run, and notes each broken promise. */
export function newWitness(sim: Simulation, storeMachine: Machine) {
  const broken: string[] = [];
  const holds = new Map<string, Hold>();
  const granted = new Map<string, string>();
  /** Restores so far: each begins the attempts anew. */
  let epoch = 0;
  /** Jumps of the store's clock so far: a lease that was asked for before a jump is not measured. */
  let jumps = 0;
  const now = () => storeMachine.clock.now();
  const breaks = (what: string) => {
    sim.note("!", what);
    broken.push(what);
  };

  const noteGrant = (claim: Claim, process: SimProcess, asked: { at: number; jumps: number; epoch: number }) => {
    const key = `${asked.epoch} ${claim.item} ${claim.attempt}`;
    const other = granted.get(key);
    if (other !== undefined && other !== claim.token)
      breaks(`attempt ${claim.attempt} of ${claim.item} was granted twice`);
    granted.set(key, claim.token);
    const before = holds.get(claim.item);
    const isNewer = before === undefined || before.epoch < asked.epoch || before.claim.attempt < claim.attempt;
    if (!isNewer) return;
    if (before !== undefined && before.epoch === asked.epoch && !before.process.isDown && before.until > now())
      breaks(`${process.name} got ${claim.item} while ${before.process.name} held it`);
    const until = asked.jumps === jumps ? asked.at + claim.leaseMs : 0;
    holds.set(claim.item, { claim, process, epoch: asked.epoch, until });
  };

  return {
    broken,
    breaks,
    noteJump: (ms: number) => {
      jumps++;
      if (ms < 0) for (const hold of holds.values()) hold.until = Math.min(hold.until, now());
    },
    watchItems: (items: WorkItems): WorkItems => ({
      ...items,
      clear: async (tx) => {
        epoch++;
        await items.clear(tx);
      },
    }),
    watchQueue: (queue: Queue, process: SimProcess): Queue => ({
      ...queue,
      claim: async (name, worker) => {
        const asked = { at: now(), jumps, epoch };
        const claim = await queue.claim(name, worker);
        // A restore came between: which of the two it was is not known.
        if (claim !== null && asked.epoch === epoch) noteGrant(claim, process, asked);
        return claim;
      },
      beat: async (claim) => {
        const asked = { at: now(), jumps };
        const isHeld = await queue.beat(claim);
        const hold = holds.get(claim.item);
        if (isHeld && hold?.claim.token === claim.token && asked.jumps === jumps)
          hold.until = Math.max(hold.until, asked.at + claim.leaseMs);
        return isHeld;
      },
      settle: async (tx, claim, settlement) => {
        if (holds.get(claim.item)?.claim.token === claim.token) holds.delete(claim.item);
        const row = await tx.get<{ token: string }>("select token from claims where queue = ? and item = ?", [
          claim.queue,
          claim.item,
        ]);
        const isAccepted = await queue.settle(tx, claim, settlement);
        if (isAccepted && row?.token !== claim.token)
          breaks(`${process.name} settled ${claim.item}, which was no longer its own`);
        return isAccepted;
      },
    }),
    /** At the end nothing waits and nothing is held: each piece of work is recorded once, or dead. */
    checkEnd: async (db: Db, dead: number, isOver: boolean): Promise<void> => {
      const work = await db.all<{ item: string }>("select item from sim_work order by item");
      const records = await db.all<{ item: string; count: number }>(
        "select item, count(*) as count from sim_records where kind = 'done' group by item order by item",
      );
      for (const { item, count } of records) if (count > 1) breaks(`${item} was recorded ${count} times`);
      const known = new Set(work.map(({ item }) => item));
      for (const { item } of records) if (!known.has(item)) breaks(`${item} was never enqueued, and was done`);
      if (!isOver) breaks("some work never ended");
      else if (records.length + dead !== work.length)
        breaks(`of ${work.length} pieces of work ${records.length} are recorded and ${dead} dead`);
    },
  };
}
