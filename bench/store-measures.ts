import type { NewEvent } from "../src/domain/event/event.ts";
import type { Db } from "../src/store/engine/db.ts";
import {
  appendEvent,
  appendEvents,
  listSessionEvents,
  listFailuresBySignature,
  getEvent,
} from "../src/store/events/events.ts";
import { makeEvent, makeSessionId, makeSignature } from "./store-events.ts";

/** Minimum speed relative to the floor; maximum cost in the largest mind relative to the smallest. */
export const STORE_TARGETS = { ratio: 0.6, flatness: 1.5 } as const;

export const measures = ["singleInserts", "batchedIngest", "eventById", "sessionPage", "failuresBySignature"] as const;
export type Measure = (typeof measures)[number];

export interface FloorComparison {
  /** Events stored, or queries answered, per second. */
  readonly ours: number;
  readonly floor: number;
  readonly ratio: number;
}

export interface TimedBlock {
  act(): Promise<void>;
  after?(): Promise<void>;
}

export type TimedBlocks = Readonly<Record<Measure, TimedBlock>>;

/** The minds of one store, one of each size, each twice: ours and the floor's. */
export interface BenchMinds {
  readonly of: readonly { readonly size: number; readonly ours: TimedBlocks; readonly floor: TimedBlocks }[];
  /** How many events or queries make up a block. */
  readonly pieces: Readonly<Record<Measure, number>>;
  readonly say: (line: string) => void;
  remove(): Promise<void>;
}

export const INGEST_BATCH_SIZE = 500;
export const SESSION_PAGE_SIZE = 50;

/** The operations that both sides implement in their own way. */
export interface StoreDriver {
  insert(event: NewEvent): Promise<unknown>;
  ingest(batch: readonly NewEvent[]): Promise<unknown>;
  byId(id: number): Promise<unknown>;
  page(session: string): Promise<unknown>;
  failures(signature: string): Promise<unknown>;
  /** Deletes the events after the first `size`. */
  reset(size: number): Promise<unknown>;
}

export function makeOwnDriver(db: Db, reset: StoreDriver["reset"]): StoreDriver {
  return {
    insert: (event) => appendEvent(db, event),
    ingest: (batch) => appendEvents(db, batch),
    byId: (id) => getEvent(db, id),
    page: (session) =>
      listSessionEvents(db, { host: "claude-code", id: session }, { after: -1, limit: SESSION_PAGE_SIZE }),
    failures: (signature) => listFailuresBySignature(db, signature, 20),
    reset,
  };
}

export function makeEvents(from: number, count: number): NewEvent[] {
  return Array.from({ length: count }, (_, i) => makeEvent(from + i));
}

/** Events and query inputs are created beforehand, so that only storing and querying is measured. */
export function makeBlocks(hand: StoreDriver, size: number, pieces: BenchMinds["pieces"]): TimedBlocks {
  const reset = async () => void (await hand.reset(size));
  const singles = makeEvents(size, pieces.singleInserts);
  const batches = Array.from({ length: pieces.batchedIngest / INGEST_BATCH_SIZE }, (_, i) =>
    makeEvents(size + i * INGEST_BATCH_SIZE, INGEST_BATCH_SIZE),
  );
  const questions = Array.from({ length: 4_096 }, makeScatter(size));
  return {
    singleInserts: { act: () => each(singles, hand.insert), after: reset },
    batchedIngest: { act: () => each(batches, hand.ingest), after: reset },
    eventById: makeQueryBlock(
      pieces.eventById,
      questions.map((n) => n + 1),
      hand.byId,
    ),
    sessionPage: makeQueryBlock(pieces.sessionPage, questions.map(makeSessionId), hand.page),
    failuresBySignature: makeQueryBlock(pieces.failuresBySignature, questions.map(makeSignature), hand.failures),
  };
}

function makeQueryBlock<T>(count: number, questions: readonly T[], ask: (question: T) => Promise<unknown>): TimedBlock {
  let next = 0;
  return {
    act: () => {
      const from = next;
      next = (next + count) % (questions.length - count);
      return each(questions.slice(from, from + count), ask);
    },
  };
}

async function each<T>(things: readonly T[], act: (thing: T) => Promise<unknown>): Promise<void> {
  for (const thing of things) await act(thing);
}

/** Pseudo-random numbers below the size, the same for every side. */
function makeScatter(size: number): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * size);
  };
}
