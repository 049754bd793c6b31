import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type MemoryCategory, memoryCategories } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { parseTime } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, nonEmptyText, tryParseJson } from "../../lib/json.ts";
import { storable } from "../../lib/text.ts";
import { readWholeText } from "../transcripts/whole-text.ts";
import { blankEvent, redactAndCap } from "../protocol/to-event.ts";
import { readBoardGoals } from "./living-board-goals.ts";
import type { OtherStore, StoreItem } from "./other-store.ts";
import { isInSqlDump, readSqlDump, type TableRow } from "./read-sql-dump.ts";

/** github.com/blazov/living-board: its tables as JSON files, as it publishes them under `docs/data`, or a dump of its database. */
export const livingBoard: OtherStore = {
  name: "living-board",
  title: "Living Board",
  // It is in whatever folder it was cloned to.
  defaultPaths: () => [],
  isAt: (path) =>
    isDump(path) ||
    (findDataFolder(path) !== null &&
      tables.filter((name) => existsSync(join(findDataFolder(path) ?? "", `${name}.json`))).length >= 2),
  files: (path) => {
    if (path.endsWith(".sql")) return [path];
    const folder = findDataFolder(path) ?? path;
    return tables.map((name) => join(folder, `${name}.json`)).filter((file) => existsSync(file));
  },
  read: function* (path, policy) {
    const read = path.endsWith(".sql") ? readSqlDump(path, tables) : readFolder(path);
    yield* (read["execution_log"] ?? []).flatMap((entry) => parseEvent(entry, policy));
    yield* (read["learnings"] ?? []).flatMap((entry) => parseMemory(entry, policy));
    yield* readBoardGoals(read, policy.payloadCharacters);
  },
};

/** All files are read first, so that nothing of a broken board is imported. */
function readFolder(path: string): Readonly<Record<string, readonly TableRow[]>> {
  const folder = findDataFolder(path);
  if (folder === null || !tables.some((name) => existsSync(join(folder, `${name}.json`))))
    throw new OldhandError("input", `there is no Living Board at ${path}`, {
      hint: `name the folder that holds ${tables.map((name) => `${name}.json`).join(", ")}`,
    });
  return Object.fromEntries(tables.map((name) => [name, readRows(join(folder, `${name}.json`))]));
}

/** `learnings` has no other product. */
function isDump(path: string): boolean {
  return path.endsWith(".sql") && existsSync(path) && isInSqlDump(readWholeText(path), "(?:learnings|goal_comments)");
}

const tables = ["goals", "tasks", "execution_log", "learnings", "snapshots", "goal_comments"] as const;

/** The folder itself, the folder of a file in it, or the data folder of a clone. */
function findDataFolder(path: string): string | null {
  if (!existsSync(path)) return null;
  if (!statSync(path).isDirectory())
    return tables.some((name) => basename(path) === `${name}.json`) ? dirname(path) : null;
  const inside = join(path, "docs", "data");
  return existsSync(inside) ? inside : path;
}

function readRows(file: string, isPart = false): readonly TableRow[] {
  if (!existsSync(file)) return [];
  const read: unknown = tryParseJson(readWholeText(file));
  // A table too large for one file lists its parts; parts have no parts themselves.
  if (!isPart && isRecord(read) && Array.isArray(read["parts"]))
    return read["parts"].flatMap((part) => readRows(join(dirname(file), basename(String(part))), true));
  const entries = isRecord(read) ? Object.values(read).find(Array.isArray) : read;
  if (!Array.isArray(entries))
    throw new OldhandError("input", `${file} is not a JSON list`, {
      hint: "nothing of this board was imported; export it again, or remove the file",
    });
  return entries.filter(isRecord);
}

/** A log entry of a cycle: what the agent said it did. */
function parseEvent(entry: TableRow, policy: Policy["observe"]): readonly StoreItem[] {
  const at = parseTime(entry["created_at"]);
  const id = nonEmptyText(entry["id"]);
  const summary = nonEmptyText(entry["summary"]);
  if (at === null || id === null || summary === null) return skippedItem("log entries");
  const details = isRecord(entry["details"]) ? entry["details"] : {};
  const ms = entry["duration_ms"];
  return [
    {
      kind: "event",
      workspace: null,
      event: {
        ...blankEvent,
        host: "living-board",
        session: storable(nonEmptyText(entry["trigger_run_id"]) ?? nonEmptyText(entry["goal_id"]) ?? "living-board"),
        uid: storable(`living-board:${id}`),
        at,
        kind: "answer",
        text: redactAndCap(
          [nonEmptyText(entry["action"]), summary].filter(Boolean).join(": "),
          policy.payloadCharacters,
        ),
        model: nonEmptyText(details["model_used"]) ?? nonEmptyText(details["delegated_to"]),
        durationMs: typeof ms === "number" && Number.isFinite(ms) ? ms : null,
      },
    },
  ];
}

function parseMemory(entry: TableRow, policy: Policy["observe"]): readonly StoreItem[] {
  const id = nonEmptyText(entry["id"]);
  const words = nonEmptyText(entry["content"]);
  if (id === null || words === null) return skippedItem("learnings");
  const written = nonEmptyText(entry["category"]) ?? "";
  const category = memoryCategories.find((known) => known === written) ?? null;
  const confidence = Number(entry["confidence"] ?? 0.5);
  const goal = nonEmptyText(entry["goal_id"]);
  return [
    {
      kind: "memory",
      workspace: null,
      at: parseTime(entry["updated_at"]) ?? parseTime(entry["created_at"]) ?? 0,
      memory: {
        key: storable(`living-board:${id}`),
        text: redactAndCap(words, policy.payloadCharacters),
        kind: "learning",
        category: category ?? OTHER_CATEGORY,
        confidence: Number.isFinite(confidence) ? confidence : 0.5,
        tags: [
          "living-board",
          ...(goal === null ? [] : [`goal:${goal}`]),
          ...(category === null && written ? [written] : []),
        ],
      },
    },
  ];
}

/** For a category that is not in our list; the original one is kept as a tag. */
const OTHER_CATEGORY: MemoryCategory = "domain_knowledge";

function skippedItem(what: string): readonly StoreItem[] {
  return [{ kind: "left", left: { what, count: 1, why: "they have no id, time or text" } }];
}
