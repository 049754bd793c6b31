import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  type WriteStream,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream";
import { pipeline as pipelineDone } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { MINUTE, systemClock } from "../lib/clock.ts";
import { OldhandError, systemErrorCode } from "../lib/errors.ts";
import { isRecord, tryParseJson } from "../lib/json.ts";
import { isProcessRunning } from "../lib/process-ref.ts";
import type { Db, SqlValue } from "./engine/db.ts";
import { markCallsRestored } from "./derived/reread-calls.ts";
import { rebuildMemoryWordIndex } from "./nouns/memories.ts";
import { backupTables, listOwnTables, metaKeys } from "./state/tables.ts";

const FORMAT = "oldhand-backup-1";
const BATCH = 500;
const PIECE = 1 << 16;
/** No row is nearly this long. */
const LONGEST_ROW = 256_000_000;

export type TableCounts = Readonly<Record<string, number>>;

/**
 * Writes a whole mind to one gzipped file of JSON lines, the same for both databases, so that either can
 * restore it. `tables.ts` declares its tables; derived data is left out and computed again. Consistent during
 * concurrent writes: everything is read in one snapshot. The file appears only when complete.
 */
export async function writeBackup(
  db: Db,
  path: string,
  /** Called every few hundred rows. If it throws, the backup ends and no file is written. */
  watch: { onRows?(done: { readonly table: string; readonly rows: number }): void } = {},
): Promise<TableCounts> {
  const partial = `${path}.${process.pid}.partial`;
  removeStale(path);
  const counts: Record<string, number> = {};
  const opened: WriteStream[] = [];
  try {
    await db.snapshot((view) => {
      const file = createWriteStream(partial, { mode: 0o600 });
      opened.push(file);
      return pipelineDone(joinIntoChunks(dumpLines(view, counts, watch)), createGzip(), file);
    });
    renameSync(partial, path);
    return counts;
  } catch (cause) {
    // Wait for it to close: a file still being opened would appear after the removal.
    for (const file of opened) if (!file.closed) await new Promise<void>((done) => file.once("close", () => done()));
    rmSync(partial, { force: true });
    throw unwritableError(path, cause);
  }
}

/** Removes partial files of killed backups to this path. Those under a minute old may be another machine's. */
function removeStale(path: string): void {
  const folder = dirname(resolve(path));
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(`${basename(path)}.`) ? /\.(\d+)\.partial$/.exec(name)?.[1] : undefined;
    if (pid === undefined || name !== `${basename(path)}.${pid}.partial` || isProcessRunning(Number(pid))) continue;
    const left = join(folder, name);
    const changedAt = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (systemClock.now() - changedAt > MINUTE) rmSync(left, { force: true });
  }
}

async function* dumpLines(
  view: Db,
  counts: Record<string, number>,
  watch: Parameters<typeof writeBackup>[2] & object,
): AsyncIterable<string> {
  const hash = createHash("sha256");
  const hashed = (line: string) => {
    hash.update(line);
    return line;
  };
  yield hashed(JSON.stringify({ format: FORMAT }));
  for (const table of backupTables) {
    let count = 0;
    for await (const row of view.stream(`select * from ${table.name} order by ${table.order}`)) {
      if (count++ === 0) yield hashed(JSON.stringify({ table: table.name, columns: Object.keys(row) }));
      yield hashed(JSON.stringify(Object.values(row).map(encodeValue)));
      if (count % BATCH === 0) watch.onRows?.({ table: table.name, rows: count });
    }
    counts[table.name] = count;
  }
  yield JSON.stringify({ end: true, counts, sha256: hash.digest("hex") });
}

/** JSON cannot represent bytes. */
function encodeValue(value: SqlValue): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value;
}

function decodeValue(value: unknown): SqlValue {
  return isRecord(value) ? Buffer.from(String(value["base64"]), "base64") : (value as SqlValue);
}

/** Joins lines into pieces worth compressing: compressing single lines would cost more than all the rest. */
async function* joinIntoChunks(lines: AsyncIterable<string>): AsyncIterable<string> {
  let piece = "";
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** The number of rows per table that a backup of this mind would have. */
export async function countRows(db: Db): Promise<TableCounts> {
  const counts: Record<string, number> = {};
  for (const { name } of backupTables) {
    const row = await db.get<{ count: number }>(`select count(*) as count from ${name}`);
    counts[name] = Number(row?.count ?? 0);
  }
  return counts;
}

/** Replaces the mind by the file's contents, in one transaction: after any error the mind is unchanged. */
export async function restoreBackup(
  db: Db,
  path: string,
  /** Called at the end of the transaction: whoever owns work enqueues what is still to be done. */
  requeue?: (tx: Db) => Promise<void>,
): Promise<TableCounts> {
  return db.tx(async (tx) => {
    await clearTables(tx);
    const counts = await readBackupRows(path, (into, rows) => insertRows(tx, path, into, rows));
    await markCallsRestored(tx);
    await rebuildMemoryWordIndex(tx);
    await tx.dialect.continueNumbers(
      tx,
      backupTables.filter((table) => table.numbered).map((table) => table.name),
    );
    await requeue?.(tx);
    return counts;
  });
}

/** Also deletes derived data and its cursors, and empties the queue: whoever holds work of the old mind loses it. */
async function clearTables(tx: Db): Promise<void> {
  await (await tx.dialect.repair()).clearQueue(tx);
  for (const table of listOwnTables(tx))
    if (table.index === undefined && table.name !== "meta") await tx.run(`delete from ${table.name}`);
  await (await tx.dialect.words()).drop(tx);
  for (const { starts, is } of metaKeys)
    if (is === "derived") await tx.run("delete from meta where substr(key, 1, ?) = ?", [starts.length, starts]);
}

/** The number of rows per table, after reading the whole file; throws if the file is broken. */
export function countBackup(path: string): Promise<TableCounts> {
  return readBackupRows(path, async () => {});
}

type WriteRows = (into: TargetTable, rows: readonly SqlValue[][]) => Promise<void>;

interface TargetTable {
  readonly table: string;
  readonly columns: readonly string[];
}

async function readBackupRows(path: string, take: WriteRows): Promise<TableCounts> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new OldhandError("input", `there is no backup at ${path}`, { hint: "oldhand backup FILE creates one" });
  const hash = createHash("sha256");
  let into: TargetTable | null = null;
  let rows: SqlValue[][] = [];
  let first = true;
  let end: TableCounts | null = null;
  const flush = async () => {
    if (into && rows.length > 0) await take(into, rows);
    rows = [];
  };
  for await (const text of readBackupLines(path)) {
    if (end !== null) throw brokenBackupError(path, "it has data after its end");
    const line = tryParseJson(text);
    if (first && !(isRecord(line) && line["format"] === FORMAT))
      throw brokenBackupError(path, "it is not an oldhand backup");
    first = false;
    if (isRecord(line) && line["end"] === true) {
      await flush();
      if (line["sha256"] !== hash.digest("hex"))
        throw brokenBackupError(path, "its contents do not match its checksum");
      // Continue to the end: a file that lost its last bytes is incomplete, even if they contained no rows.
      end = line["counts"] as TableCounts;
      continue;
    }
    hash.update(text);
    if (Array.isArray(line)) {
      if (line.length !== into?.columns.length) throw brokenBackupError(path, "a row does not match its table");
      rows.push(line.map(decodeValue));
    } else if (isRecord(line) && "table" in line) {
      await flush();
      into = parseTableLine(line, path);
    }
    if (rows.length >= BATCH) await flush();
  }
  if (end === null) throw brokenBackupError(path, "it is incomplete");
  return end;
}

function parseTableLine(line: Readonly<Record<string, unknown>>, path: string): TargetTable {
  const { table, columns } = line;
  const named = (name: unknown): name is string => typeof name === "string" && /^\w+$/.test(name);
  if (!backupTables.some((one) => one.name === table) || !Array.isArray(columns) || !columns.every(named))
    throw brokenBackupError(path, `it has a table ${String(table)} that this version does not know`);
  return { table: table as string, columns };
}

async function insertRows(tx: Db, path: string, into: TargetTable, rows: readonly SqlValue[][]): Promise<void> {
  try {
    await tx.insertMany(into, rows);
  } catch (cause) {
    if (cause instanceof OldhandError) throw cause;
    throw brokenBackupError(
      path,
      `its ${into.table} do not match this version's; it may come from a newer version`,
      cause,
    );
  }
}

/** Throws on a stream error; `readline` would end as if the file did. */
async function* readBackupLines(path: string): AsyncIterable<string> {
  const unzipped = pipeline(createReadStream(path), createGunzip(), () => {}).setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of unzipped as AsyncIterable<string>) {
      const [first = "", ...others] = chunk.split("\n");
      rest += first;
      if (rest.length > LONGEST_ROW) throw brokenBackupError(path, "one of its lines is too long");
      const last = others.pop();
      if (last === undefined) continue;
      yield rest;
      yield* others;
      rest = last;
    }
  } catch (cause) {
    throw cause instanceof OldhandError ? cause : brokenBackupError(path, "it is not a complete gzip file", cause);
  }
  if (rest !== "") yield rest;
}

function brokenBackupError(path: string, why: string, cause?: unknown): OldhandError {
  return new OldhandError("input", `${path} cannot be restored: ${why}; nothing was changed`, {
    hint: "use another backup",
    ...(cause === undefined ? {} : { cause }),
  });
}

function unwritableError(path: string, cause: unknown): unknown {
  const code = systemErrorCode(cause);
  if (cause instanceof OldhandError || !/^E[A-Z]+$/.test(code)) return cause;
  return new OldhandError(
    code === "ENOSPC" ? "store-full" : "input",
    `cannot write a backup to ${path}${code === "ENOSPC" ? ": the disk is full" : ""}`,
    { hint: "choose a writable folder with enough space", cause },
  );
}
