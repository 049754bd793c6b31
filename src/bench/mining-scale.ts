import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { distil } from "../distil/distil.ts";
import { defaultPolicy } from "../domain/policy.ts";
import type { NewEvent } from "../domain/event.ts";
import { readCall } from "../domain/reading.ts";
import { DAY } from "../lib/clock.ts";
import { hashText } from "../lib/hash.ts";
import { openContext } from "../mind.ts";
import { neutralEvent } from "../observe/imports/neutral.ts";
import { workspaceOf } from "../observe/workspace.ts";
import { digest } from "../store/digest.ts";
import { appendEvents } from "../store/events.ts";
import { listRules } from "../store/rules.ts";
import { unzip } from "./data.ts";

const BATCH = 5_000;
const MORE = 1_000;

export interface Scale {
  readonly events: number;
  readonly full: Took & { readonly rssMb: number; readonly rules: number };
  readonly incremental: Took & { readonly newEvents: number };
  readonly nothingNew: Took;
  /** Of all rules: the same on the next run of the same size. */
  readonly sameAs: string;
}

/** The recorded calls over and over, each round as other sessions of a later day: what distilling a large mind costs. */
export async function measureScale(folder: string, events: number, say: (line: string) => void): Promise<Scale> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-scale-"));
  const mind = await openContext({ home, now: "2030-01-01T00:00:00Z" });
  try {
    const recorded = readdirSync(folder)
      .filter((name) => /^traj_.*\.jsonl\.gz$/.test(name))
      .toSorted()
      .flatMap((name) => unzip(join(folder, name)).split("\n"))
      .flatMap(eventIn);
    await fill(mind.db, recorded, 0, events);
    say(`${events} events stored`);
    await digest(mind.db);
    say("digested; distilling");
    const peak = watchMemory();
    const full = await timed(() => distil(mind, { write: true }));
    const rssMb = peak();
    await fill(mind.db, recorded, events, MORE);
    await digest(mind.db);
    const incremental = await timed(() => distil(mind, { write: true }));
    const nothingNew = await timed(() => distil(mind, { write: true }));
    const rules = await listRules(mind.db);
    return {
      events,
      full: { ...full, rssMb, rules: rules.length },
      incremental: { ...incremental, newEvents: MORE },
      nothingNew,
      sameAs: hashText(JSON.stringify(rules)),
    };
  } finally {
    await mind.close();
    rmSync(home, { recursive: true });
  }
}

function eventIn(line: string): readonly NewEvent[] {
  const event = line === "" ? null : neutralEvent(JSON.parse(line), defaultPolicy.observe);
  if (event === null) return [];
  const whole = { ...event, workspace: workspaceOf(event.cwd) };
  return [{ ...whole, ...readCall(whole) }];
}

async function fill(
  db: Parameters<typeof appendEvents>[0],
  recorded: readonly NewEvent[],
  from: number,
  count: number,
): Promise<void> {
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

interface Took {
  readonly seconds: number;
  /** Of this process: what the clock shows on a machine that others use says little. */
  readonly cpuSeconds: number;
}

async function timed(work: () => Promise<unknown>): Promise<Took> {
  const [from, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: Number(process.hrtime.bigint() - from) / 1e9, cpuSeconds: (user + system) / 1e6 };
}

function watchMemory(): () => number {
  let most = 0;
  const look = () => {
    most = Math.max(most, process.memoryUsage().rss);
  };
  const timer = setInterval(look, 50);
  return () => {
    look();
    clearInterval(timer);
    return Math.round(most / 1e6);
  };
}
