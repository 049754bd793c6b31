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
import type { SkippedItems, OtherStore, StoreItem } from "./other-store.ts";

type BoardRow = Readonly<Record<string, unknown>>;

/** github.com/blazov/living-board: its tables as JSON files, as it publishes them under `docs/data`. */
export const livingBoard: OtherStore = {
  name: "living-board",
  title: "Living Board",
  // It is in whatever folder it was cloned to.
  defaultPaths: () => [],
  isAt: (path) =>
    findDataFolder(path) !== null &&
    tables.filter((name) => existsSync(join(findDataFolder(path) ?? "", `${name}.json`))).length >= 2,
  files: (path) => {
    const folder = findDataFolder(path) ?? path;
    return tables.map((name) => join(folder, `${name}.json`)).filter((file) => existsSync(file));
  },
  read: function* (path, policy) {
    const folder = findDataFolder(path);
    if (folder === null || !tables.some((name) => existsSync(join(folder, `${name}.json`))))
      throw new OldhandError("input", `there is no Living Board at ${path}`, {
        hint: `name the folder that holds ${tables.map((name) => `${name}.json`).join(", ")}`,
      });
    // All files are read first, so that nothing of a broken board is imported.
    const read = Object.fromEntries(tables.map((name) => [name, readRows(join(folder, `${name}.json`))]));
    yield* (read["execution_log"] ?? []).flatMap((entry) => parseEvent(entry, policy));
    yield* (read["learnings"] ?? []).flatMap((entry) => parseMemory(entry, policy));
    for (const left of listSkipped(read)) yield { kind: "left", left };
  },
};

const tables = ["goals", "tasks", "execution_log", "learnings", "snapshots", "goal_comments"] as const;

/** The folder itself, the folder of a file in it, or the data folder of a clone. */
function findDataFolder(path: string): string | null {
  if (!existsSync(path)) return null;
  if (!statSync(path).isDirectory())
    return tables.some((name) => basename(path) === `${name}.json`) ? dirname(path) : null;
  const inside = join(path, "docs", "data");
  return existsSync(inside) ? inside : path;
}

function readRows(file: string, isPart = false): readonly BoardRow[] {
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
function parseEvent(entry: BoardRow, policy: Policy["observe"]): readonly StoreItem[] {
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

function parseMemory(entry: BoardRow, policy: Policy["observe"]): readonly StoreItem[] {
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

function listSkipped(read: Readonly<Record<string, readonly BoardRow[]>>): readonly SkippedItems[] {
  const why = {
    goals: "goals are not imported yet",
    tasks: "tasks are not imported yet",
    snapshots: "a snapshot summarises goals, which are not imported yet",
    goal_comments: "comments belong to goals, which are not imported yet",
  };
  return Object.entries(why).flatMap(([name, reason]) => {
    const count = read[name]?.length ?? 0;
    return count === 0 ? [] : [{ what: name === "goal_comments" ? "comments" : name, count, why: reason }];
  });
}
