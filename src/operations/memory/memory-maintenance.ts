import { z } from "zod";
import { extractMarkers } from "../../domain/memory/markers.ts";
import type { Memory } from "../../domain/memory/memory.ts";
import { findConsolidations } from "../../distil/maintenance/consolidate.ts";
import { sweepMemories } from "../../distil/maintenance/sweep-memories.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { actOnMarkers } from "../../record/markers/act-on-markers.ts";
import { syncMemoryFiles } from "../../recall/identity/memory-files.ts";
import { makeProvenance, applyAllChanges, withJournalLock } from "../../store/journal/journal.ts";
import { listMemories } from "../../store/nouns/memories.ts";
import { planMemoryChanges } from "../../store/journal/remember.ts";
import { loadMemoriesOut, formatMemory, memoryOut, memoryShape } from "./memory-shapes.ts";
import { isScopeVisible } from "../../domain/trust/visibility.ts";

const write = z.boolean().default(false).describe("write the changes");

const sweep = defineOperation({
  name: "memories sweep",
  label: "Sweep stale memories",
  summary:
    "Lowers the confidence of memories not used or confirmed for long. Without --write it only shows them; each run lowers it again.",
  effect: "write",
  input: z.object({ write }),
  output: z.object({
    written: z.number(),
    memories: z.array(
      z.object({ id: z.string(), text: z.string(), before: z.number(), after: z.number(), archived: z.boolean() }),
    ),
  }),
  run: async (ctx, input) => {
    const { stale, written } = await sweepMemories(ctx, {
      write: input.write,
      by: makeProvenance(ctx, "memories sweep"),
    });
    return {
      written,
      memories: stale
        .filter(({ before }) => isScopeVisible(ctx, before.scope))
        .map(({ before, after }) => ({
          id: before.id,
          text: before.text,
          before: before.confidence,
          after: after.confidence,
          archived: after.status === "archived",
        })),
    };
  },
  render: ({ written, memories }) =>
    memories.length === 0
      ? "No memory is stale."
      : [
          ...memories.map(
            (one) =>
              `${one.id}  ${one.before.toFixed(2)} → ${one.after.toFixed(2)}${one.archived ? " archived" : ""}  ${oneLine(one.text, 100)}`,
          ),
          written > 0 ? `Wrote ${plural(written, "change")}.` : "Nothing was written; add --write.",
        ].join("\n"),
});

const consolidate = defineOperation({
  name: "memories consolidate",
  label: "Join equal memories",
  summary: "Merges duplicate memories into the one with the highest confidence. Without --write it only shows them.",
  effect: "write",
  input: z.object({ write }),
  output: z.object({
    written: z.number(),
    groups: z.array(
      z.object({
        kept: memoryShape,
        superseded: z.array(z.object({ id: z.string(), text: z.string() })),
        similarity: z.number(),
      }),
    ),
  }),
  run: async (ctx, input) => {
    const written = await withJournalLock(ctx.db, async (db) => {
      const groups = await findConsolidations(db, ctx.config.policy.memory);
      if (!input.write) return { groups, changes: 0 };
      const memories = groups.flatMap((group): readonly Memory[] => [...group.superseded, group.kept]);
      const changes = await applyAllChanges(
        db,
        planMemoryChanges(memories, makeProvenance(ctx, "memories consolidate")),
      );
      return { groups, changes: changes.length };
    });
    if (written.changes > 0) await syncMemoryFiles(ctx);
    return {
      written: written.changes,
      groups: written.groups
        .filter(({ kept }) => isScopeVisible(ctx, kept.scope))
        .map(({ kept, superseded, similarity }) => ({
          kept: memoryOut(kept),
          superseded: superseded.map(({ id, text }) => ({ id, text })),
          similarity,
        })),
    };
  },
  render: ({ written, groups }) =>
    groups.length === 0
      ? "No duplicate memories."
      : [
          ...groups.flatMap((group) => [
            formatMemory(group.kept),
            ...group.superseded.map((one) => `  instead of ${one.id}  ${oneLine(one.text, 100)}`),
          ]),
          written > 0 ? `Wrote ${plural(written, "change")}.` : "Nothing was written; add --write.",
        ].join("\n"),
});

const files = defineOperation({
  name: "memories files",
  summary: "Syncs MEMORY.md and USER.md with the pinned memories. Your edits are read first and never overwritten.",
  effect: "write",
  surfaces: ["cli"],
  input: z.object({}),
  output: z.object({
    files: z.array(
      z.object({
        name: z.string(),
        path: z.string(),
        characters: z.number(),
        limit: z.number(),
        entries: z.array(z.string()),
        readBack: z.number(),
        written: z.boolean(),
        over: z.boolean(),
      }),
    ),
  }),
  run: async (ctx) => ({
    files: (await syncMemoryFiles(ctx)).map((file) => ({ ...file, entries: [...file.entries] })),
  }),
  isNegative: (made) => made.files.some((file) => file.over),
  render: (made) =>
    made.files
      .map((file) => {
        const did = [
          file.readBack > 0 ? `${plural(file.readBack, "edit")} read back` : "",
          file.written ? "written" : "",
        ];
        const head = `${file.path}: ${plural(file.entries.length, "entry", "entries")}, ${file.characters} of ${file.limit} characters${did
          .filter(Boolean)
          .map((one) => `, ${one}`)
          .join("")}`;
        return file.over
          ? `${head}\n  too long, so the file was not changed; consolidate some of:\n${file.entries.map((entry) => `  - ${oneLine(entry, 100)}`).join("\n")}`
          : head;
      })
      .join("\n"),
});

const exportAll = defineOperation({
  name: "memories export",
  summary: "Prints every memory as JSON lines, including archived and superseded ones.",
  effect: "touches",
  prepare: ["markers", "owner-edits"],
  input: z.object({}),
  output: z.object({ format: z.literal("oldhand-memories-1"), memories: z.array(memoryShape) }),
  run: async (ctx) => ({
    format: "oldhand-memories-1" as const,
    memories: await loadMemoriesOut(
      ctx,
      (await listMemories(ctx.db)).filter((memory) => isScopeVisible(ctx, memory.scope)),
    ),
  }),
  render: ({ memories }) => memories.map((memory) => JSON.stringify(memory)).join("\n"),
});

const markers = defineOperation({
  name: "markers",
  on: "memory",
  label: "Keep marked memories",
  summary:
    "Removes inline markers ([MEMORY]{…}, WIN, MISTAKE, STATE, JOURNAL, TASK_…) from an agent's answer. Without an answer, does what is marked in recorded events.",
  effect: "write",
  input: z.object({ text: z.string().optional().describe("an agent's answer") }),
  positional: ["text"],
  output: z.object({
    shown: z.string().nullable().describe("the answer without its markers"),
    markers: z.array(
      z.object({ name: z.string(), data: z.record(z.string(), z.unknown()).nullable(), raw: z.string() }),
    ),
    kept: z.number().describe("number of memories saved"),
    acted: z
      .object({
        mistakes: z.number(),
        wins: z.number(),
        states: z.number(),
        journal: z.number(),
        tasks: z.number(),
        refused: z.number().describe("markers that did nothing; their agents are told why"),
      })
      .nullable()
      .describe("what other markers did; null if an answer was given"),
  }),
  run: async (ctx, input) => {
    if (input.text === undefined) {
      const { memories, ...acted } = await actOnMarkers(ctx);
      return { shown: null, markers: [], kept: memories, acted };
    }
    const { shown, markers: found } = extractMarkers(input.text);
    return {
      shown,
      markers: found.map((marker) => ({ ...marker, data: marker.data && { ...marker.data } })),
      kept: 0,
      acted: null,
    };
  },
  render: ({ shown, markers: found, kept, acted }) =>
    shown === null
      ? `${plural(kept, "memory", "memories")} saved from markers${formatActed(acted)}.`
      : [shown, ...found.map((marker) => `${marker.name}  ${JSON.stringify(marker.data)}`)].join("\n"),
});

function formatActed(acted: Readonly<Record<string, number>> | null): string {
  const did = Object.entries(acted ?? {}).filter(([, count]) => count > 0);
  return did.map(([name, count]) => `, ${name}: ${count}`).join("");
}

export const memoryMaintenanceOperations = [sweep, consolidate, files, exportAll, markers] as const;
