import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { refreshDerived } from "../src/distil/maintenance/refresh-derived.ts";
import { distil } from "../src/distil/mining/distil.ts";
import { systemClock } from "../src/lib/clock.ts";
import { openContext, type OpenMind } from "../src/mind.ts";
import type { NewEvent } from "../src/domain/event/event.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { listRules } from "../src/store/nouns/rules.ts";
import { listSessions } from "../src/store/sessions/sessions.ts";
import { makeHistory } from "./made-history.ts";
import { runOperation } from "./run-operation.ts";

/** A filled and closed mind, with ids to open in it. */
export interface FilledMind {
  readonly events: number;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Seconds to store, to compute derived data, and to distil. */
  readonly seconds: { readonly stored: number; readonly derived: number; readonly distilled: number };
  readonly session: string;
  readonly rule: string | null;
  readonly candidates: number;
  dropDatabase(): Promise<void>;
}

const BATCH = 5_000;

/**
 * Stores a generated history, refreshes derived data as an import does, and distils. On SQLite, an existing one is
 * reused.
 */
export async function fillDashboardMind(dir: string, events: number, postgres: string | null): Promise<FilledMind> {
  const home = join(dir, `home-${events}`);
  const note = join(home, "filled.json");
  mkdirSync(home, { recursive: true });
  const made = postgres === null ? null : await newBenchDatabase(postgres);
  const mind = await openContext({ home, env: {}, ...(made === null ? {} : { database: made.database }) });
  try {
    if (made !== null || !existsSync(note)) writeFileSync(note, JSON.stringify(await fill(mind, events)));
    const rules = await listRules(mind.db);
    const [session] = await listSessions(mind.db, { limit: 1 });
    return {
      events,
      home,
      env: { HOME: home, OLDHAND_HOME: home, ...(made === null ? {} : { OLDHAND_DATABASE: made.database }) },
      seconds: JSON.parse(readFileSync(note, "utf8")) as FilledMind["seconds"],
      session: session?.id ?? "",
      rule: rules.find((rule) => rule.matcher !== null)?.id ?? null,
      candidates: rules.filter((rule) => rule.status === "candidate").length,
      dropDatabase: async () => made?.drop(),
    };
  } finally {
    await mind.close();
  }
}

async function fill(mind: OpenMind, events: number): Promise<FilledMind["seconds"]> {
  return {
    stored: await seconds(() => store(mind.db, events)),
    derived: await seconds(() => refreshDerived(mind)),
    distilled: await seconds(async () => {
      await distil(mind, { write: true });
      // A small mind may have no mined rule, but the rule page needs one.
      await runOperation(mind, "learn", { text: "Name the target.", command: "terraform apply", level: "nudge" });
      await refreshDerived(mind);
    }),
  };
}

async function store(db: Parameters<typeof appendEvents>[0], events: number): Promise<void> {
  let waiting: NewEvent[] = [];
  for (const session of makeHistory(events, systemClock.now())) {
    waiting.push(...session);
    if (waiting.length < BATCH) continue;
    await appendEvents(db, waiting);
    waiting = [];
  }
  await appendEvents(db, waiting);
}

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return Number(((performance.now() - begun) / 1_000).toFixed(1));
}

export async function newBenchDatabase(address: string): Promise<{ readonly database: string; drop(): Promise<void> }> {
  const name = `oldhand_bench_${randomUUID().slice(0, 8)}`;
  const admin = async (sql: string) => {
    const client = new pg.Client({ connectionString: `${address}/postgres` });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await admin(`create database ${name}`);
  return { database: `${address}/${name}`, drop: () => admin(`drop database if exists ${name} with (force)`) };
}
