import { z } from "zod";
import { thisMachine } from "../config.ts";
import type { Context } from "../context.ts";
import { refreshDerived } from "../distil/maintenance/refresh-derived.ts";
import { distil } from "../distil/mining/distil.ts";
import { parseTime } from "../lib/clock.ts";
import { plural } from "../lib/text.ts";
import { hosts } from "../observe/hosts/list.ts";
import { type FoundImportResult, importFoundHistory } from "../observe/imports/import-found-history.ts";
import { emptyImportResult, addImportResults } from "../observe/imports/import.ts";
import { importManyFiles } from "../observe/imports/import-files.ts";
import type { ImportFilter } from "../observe/imports/read-file.ts";
import { listPathsToImport, otherStores } from "../observe/stores/list.ts";
import { refuseSampleHome, removeSample } from "../observe/imports/sample.ts";
import { packAndPruneEpisodes } from "../observe/pack-episodes.ts";
import { resolveTypedWorkspace } from "../observe/protocol/workspace.ts";
import { defineOperation } from "../operation.ts";
import { actOnMarkers } from "../record/markers/act-on-markers.ts";
import { timeInput } from "./shared/shapes.ts";

const importFiles = defineOperation({
  name: "import",
  summary:
    "Imports the given files (plain or gzip); without files, all agent transcripts found on this machine. Importing a file twice adds nothing.",
  effect: "write",
  surfaces: ["cli"],
  input: z.object({
    path: z
      .array(z.string())
      .default([])
      .describe("files or stores to import; if omitted, everything found on this machine"),
    from: z
      .enum(["neutral", "messages", ...hosts.map((host) => host.name), ...otherStores.map((store) => store.name)])
      .optional()
      .describe("format of the files, detected if omitted; without files, import only this format"),
    since: timeInput.optional().describe("only events from this time on"),
    workspace: z.string().optional().describe("only events of this folder"),
    "no-rules": z.boolean().default(false).describe("do not look for rules now; `oldhand distil` does it later"),
    again: z.boolean().default(false).describe("also import events removed by `oldhand forget`"),
    includeOff: z.boolean().default(false).describe("also import events from while oldhand was off"),
  }),
  positional: ["path"],
  output: z.object({
    sessions: z.number(),
    events: z.number(),
    failures: z.number(),
    rules: z.number(),
    learned: z.number().describe("rules mined from the events, stored as candidates"),
    memories: z.number(),
    goals: z.number(),
    tasks: z.number(),
    others: z.number().describe("comments, entries of the execution log and of the ledger, and snapshots"),
    kept: z.number().describe("memories that a user asked to remember or an agent marked"),
    skipped: z.number(),
    leftOut: z.array(z.object({ what: z.string(), count: z.number(), why: z.string() })),
    files: z.number(),
    unchanged: z.number(),
    damaged: z.number(),
    sampleRemoved: z.number().describe("sample sessions removed that an earlier version stored in this mind"),
  }),
  run: async (ctx, input) => {
    refuseSampleHome(ctx.config.home);
    const sample = input.path.length === 0 ? await removeSample(ctx) : { sessions: 0 };
    const since = input.since === undefined ? undefined : (parseTime(input.since) ?? undefined);
    const workspace = input.workspace === undefined ? undefined : resolveTypedWorkspace(input.workspace);
    const filter = { since, workspace, again: input.again, includeOff: input.includeOff };
    const made =
      input.path.length > 0
        ? await importAll(ctx, input.path, { ...filter, from: input.from ?? null })
        : await importFoundHistory(ctx, { ...filter, host: input.from, machine: thisMachine() });
    await refreshDerived(ctx);
    const { memories: kept } = await actOnMarkers(ctx);
    const learned = input["no-rules"] ? 0 : await writeCandidates(ctx);
    await packAndPruneEpisodes(ctx);
    return { ...made, learned, kept, sampleRemoved: sample.sessions, leftOut: [...made.leftOut] };
  },
  render: (total) =>
    [
      total.files === 0
        ? "No agent has left transcripts on this machine."
        : `${plural(total.events, "new event")} in ${plural(total.sessions, "session")}, ${total.failures} of them failures; ${plural(total.skipped, "line")} skipped`,
      ...(total.rules + total.memories > 0
        ? [
            `${plural(total.rules, "new rule")} and ${plural(total.memories, "new memory", "new memories")}, of external origin. These rules say nothing until you approve them (oldhand rules)`,
          ]
        : []),
      ...(total.goals + total.tasks + total.others > 0
        ? [
            `${plural(total.goals, "new goal")} and ${plural(total.tasks, "new task")}, with ${plural(total.others, "comment, entry or snapshot", "comments, entries and snapshots")}. Goals that have not ended are only proposed: nothing is done for them until you approve them (oldhand goal list)`,
          ]
        : []),
      ...(total.kept > 0
        ? [`saved ${plural(total.kept, "memory", "memories")} that users typed or agents marked`]
        : []),
      ...(total.learned > 0
        ? [
            `learned ${plural(total.learned, "rule")}; ${total.learned === 1 ? "it waits" : "they wait"} for review (oldhand review)`,
          ]
        : []),
      ...total.leftOut.map((left) => `not imported: ${left.what} (${left.count}): ${left.why}`),
      ...(total.unchanged > 0 ? [`${plural(total.unchanged, "file")} unchanged`] : []),
      ...(total.sampleRemoved > 0
        ? [`removed the made-up sample that an earlier version imported: ${plural(total.sampleRemoved, "session")}`]
        : []),
      ...(total.damaged > 0 ? [`${plural(total.damaged, "file")} could not be read completely`] : []),
    ].join("\n"),
});

export const importOperations = [importFiles] as const;

/** Writes candidates with the actor `import`. */
async function writeCandidates(ctx: Context): Promise<number> {
  return (await distil({ ...ctx, actor: { kind: "import" } }, { write: true })).written;
}

async function importAll(
  ctx: Context,
  paths: readonly string[],
  options: ImportFilter & { readonly from: string | null },
): Promise<FoundImportResult> {
  let total = emptyImportResult;
  const files = paths
    .flatMap((path) => listPathsToImport(path, options.from))
    .map((file, at) => ({ ...file, at: at + 1 }));
  await importManyFiles(ctx, files, {
    filter: options,
    onProgress: ({ path, at }, { done, total: bytes, events }) =>
      ctx.report({
        done,
        total: bytes,
        text: `${path}: ${at} of ${plural(files.length, "file")}, ${plural(total.events + events, "event")}`,
      }),
    end: (_file, one) => {
      total = addImportResults(total, one);
    },
    failed: (_file, error) => {
      throw error;
    },
  });
  return { ...total, files: files.length, unchanged: 0, damaged: 0 };
}
