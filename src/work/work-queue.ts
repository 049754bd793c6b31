import { beatDelayMs, retryDelayMs } from "../domain/work/queue.ts";
import type { Clock } from "../lib/clock.ts";
import { errorMessage, OldhandError } from "../lib/errors.ts";
import type { Db } from "../store/engine/db.ts";
import type { Claim, Queue, Settlement } from "../store/engine/queue.ts";

export interface ClaimWorker {
  readonly db: Db;
  readonly queue: Queue;
  readonly clock: Clock;
  /** Ends early when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborted: the worker ends after its current piece of work. */
  readonly signal: AbortSignal;
  /** Work that failed, a claim that was lost. The worker goes on. */
  onTrouble?(text: string): void;
  /** The store does not answer; it is asked again. */
  onOutage?(text: string): void;
  /** A piece of work in words, for `onTrouble`. */
  describe?(item: string): string;
  /** What all loops of this worker know of the store. */
  readonly outage?: Outage | undefined;
}

/** When the store did not answer last; null: it always did. */
export interface Outage {
  at: number | null;
  /** Since when the process waits for it; absent if it answered at the start. */
  since?: number;
}

export interface QueueWorker extends ClaimWorker {
  /** The queues it takes work from, the first one first. */
  readonly names: readonly string[];
  /** Those of them that it takes work from now; all by default. */
  served?(): readonly string[];
  readonly worker: { readonly id: string; readonly leaseMs: number };
  /** Does one piece of work. Its signal aborts when the claim was lost: nothing it does then counts. */
  perform(claim: Claim, signal: AbortSignal): Promise<Performed>;
}

export interface Performed {
  readonly settlement: Settlement;
  /** Writes the record of the work, in one transaction with its settlement. */
  record?(tx: Db): Promise<void>;
}

/** How long an idle worker waits at most, and how often it looks for work of dead workers. */
const PAUSE_MS = 1_000;

/** Takes work from its queues, a piece at a time, until the signal aborts. */
export async function workQueue(given: QueueWorker): Promise<void> {
  const on = { ...given, outage: given.outage ?? { at: null } };
  const bell = newBell();
  const watch = await insist(on, () => on.queue.watch(on.names, bell.ring));
  let recoveredAt = Number.NEGATIVE_INFINITY;
  while (!on.signal.aborted) {
    await insist(on, async () => {
      // The clock may go back.
      if (Math.abs(on.clock.now() - recoveredAt) >= PAUSE_MS && !isJustBack(on)) {
        await on.queue.recover();
        recoveredAt = on.clock.now();
      }
      bell.mute();
      const claim = await claimFirst(on.queue, on.served?.() ?? on.names, on.worker);
      if (claim !== null) await workClaim(on, claim, (lost) => on.perform(claim, lost));
      else if (!on.signal.aborted) await on.sleep(PAUSE_MS, bell.signal());
    });
  }
  await watch?.close();
}

/**
 * Leases ended while the store was away, and nobody could say that they live: for one lease after it is back, their
 * owners settle and beat first.
 */
function isJustBack({ outage, clock, worker }: Pick<QueueWorker, "outage" | "clock" | "worker">): boolean {
  const at = outage?.at ?? null;
  return at !== null && Math.abs(clock.now() - at) < worker.leaseMs;
}

/** The next piece of work of the first queue that has one. */
export async function claimFirst(
  queue: Queue,
  names: readonly string[],
  worker: QueueWorker["worker"],
): Promise<Claim | null> {
  for (const name of names) {
    const claim = await queue.claim(name, worker);
    if (claim !== null) return claim;
  }
  return null;
}

/** A store that does not answer is asked again, until the signal aborts; anything else is a bug. */
async function insist<T>(on: ClaimWorker, act: () => Promise<T>): Promise<T | undefined> {
  // Once in any case: a worker that ends must still write what its last piece of work came to.
  do {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof OldhandError)) throw error;
      noteOutage(on);
      on.onOutage?.(error.message);
      await on.sleep(PAUSE_MS, on.signal);
    }
  } while (!on.signal.aborted);
  return undefined;
}

function noteOutage({ outage, clock }: Pick<ClaimWorker, "outage" | "clock">): void {
  if (outage !== undefined) outage.at = clock.now();
}

/** Why work ends early, for its record. */
const TAKEN = "its claim was lost: another worker records its end";
const UNREACHED = "its worker lost the database";

/**
 * Does one claimed piece of work and settles it. The signal of `perform` aborts when the claim was lost, or may be
 * because the store did not answer for a whole lease. Then the store decides, when it is back.
 */
export async function workClaim(
  given: ClaimWorker,
  claim: Claim,
  perform: (lost: AbortSignal) => Promise<Performed>,
): Promise<void> {
  const on = { ...given, outage: given.outage ?? { at: null } };
  const begunAt = on.clock.now();
  const lost = new AbortController();
  const ended = new AbortController();
  const [performed] = await Promise.all([
    performOr(on, claim, () => perform(lost.signal)).finally(() => ended.abort()),
    keepBeating(on, claim, { lost, ended: ended.signal }),
  ]);
  if (lost.signal.reason === TAKEN) return tellLost(on, claim, begunAt);
  // Asked again if the store does not answer: if the first time had an effect, the second is refused.
  await insist(on, () => settleWith(on, claim, performed, begunAt));
}

async function settleWith(
  on: ClaimWorker,
  claim: Claim,
  { settlement, record }: Performed,
  begunAt: number,
): Promise<void> {
  try {
    await on.db.tx(async (tx) => {
      // First, because it locks the claim: nobody takes the work while its record is written.
      if (!(await on.queue.settle(tx, claim, settlement))) throw new ClaimLost();
      await record?.(tx);
    });
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error;
    tellLost(on, claim, begunAt);
  }
}

function tellLost(on: ClaimWorker, { item }: Claim, begunAt: number): void {
  const at = on.outage?.at ?? null;
  on.onTrouble?.(
    at !== null && at >= begunAt
      ? `${describe(on, item)}: the database was away longer than the lease; another worker recorded it as failed. This result is not kept`
      : `${describe(on, item)}: lost to another worker, because this one gave no sign of life in time; its result does not count`,
  );
}

function describe(on: ClaimWorker, item: string): string {
  return on.describe?.(item) ?? item;
}

/** Rolls back the transaction: nothing of a lost claim is written. */
class ClaimLost extends Error {}

/** Work that throws is tried again later. */
async function performOr(on: ClaimWorker, claim: Claim, perform: () => Promise<Performed>): Promise<Performed> {
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    on.onTrouble?.(`${describe(on, claim.item)} failed, and is tried again: ${error.message}`);
    const afterMs = retryDelayMs(claim.attempt);
    return { settlement: { kind: "again", afterMs, reason: errorMessage(error) } };
  }
}

async function keepBeating(
  on: ClaimWorker,
  claim: Claim,
  { lost, ended }: { readonly lost: AbortController; readonly ended: AbortSignal },
): Promise<void> {
  let heardAt = on.clock.now();
  for (;;) {
    await on.sleep(beatDelayMs(claim.leaseMs), ended);
    if (ended.aborted) return;
    const sentAt = on.clock.now();
    const answer = await on.queue.beat(claim).catch((error: unknown) => {
      if (!(error instanceof OldhandError)) throw error;
      noteOutage(on);
      return null;
    });
    if (answer === true) heardAt = sentAt;
    if (answer === false) return lost.abort(TAKEN);
    // Without an answer for a whole lease, somebody else may have the work.
    if (on.clock.now() - heardAt > claim.leaseMs) return lost.abort(UNREACHED);
  }
}

/** Wakes a worker that waits. A ring while it looks for work is not lost. */
function newBell() {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    mute: () => {
      if (rung.signal.aborted) rung = new AbortController();
    },
    signal: () => rung.signal,
  };
}
