import { OldhandError } from "../../src/lib/errors.ts";
import type { Db } from "../../src/store/engine/db.ts";
import type { Faults } from "./faults.ts";
import type { SimProcess, Simulation } from "./simulation.ts";

/** The one real store of a run. Transactions run one after another; what lies between their statements may fail. */
export interface SimStore {
  readonly sim: Simulation;
  readonly db: Db;
  faults: Faults;
  /** Who has a transaction open. */
  holder: SimProcess | null;
}

/** The store as one process sees it: each call is a step that may be late, fail, or fail after it had its effect. */
export function simDb(store: SimStore, process: SimProcess): Db {
  const { sim } = store;
  sim.setBusy(process, () => store.holder === process);
  const isReady = () => store.holder === null;
  const delay = () => {
    const { slow, slowMs } = store.faults;
    return Math.floor(sim.random() < slow ? sim.random() * slowMs : sim.random() * 5);
  };

  /** A request, its effect, and its answer. */
  const call = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const fault = drawFault(store);
    await process.step(what, { delay: delay(), isReady });
    if (fault === "before") throw unanswered(store, process, what);
    if (fault === "full") throw diskFull(store, process, what);
    const result = await sim.track(act);
    await process.step("gets the answer", { delay: delay(), quiet: true });
    if (fault === "after") throw unanswered(store, process, `the answer of ${what}`);
    return result;
  };

  const tx = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    const fault = drawFault(store);
    await process.step("begin", { delay: delay(), isReady, quiet: true });
    store.holder = process;
    let result: T;
    try {
      result = await store.db.tx(async (inner) => {
        const worked = await work(inTransaction(store, process, inner));
        await process.step("commit");
        if (fault === "before") throw unanswered(store, process, "commit");
        if (fault === "full") throw diskFull(store, process, "commit");
        return worked;
      });
    } finally {
      store.holder = null;
    }
    await process.step("gets the answer", { delay: delay(), quiet: true });
    if (fault === "after") throw unanswered(store, process, "the answer of commit");
    return result;
  };

  return {
    dialect: store.db.dialect,
    all: (sql, values) => call(shorten(sql), () => store.db.all(sql, values)),
    get: (sql, values) => call(shorten(sql), () => store.db.get(sql, values)),
    run: (sql, values) => call(shorten(sql), () => store.db.run(sql, values)),
    insertMany: (into, rows) => call(`insert into ${into.table}`, () => store.db.insertMany(into, rows)),
    tx,
    snapshot: (read) => tx(read),
    stream: () => {
      throw new Error("not simulated");
    },
    close: async () => {},
  };
}

/** No other process comes between the statements of a transaction, but a crash does. */
function inTransaction(store: SimStore, process: SimProcess, inner: Db): Db {
  const call = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    await process.step(what);
    return store.sim.track(act);
  };
  return {
    ...inner,
    all: (sql, values) => call(shorten(sql), () => inner.all(sql, values)),
    get: (sql, values) => call(shorten(sql), () => inner.get(sql, values)),
    run: (sql, values) => call(shorten(sql), () => inner.run(sql, values)),
    tx: (work) => inner.tx((nested) => work(inTransaction(store, process, nested))),
  };
}

function drawFault({ sim, faults }: SimStore): "before" | "after" | "full" | null {
  const drawn = sim.random();
  if (drawn < faults.failBefore) return "before";
  if (drawn < faults.failBefore + faults.failAfter) return "after";
  return drawn < faults.failBefore + faults.failAfter + faults.diskFull ? "full" : null;
}

function unanswered({ sim }: SimStore, process: SimProcess, what: string): OldhandError {
  sim.note(process.name, `gets no answer: ${what}`);
  return new OldhandError("store-unreachable", "the simulated store does not answer");
}

function diskFull({ sim }: SimStore, process: SimProcess, what: string): OldhandError {
  sim.note(process.name, `the disk is full: ${what}`);
  return new OldhandError("store-full", "the simulated disk is full");
}

const LONGEST = 72;

function shorten(sql: string): string {
  const line = sql.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
