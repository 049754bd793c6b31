import { spawnSync } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Config } from "../src/config.ts";
import { systemClock } from "../src/lib/clock.ts";
import { noProviders } from "../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../src/domain/policy.ts";
import { packageRoot } from "../src/lib/package-root.ts";
import { importManyFiles } from "../src/observe/imports/import-files.ts";
import { type Importers, openImporters } from "../src/observe/imports/importers.ts";
import type { Db } from "../src/store/engine/db.ts";
import { countEvents } from "../src/store/events/events.ts";
import { openStore } from "../src/store/open.ts";
import { roundTo } from "./floor.ts";
import { type TranscriptFile, writeTranscripts } from "./ingest-transcripts.ts";

/** Minimum speed relative to the floor; maximum memory in MB. */
const TARGETS = { ratio: 0.3, rssMegabytes: 300 } as const;

export interface IngestReport {
  readonly targets: typeof TARGETS;
  readonly megabytes: number;
  readonly files: number;
  readonly events: number;
  readonly claudeCode: Speed;
  readonly neutral: Speed;
  readonly all: Speed;
  /** The command itself on all files: one process from start to end, including packing. */
  readonly command: { readonly megabytesPerSecond: number; readonly peakRssMegabytes: number };
  /** Memory of the benchmark process, including the floor and the writing of the files. */
  readonly benchRssMegabytes: number;
  readonly again: { readonly newRows: number; readonly megabytesPerSecond: number };
  readonly met: boolean;
}

interface Speed {
  readonly megabytesPerSecond: number;
  /** Reading and parsing the same lines, in the same run. */
  readonly floor: number;
  readonly ratio: number;
  /**
   * The floor's CPU time divided by ours, over all threads: independent of other load and of the number of processors.
   */
  readonly cpuRatio: number;
  readonly cpuSeconds: { readonly ours: number; readonly floor: number };
  /** The same with Node's `readline`, which most programs would use. */
  readonly readline: number;
  readonly ratioToReadline: number;
}

const contenders = ["ours", "floor", "readline"] as const;
type Contender = (typeof contenders)[number];

type Timed = Pick<TranscriptFile, "format" | "bytes"> & Readonly<Record<Contender, Time>>;

/** Milliseconds. */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

export interface IngestOptions {
  readonly megabytes: number;
  readonly say?: (line: string) => void;
}

/** Compares importing transcripts, with redaction, to only reading and parsing them. */
export async function benchIngest({ megabytes, say }: IngestOptions): Promise<IngestReport> {
  const folder = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const config = configOf(join(folder, "mind.db"));
  const store = await openStore({ database: config.database, busyMs: 10_000 });
  let importers: Importers | undefined;
  try {
    say?.(`writing ${megabytes} MB of transcripts`);
    const files = writeTranscripts(join(folder, "transcripts"), megabytes);
    // An import has its threads from start to end. Here it is split into pieces, so that the floor can take turns with
    // it.
    importers = openImporters({ db: store.db, config, signal: neverStopped }, sumBytes(files));
    const ctx = { db: store.db, config, importers };
    say?.("importing them, a few at a time, in turn with their floor");
    const timed: Timed[] = [];
    for (const [n, group] of splitIntoGroups(files).entries()) timed.push(await timeGroup(ctx, group, n));
    const events = await countEvents(store.db);
    say?.("importing them again");
    const again = await timeAct(() => importAll(ctx, files));
    const newRows = (await countEvents(store.db)) - events;
    const all = computeSpeed(timed);
    const benchRssMegabytes = roundTo(process.resourceUsage().maxRSS / 1_000, 0);
    say?.("importing them by the command");
    const command = runCommand(folder, files);
    return {
      targets: TARGETS,
      megabytes: roundTo(sumBytes(files) / 1e6, 0),
      files: files.length,
      events,
      claudeCode: computeSpeed(timed.filter((group) => group.format === "claude-code")),
      neutral: computeSpeed(timed.filter((group) => group.format === "neutral")),
      all,
      command,
      benchRssMegabytes,
      again: { newRows, megabytesPerSecond: roundTo(sumBytes(files) / 1e3 / again.wall, 1) },
      met: all.ratio >= TARGETS.ratio && command.peakRssMegabytes < TARGETS.rssMegabytes && newRows === 0,
    };
  } finally {
    await importers?.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Imports into a separate mind, with a clean environment. */
function runCommand(folder: string, files: readonly TranscriptFile[]): IngestReport["command"] {
  const home = join(folder, "command");
  const program = join(packageRoot(), "dist", "oldhand.cjs");
  const teller = `data:text/javascript,${encodeURIComponent(TELLS_PEAK)}`;
  const words = ["import", ...files.map((file) => file.path), "--home", home, "--json"];
  const begin = performance.now();
  const ran = spawnSync(process.execPath, ["--import", teller, program, ...words], {
    env: { PATH: process.env["PATH"] ?? "", HOME: home },
    encoding: "utf8",
  });
  const took = performance.now() - begin;
  if (ran.status !== 0) throw new Error(`the import ended with ${ran.status}: ${ran.stderr}`);
  const peak = Number(/^peak (\d+)$/m.exec(ran.stderr)?.[1]);
  return {
    megabytesPerSecond: roundTo(sumBytes(files) / 1e3 / took, 1),
    peakRssMegabytes: roundTo(peak / 1_000, 0),
  };
}

const TELLS_PEAK = 'process.on("exit", () => process.stderr.write(`peak ${process.resourceUsage().maxRSS}\\n`));';

interface BenchContext {
  readonly db: Db;
  readonly config: Config;
  readonly importers: Importers;
}

/** Groups of files of one format, as many as an import processes at once; the floor gets the same groups. */
function splitIntoGroups(files: readonly TranscriptFile[]): readonly (readonly TranscriptFile[])[] {
  const groups: TranscriptFile[][] = [];
  for (const format of ["claude-code", "neutral"] as const) {
    const same = files.filter((file) => file.format === format);
    for (let at = 0; at < same.length; at += GROUP) groups.push(same.slice(at, at + GROUP));
  }
  return groups;
}

const GROUP = 10;

/** The first contender finds the files outside the system's cache, so the order rotates. */
async function timeGroup(ctx: BenchContext, files: readonly TranscriptFile[], n: number): Promise<Timed> {
  const each = (act: (path: string) => Promise<void>) => async () => {
    for (const file of files) await act(file.path);
  };
  const acts: Readonly<Record<Contender, () => Promise<unknown>>> = {
    ours: () => importAll(ctx, files),
    floor: each(readAndParse),
    readline: each(readlineAndParse),
  };
  const times: Partial<Record<Contender, Time>> = {};
  for (let i = 0; i < contenders.length; i++) {
    const name = contenders[(i + n) % contenders.length] as Contender;
    times[name] = await timeAct(acts[name]);
  }
  const { ours, floor, readline } = times as Record<Contender, Time>;
  return { bytes: sumBytes(files), format: files[0]?.format ?? "neutral", ours, floor, readline };
}

const neverStopped = new AbortController().signal;

/** Imports like the command does. */
function importAll({ db, config, importers }: BenchContext, files: readonly TranscriptFile[]): Promise<void> {
  const found = files.map(({ path, format }) => ({ path, from: format }));
  const failed = (_file: unknown, error: unknown) => {
    throw error;
  };
  return importManyFiles({ db, config, clock: systemClock, signal: neverStopped }, found, {
    filter: {},
    end: () => {},
    failed,
    importers,
  });
}

/** The simplest efficient code: line by line, so that a rare non-ASCII character widens only its own line. */
async function readAndParse(path: string): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const piece = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = piece.indexOf(0x0a); end !== -1; end = piece.indexOf(0x0a, from)) {
      JSON.parse(piece.toString("utf8", from, end));
      from = end + 1;
    }
    rest = piece.subarray(from);
  }
}

async function readlineAndParse(path: string): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(path) })) JSON.parse(line);
}

function configOf(database: string): Config {
  return {
    home: "",
    database,
    off: { everywhere: false, workspaces: [] },
    policy: defaultPolicy,
    providers: noProviders,
  };
}

async function timeAct(act: () => Promise<unknown>): Promise<Time> {
  const begin = performance.now();
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - begin, cpu: (user + system) / 1e3 };
}

function computeSpeed(files: readonly Timed[]): Speed {
  const total = (name: Contender, what: keyof Time = "wall") => files.reduce((sum, file) => sum + file[name][what], 0);
  const kilobytes = sumBytes(files) / 1e3;
  return {
    megabytesPerSecond: roundTo(kilobytes / total("ours"), 1),
    floor: roundTo(kilobytes / total("floor"), 1),
    ratio: roundTo(total("floor") / total("ours")),
    cpuRatio: roundTo(total("floor", "cpu") / total("ours", "cpu")),
    cpuSeconds: { ours: roundTo(total("ours", "cpu") / 1e3), floor: roundTo(total("floor", "cpu") / 1e3) },
    readline: roundTo(kilobytes / total("readline"), 1),
    ratioToReadline: roundTo(total("readline") / total("ours")),
  };
}

function sumBytes(files: readonly Pick<TranscriptFile, "bytes">[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}
