import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { OldhandError } from "../src/lib/errors.ts";
import { sleep } from "../src/lib/sleep.ts";
import { openStore } from "../src/store/open.ts";
import { roundTo } from "./floor.ts";

export interface RunMemoryOptions {
  /** The built program; the worker is a process of its own. */
  readonly program: string;
  /** How long jobs are due each second, and then how long nothing is due. */
  readonly seconds: number;
  readonly idleSeconds: number;
  readonly say?: (line: string) => void;
}

export interface RunMemoryReport {
  readonly slots: number;
  /** Megabytes, the median of each quarter of the time in which jobs were due. */
  readonly busyMb: readonly number[];
  /** The same for the time in which nothing was due. */
  readonly idleMb: readonly number[];
  /** From the second quarter on: the first includes the start. */
  readonly growthMbPer1000Slots: number;
  readonly load: readonly [number, number];
}

/** Commands and a built-in job, all due each second, as fast as a cron text allows. */
const JOBS = ["one", "two", "three"];

/** The memory of a real `oldhand run`, over many slots and then idle. */
export async function benchRunMemory(options: RunMemoryOptions): Promise<RunMemoryReport> {
  if (process.platform !== "linux")
    throw new OldhandError("unsupported", "this benchmark reads /proc, so it needs Linux");
  const say = options.say ?? (() => {});
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-run-"));
  const home = join(dir, "mind");
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, OLDHAND_HOME: home, OLDHAND_EMBEDDER: "none" };
  const oldhand = (...words: readonly string[]) =>
    execFileSync(process.execPath, [options.program, ...words, "--json"], { env, cwd: dir, encoding: "utf8" });
  const load = loadavg()[0] ?? 0;
  let worker: ChildProcess | undefined;
  try {
    for (const name of JOBS) oldhand("job", "add", name, "--cron", "* * * * * *", "--command", "echo done");
    oldhand("job", "add", "heartbeat", "--cron", "* * * * * *");
    worker = spawn(process.execPath, [options.program, "run"], { env, cwd: dir, stdio: "ignore" });
    say(`jobs are due each second, for ${options.seconds} s`);
    const busy = await sample(worker, options.seconds);
    for (const name of [...JOBS, "heartbeat"]) oldhand("job", "remove", name);
    say(`nothing is due, for ${options.idleSeconds} s`);
    const idle = await sample(worker, options.idleSeconds);
    const ran = await countRan(join(home, "mind.db"));
    const busyMb = quarters(busy);
    const [, second = 0, , last = 0] = busyMb;
    return {
      slots: ran,
      busyMb,
      idleMb: quarters(idle),
      // The medians of the second and the fourth quarter are half of the time apart.
      growthMbPer1000Slots: roundTo((last - second) / (ran / 2 / 1_000), 1),
      load: [roundTo(load, 1), roundTo(loadavg()[0] ?? 0, 1)],
    };
  } finally {
    worker?.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function countRan(database: string): Promise<number> {
  const store = await openStore({ database, busyMs: 10_000 });
  try {
    const row = await store.db.get<{ count: number }>("select count(*) as count from job_slots where fate = 'ran'");
    return Number(row?.count ?? 0);
  } finally {
    await store.close();
  }
}

async function sample(worker: ChildProcess, seconds: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let second = 0; second < seconds; second++) {
    await sleep(1_000);
    if (worker.exitCode !== null) throw new Error(`oldhand run ended with ${worker.exitCode}`);
    const status = readFileSync(`/proc/${worker.pid}/status`, "utf8");
    found.push(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024);
  }
  return found;
}

function quarters(samples: readonly number[]): readonly number[] {
  const length = Math.ceil(samples.length / 4);
  return [0, 1, 2, 3].map((n) => {
    const sorted = samples.slice(n * length, (n + 1) * length).toSorted((a, b) => a - b);
    return roundTo(sorted[Math.floor(sorted.length / 2)] ?? 0, 1);
  });
}
