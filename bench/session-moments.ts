import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../src/lib/package-root.ts";
import { openContext } from "../src/mind.ts";
import { hasUnminedEvents } from "../src/store/derived/unmined-events.ts";
import { fillMind } from "./filled-mind.ts";
import { median, roundTo } from "./floor.ts";

export interface MomentDelay {
  readonly moment: string;
  readonly mind: string;
  readonly medianMs: number;
  /** The hook's time minus Node's own start: the delay for the host. */
  readonly delayMs: number;
  readonly longestDelayMs: number;
  readonly limitMs: number;
}

export interface MomentReport {
  readonly node: string;
  readonly rounds: number;
  readonly bareNodeMs: number;
  /** True if the large mind still has events to mine at the end, so that every hook was busy. */
  readonly isMiningLeft: boolean;
  readonly missed: readonly string[];
  readonly rows: readonly MomentDelay[];
}

interface Moment {
  readonly name: string;
  readonly limitMs: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** `limitMs` is the highest acceptable delay, without Node's own start. */
const moments: readonly Moment[] = [
  { name: "session start", limitMs: 300, payload: { hook_event_name: "SessionStart", source: "startup" } },
  { name: "stop", limitMs: 300, payload: { hook_event_name: "Stop", stop_hook_active: false } },
  { name: "session end", limitMs: 1_000, payload: { hook_event_name: "SessionEnd", reason: "other" } },
];

const NEW = "new";
const UNMINED = "large, nothing of it mined";

/**
 * Measures what a session's start, stop and end cost the host: in a new mind, and in a large unmined one, where every
 * hook has more work than its slice allows. All run in each round, together with a bare Node.
 */
export async function benchMoments(rounds: number, events: number, say: (line: string) => void): Promise<MomentReport> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-moments-"));
  try {
    const homes = { [NEW]: join(dir, "new"), [UNMINED]: join(dir, "unmined") };
    await fillMind(homes[NEW], 0);
    say(`storing ${events} events`);
    await fillMind(homes[UNMINED], events);
    const bare: number[] = [];
    const cases = moments.flatMap((moment) =>
      Object.entries(homes).map(([mind, home]) => ({ moment, mind, home, times: [] as number[] })),
    );
    for (let round = 0; round <= rounds; round++) {
      // The first round warms the disk cache.
      const keep = (times: number[], ms: number) => (round === 0 ? 0 : times.push(ms));
      keep(bare, run(["-e", "0"], dir, ""));
      for (const { moment, home, times } of round % 2 === 0 ? cases : cases.toReversed())
        keep(times, run([program(), "hook", "claude-code"], home, makePayload(moment, round)));
    }
    const floor = median(bare);
    const rows = cases.map(({ moment, mind, times }) => ({
      moment: moment.name,
      mind,
      medianMs: roundTo(median(times), 1),
      delayMs: roundTo(median(times) - floor, 1),
      longestDelayMs: roundTo(Math.max(...times) - floor, 1),
      limitMs: moment.limitMs,
    }));
    return {
      node: process.versions.node,
      rounds,
      bareNodeMs: roundTo(floor, 1),
      isMiningLeft: await isMiningLeft(homes[UNMINED]),
      missed: rows.filter((row) => row.delayMs > row.limitMs).map((row) => `${row.moment}, ${row.mind}`),
      rows,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function program(): string {
  return join(packageRoot(), "dist", "oldhand.cjs");
}

/** A new session id in each round, because repeated events are ignored. */
function makePayload({ payload }: Moment, round: number): string {
  return JSON.stringify({ session_id: `bench-${round}`, cwd: tmpdir(), transcript_path: "none", ...payload });
}

/** A clean environment: the caller's variables could distort the measurement. */
function run(args: readonly string[], home: string, input: string): number {
  const begun = performance.now();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, OLDHAND_HOME: home };
  const { status, stderr } = spawnSync(process.execPath, args, { input, env, encoding: "utf8" });
  const ms = performance.now() - begun;
  if (status !== 0 || stderr !== "") throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return ms;
}

async function isMiningLeft(home: string): Promise<boolean> {
  const mind = await openContext({ home, env: {} });
  const left = await hasUnminedEvents(mind.db);
  await mind.close();
  return left;
}
