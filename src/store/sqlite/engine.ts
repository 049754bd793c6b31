import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { OldhandError } from "../../lib/errors.ts";
import type { SqlValue } from "../engine/db.ts";

/** The part of `node:sqlite` we use; `@photostructure/sqlite` has the same, for Node 20. */
export interface Statement {
  all(...values: SqlValue[]): unknown[];
  get(...values: SqlValue[]): unknown;
  run(...values: SqlValue[]): { changes: number | bigint };
  setReadBigInts(enabled: boolean): void;
  iterate(...values: SqlValue[]): IterableIterator<unknown>;
}

export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Only if the connection was opened with `allowExtension`. */
  enableLoadExtension(enabled: boolean): void;
  loadExtension(path: string): void;
  close(): void;
}

interface OpenOptions {
  readonly readOnly?: boolean;
  readonly allowExtension?: boolean;
}

interface Engine {
  readonly DatabaseSync: new (path: string, options?: OpenOptions) => Connection;
}

let engine: Engine | undefined;

export function connect(path: string, options: OpenOptions = {}): Connection {
  engine ??= loadEngine();
  return new engine.DatabaseSync(path, options);
}

function loadEngine(): Engine {
  return loadBuiltIn() ?? loadPackaged();
}

function loadBuiltIn(): Engine | undefined {
  // Node 22 warns on stderr that node:sqlite is experimental; a hook must not print.
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule?.("node:sqlite") as Engine | undefined;
  } finally {
    process.emitWarning = warn;
  }
}

/**
 * Resolving the package through Node and searching for its binary costs milliseconds, too many for a hook. So
 * the known path is tried first.
 */
function loadPackaged(): Engine {
  const near = loadNearby();
  if (near) return near;
  try {
    const { createRequire } = process.getBuiltinModule("node:module");
    return createRequire(import.meta.url)("@photostructure/sqlite") as Engine;
  } catch (cause) {
    throw new OldhandError(
      "unsupported",
      "this Node has no SQLite built in, and @photostructure/sqlite is not installed",
      { hint: "use Node 22.13 or later, or install again without --omit=optional", cause },
    );
  }
}

function loadNearby(): Engine | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const name = join("node_modules", "@photostructure", "sqlite", "prebuilds", platform, BINARY);
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const path = join(folder, name);
    if (existsSync(path)) return loadBinary(path);
    if (folder === dirname(folder)) return undefined;
  }
}

const BINARY = "@photostructure+sqlite.glibc.node";

/** Undefined if it does not load, for example under musl; the package then finds the right binary. */
function loadBinary(path: string): Engine | undefined {
  const addon = { exports: {} };
  try {
    process.dlopen(addon, path);
    return addon.exports as Engine;
  } catch {
    return undefined;
  }
}
