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

/** At least so much of the floor's speed; at most so many MB of memory. */
const TARGETS = { ratio: 0.3, rssMegabytes: 300 } as const;

export interface IngestReport {
  readonly targets: typeof TARGETS;
  readonly megabytes: number;
  readonly files: number;
  readonly events: number;
  readonly claudeCode: Speed;
  readonly neutral: Speed;
  readonly all: Speed;
  /** The command itself, on all the files at once: a process of its own, from its start to its end, what it packs up included. */
  readonly command: { readonly megabytesPerSecond: number; readonly peakRssMegabytes: number };
  /** Of this process: with the floor, and the making of the files. */
  readonly benchRssMegabytes: number;
  readonly again: { readonly newRows: number; readonly megabytesPerSecond: number };
  readonly met: boolean;
}

interface Speed {
  readonly megabytesPerSecond: number;
  /** Reading the same lines and parsing them, in the same run. */
  readonly floor: number;
  readonly ratio: number;
  /** The floor's processor time over ours, all threads: what a busy machine cannot change, and what more processors cannot help. */
  readonly cpuRatio: number;
  readonly cpuSeconds: { readonly ours: number; readonly floor: number };
  /** The same with Node's own reader of lines, which is how most programs would do it. */
  readonly readline: number;
  readonly ratioToReadline: number;
}

const contenders = ["ours", "floor", "readline"] as const;
type Contender = (typeof contenders)[number];

type Timed = Pick<TranscriptFile, "format" | "bytes"> & Readonly<Record<Contender, Time>>;

/** In milliseconds. */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

export interface IngestOptions {
  readonly megabytes: number;
  readonly say?: (line: string) => void;
}

/** Importing transcripts, secrets taken out, against reading and parsing them. */
export async function benchIngest({ megabytes, say }: IngestOptions): Promise<IngestReport> {
  const folder = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const config = configOf(join(folder, "mind.db"));
  const store = await openStore({ database: config.database, busyMs: 10_000 });
  let importers: Importers | undefined;
  try {
    say?.(`writing ${megabytes} MB of transcripts`);
    const files = writeTranscripts(join(folder, "transcripts"), megabytes);
    // One import has its threads from its beginning to its end; here it is cut into pieces, so that the floor can take turns with it.
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

/** Into a mind of its own, with an environment of its own. */
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

/** Files of one format, as many as an import has at hand at once: the floor takes the same ones. */
function splitIntoGroups(files: readonly TranscriptFile[]): readonly (readonly TranscriptFile[])[] {
  const groups: TranscriptFile[][] = [];
  for (const format of ["claude-code", "neutral"] as const) {
    const same = files.filter((file) => file.format === format);
    for (let at = 0; at < same.length; at += GROUP) groups.push(same.slice(at, at + GROUP));
  }
  return groups;
}

const GROUP = 10;

/** Whoever comes first finds the files outside the system's cache: they take turns at it. */
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

/** As the command does it. */
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

/** The plainest code that does it well: line by line, so that a rare character makes only its own line wide. */
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
