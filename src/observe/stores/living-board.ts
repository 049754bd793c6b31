import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type MemoryCategory, memoryCategories } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { parseTime } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, text, tryParse } from "../../lib/json.ts";
import { storable } from "../../lib/text.ts";
import { wholeText } from "../transcripts/whole-text.ts";
import { blank, clean } from "../protocol/to-event.ts";
import type { LeftOut, OtherStore, Thing } from "./other-store.ts";

type Entry = Readonly<Record<string, unknown>>;

/** github.com/blazov/living-board: its tables as JSON files, as it publishes them under `docs/data`. */
export const livingBoard: OtherStore = {
  name: "living-board",
  title: "Living Board",
  // It lives in whatever folder it was cloned to.
  places: () => [],
  isAt: (path) =>
    folderAt(path) !== null &&
    tables.filter((name) => existsSync(join(folderAt(path) ?? "", `${name}.json`))).length >= 2,
  files: (path) => {
    const folder = folderAt(path) ?? path;
    return tables.map((name) => join(folder, `${name}.json`)).filter((file) => existsSync(file));
  },
  read: function* (path, policy) {
    const folder = folderAt(path);
    if (folder === null || !tables.some((name) => existsSync(join(folder, `${name}.json`))))
      throw new OldhandError("input", `there is no Living Board at ${path}`, {
        hint: `name the folder that holds ${tables.map((name) => `${name}.json`).join(", ")}`,
      });
    // All of them first: of a board that is broken nothing is brought in by halves.
    const read = Object.fromEntries(tables.map((name) => [name, entriesIn(join(folder, `${name}.json`))]));
    yield* (read["execution_log"] ?? []).flatMap((entry) => eventOf(entry, policy));
    yield* (read["learnings"] ?? []).flatMap((entry) => memoryOf(entry, policy));
    for (const left of leftOut(read)) yield { kind: "left", left };
  },
};

const tables = ["goals", "tasks", "execution_log", "learnings", "snapshots", "goal_comments"] as const;

/** The folder itself, the one of a file in it, or the one where a clone keeps it. */
function folderAt(path: string): string | null {
  if (!existsSync(path)) return null;
  if (!statSync(path).isDirectory())
    return tables.some((name) => basename(path) === `${name}.json`) ? dirname(path) : null;
  const inside = join(path, "docs", "data");
  return existsSync(inside) ? inside : path;
}

function entriesIn(file: string, isPart = false): readonly Entry[] {
  if (!existsSync(file)) return [];
  const read: unknown = tryParse(wholeText(file));
  // Too large for one file: then it names its parts, which have none of their own.
  if (!isPart && isRecord(read) && Array.isArray(read["parts"]))
    return read["parts"].flatMap((part) => entriesIn(join(dirname(file), basename(String(part))), true));
  const entries = isRecord(read) ? Object.values(read).find(Array.isArray) : read;
  if (!Array.isArray(entries))
    throw new OldhandError("input", `${file} is no list in JSON`, {
      hint: "nothing of this board was brought in; export it again, or take the file away",
    });
  return entries.filter(isRecord);
}

/** A cycle's entry in its log: what its agent said it did. */
function eventOf(entry: Entry, policy: Policy["observe"]): readonly Thing[] {
  const at = parseTime(entry["created_at"]);
  const id = text(entry["id"]);
  const summary = text(entry["summary"]);
  if (at === null || id === null || summary === null) return unread("log entries");
  const details = isRecord(entry["details"]) ? entry["details"] : {};
  const ms = entry["duration_ms"];
  return [
    {
      kind: "event",
      workspace: null,
      event: {
        ...blank,
        host: "living-board",
        session: storable(text(entry["trigger_run_id"]) ?? text(entry["goal_id"]) ?? "living-board"),
        uid: storable(`living-board:${id}`),
        at,
        kind: "answer",
        text: clean([text(entry["action"]), summary].filter(Boolean).join(": "), policy.payloadCharacters),
        model: text(details["model_used"]) ?? text(details["delegated_to"]),
        durationMs: typeof ms === "number" && Number.isFinite(ms) ? ms : null,
      },
    },
  ];
}

function memoryOf(entry: Entry, policy: Policy["observe"]): readonly Thing[] {
  const id = text(entry["id"]);
  const words = text(entry["content"]);
  if (id === null || words === null) return unread("learnings");
  const written = text(entry["category"]) ?? "";
  const category = memoryCategories.find((known) => known === written) ?? null;
  const confidence = Number(entry["confidence"] ?? 0.5);
  const goal = text(entry["goal_id"]);
  return [
    {
      kind: "memory",
      workspace: null,
      at: parseTime(entry["updated_at"]) ?? parseTime(entry["created_at"]) ?? 0,
      memory: {
        key: storable(`living-board:${id}`),
        text: clean(words, policy.payloadCharacters),
        kind: "learning",
        category: category ?? ELSE,
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

/** One in eight is of a category that it made up later: the tag keeps it. */
const ELSE: MemoryCategory = "domain_knowledge";

function unread(what: string): readonly Thing[] {
  return [{ kind: "left", left: { what, count: 1, why: "they have no id, time or words" } }];
}

function leftOut(read: Readonly<Record<string, readonly Entry[]>>): readonly LeftOut[] {
  const why = {
    goals: "goals are not imported yet",
    tasks: "tasks are not imported yet",
    snapshots: "a snapshot sums up goals, which are not imported yet",
    goal_comments: "comments belong to goals, which are not imported yet",
  };
  return Object.entries(why).flatMap(([name, reason]) => {
    const count = read[name]?.length ?? 0;
    return count === 0 ? [] : [{ what: name === "goal_comments" ? "comments" : name, count, why: reason }];
  });
}
