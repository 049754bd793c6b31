import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultPolicy } from "../src/domain/policy.ts";
import type { NewEvent } from "../src/domain/event/event.ts";
import { readCall } from "../src/domain/cause/read-call.ts";
import { DAY } from "../src/lib/clock.ts";
import { hashText } from "../src/lib/hash.ts";
import { packageRoot } from "../src/lib/package-root.ts";
import { openContext } from "../src/mind.ts";
import { parseNeutralEvent } from "../src/observe/imports/neutral.ts";
import type { Db } from "../src/store/engine/db.ts";
import { digest } from "../src/store/derived/digest.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { listRules } from "../src/store/nouns/rules.ts";
import { unzip } from "./data.ts";

const BATCH = 5_000;
const MORE = 1_000;

export interface Scale {
  readonly events: number;
  /** Preparation, not part of distilling: storing parsed events, and their digest. */
  readonly before: { readonly storedSeconds: number; readonly digestedSeconds: number };
  readonly full: ResourceUse & { readonly rules: number };
  readonly incremental: ResourceUse & { readonly newEvents: number };
  readonly nothingNew: ResourceUse;
  /** A hash of all rules; equal for runs of the same size. */
  readonly sameAs: string;
}

/**
 * Repeats the recorded calls, each round as new sessions on a later day, and measures what distilling a large mind
 * costs. Each run is a separate process: `oldhand distil --write`.
 */
export async function measureScale(folder: string, events: number, say: (line: string) => void): Promise<Scale> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-scale-"));
  try {
    const recorded = readdirSync(folder)
      .filter((name) => /^traj_.*\.jsonl\.gz$/.test(name))
      .toSorted()
      .flatMap((name) => unzip(join(folder, name)).split("\n"))
      .flatMap(parseEvent);
    const before = await withMind(home, (db) => store(db, recorded, 0, events));
    say(`${events} events stored; distilling`);
    const full = runDistil(home);
    await withMind(home, (db) => store(db, recorded, events, MORE));
    const incremental = runDistil(home);
    const nothingNew = runDistil(home);
    const rules = await withMind(home, listRules);
    return {
      events,
      before,
      full: { ...full, rules: rules.length },
      incremental: { ...incremental, newEvents: MORE },
      nothingNew,
      sameAs: hashText(JSON.stringify(rules)),
    };
  } finally {
    rmSync(home, { recursive: true });
  }
}

const NOW = "2030-01-01T00:00:00Z";

/** Closed immediately, because another process works on the mind next. */
async function withMind<T>(home: string, work: (db: Db) => Promise<T>): Promise<T> {
  const mind = await openContext({ home, now: NOW });
  try {
    return await work(mind.db);
  } finally {
    await mind.close();
  }
}

async function store(db: Db, recorded: readonly NewEvent[], from: number, count: number): Promise<Scale["before"]> {
  const start = process.hrtime.bigint();
  await fill(db, recorded, from, count);
  const filled = process.hrtime.bigint();
  await digest(db);
  return {
    storedSeconds: Number(filled - start) / 1e9,
    digestedSeconds: Number(process.hrtime.bigint() - filled) / 1e9,
  };
}

function parseEvent(line: string): readonly NewEvent[] {
  const event = line === "" ? null : parseNeutralEvent(JSON.parse(line), defaultPolicy.observe);
  if (event === null) return [];
  return [{ ...event, ...readCall(event) }];
}

async function fill(db: Db, recorded: readonly NewEvent[], from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += BATCH) {
    const rows: NewEvent[] = [];
    for (let i = at; i < Math.min(at + BATCH, from + count); i++) {
      const one = recorded[i % recorded.length] as NewEvent;
      const round = Math.floor(i / recorded.length);
      rows.push({ ...one, session: `${one.session}-${round}`, at: one.at + round * DAY });
    }
    await appendEvents(db, rows);
  }
}

interface ResourceUse {
  /** From the start of the program to its end. */
  readonly seconds: number;
  /** CPU time of that process; wall time says little on a busy machine. */
  readonly cpuSeconds: number;
  /** Peak resident memory and peak heap. */
  readonly rssMb: number;
  readonly heapMb: number;
}

/** Loaded into the program's process first; writes its resource use at exit. */
const gauge = `import { writeFileSync } from "node:fs";
let heap = 0;
setInterval(() => { heap = Math.max(heap, process.memoryUsage().heapUsed); }, 50).unref();
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const told = { seconds: performance.now() / 1e3, cpuSeconds: (user + system) / 1e6,
    rssMb: Math.round((process.resourceUsage().maxRSS * 1024) / 1e6), heapMb: Math.round(heap / 1e6) };
  writeFileSync(process.argv.at(-1).slice("--home=".length) + "/took.json", JSON.stringify(told));
});`;

function runDistil(home: string): ResourceUse {
  const program = join(packageRoot(), "dist", "oldhand.cjs");
  execFileSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(gauge)}`,
      program,
      "distil",
      "--write",
      `--now=${NOW}`,
      `--home=${home}`,
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  return JSON.parse(readFileSync(join(home, "took.json"), "utf8")) as ResourceUse;
}
