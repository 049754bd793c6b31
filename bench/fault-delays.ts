import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../src/lib/package-root.ts";
import { type BrokenHome, faults, makeHomeCopier } from "./faults.ts";
import { median, roundTo } from "./floor.ts";

export interface FaultDelay {
  readonly fault: string;
  readonly medianMs: number;
  /** The hook's time minus Node's own start: the delay for the host. */
  readonly delayMs: number;
  readonly longestDelayMs: number;
  /** Compared with the same hook in a healthy home. */
  readonly addedMs: number;
}

export interface FaultReport {
  readonly node: string;
  readonly rounds: number;
  readonly bareNodeMs: number;
  readonly targetMs: number;
  readonly missed: readonly string[];
  readonly left: readonly string[];
  readonly rows: readonly FaultDelay[];
}

/** The highest acceptable delay of a hook, whatever the fault. */
const TARGET_MS = 250;

/**
 * Measures what a hook costs its host under each fault. Bare Node, a healthy home and every fault run in each round.
 */
export async function benchFaults(rounds: number): Promise<FaultReport> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-faults-"));
  // Another user must be able to reach a home that it may not write.
  chmodSync(dir, 0o711);
  const possible = faults.filter((fault) => fault.impossible() === null);
  const names = ["bare node", "sound", ...possible.map((fault) => fault.name)];
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  const own: BrokenHome = { before: [], mend: () => {} };
  const newHome = await makeHomeCopier(join(dir, "template"));
  const home = (name: string) => {
    const own = join(dir, name, "mind");
    newHome(own);
    return own;
  };
  try {
    for (let round = 0; round <= rounds; round++) {
      const keep = (name: string, ms: number) => (round === 0 ? 0 : times.get(name)?.push(ms));
      keep("bare node", run(["-e", "0"], dir, own, round));
      const sound = home(`sound-${round}`);
      keep("sound", hook(sound, own, round));
      for (const [at, fault] of possible.entries()) {
        const broken = home(`${at}-${round}`);
        const made = await fault.make(broken);
        try {
          keep(fault.name, hook(broken, made, round));
        } finally {
          made.mend();
        }
      }
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const bare = median(times.get("bare node") ?? []);
  const healthy = median(times.get("sound") ?? []);
  const rows = [...times].slice(1).map(([fault, all]) => ({
    fault,
    medianMs: roundTo(median(all), 1),
    delayMs: roundTo(median(all) - bare, 1),
    longestDelayMs: roundTo(Math.max(...all) - bare, 1),
    addedMs: roundTo(median(all) - healthy, 1),
  }));
  return {
    node: process.versions.node,
    rounds,
    bareNodeMs: roundTo(bare, 1),
    targetMs: TARGET_MS,
    missed: rows.filter((row) => row.delayMs > TARGET_MS).map((row) => row.fault),
    left: faults.flatMap((fault) => (fault.impossible() === null ? [] : `${fault.name}: ${fault.impossible()}`)),
    rows,
  };
}

function hook(at: string, broken: BrokenHome, round: number): number {
  return run([join(packageRoot(), "dist", "oldhand.cjs"), "hook", "claude-code"], at, broken, round);
}

function run(words: readonly string[], at: string, broken: BrokenHome, round: number): number {
  const [file = "", ...args] = [...broken.before, process.execPath, ...words];
  const begun = performance.now();
  const { status, stderr } = spawnSync(file, args, {
    input: failure(round),
    env: { PATH: process.env["PATH"] ?? "", HOME: at, OLDHAND_HOME: at },
    cwd: tmpdir(),
    encoding: "utf8",
    ...(broken.uid === undefined ? {} : { uid: broken.uid, gid: broken.uid }),
  });
  const ms = performance.now() - begun;
  if (status !== 0 || stderr !== "") throw new Error(`${words.join(" ")} ended with ${status}: ${stderr}`);
  return ms;
}

function failure(round: number): string {
  return JSON.stringify({
    session_id: "bench",
    cwd: tmpdir(),
    transcript_path: "none",
    permission_mode: "default",
    effort: { level: "medium" },
    hook_event_name: "PostToolUseFailure",
    tool_name: "Bash",
    tool_input: { command: "git checkout mian" },
    tool_use_id: `toolu_${round}`,
    error: "Exit code 1\nerror: pathspec 'mian' did not match any file(s) known to git",
  });
}
