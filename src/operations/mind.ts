import { resolve } from "node:path";
import { z } from "zod";
import { thisMachine, writeSetting } from "../config.ts";
import type { Context } from "../context.ts";
import { bringUp } from "../distil/bring-up.ts";
import { iso, parseTime } from "../lib/clock.ts";
import { endIfStopped } from "../lib/stopped.ts";
import { plural } from "../lib/text.ts";
import { hosts } from "../observe/hosts/list.ts";
import { type FoundImported, importFound } from "../observe/imports/import-found.ts";
import { nothing, together } from "../observe/imports/import.ts";
import { importMany } from "../observe/imports/import-many.ts";
import type { ImportFilter } from "../observe/imports/read-file.ts";
import { otherStores } from "../observe/stores/list.ts";
import { packUp } from "../observe/pack.ts";
import { folderOf } from "../observe/protocol/workspace.ts";
import { operation } from "../operation.ts";
import { countBackup, readBackup, writeBackup } from "../store/backup.ts";
import { listRules } from "../store/rules.ts";
import { countSessions, hostsSeen } from "../store/sessions.ts";
import { version } from "../version.ts";
import { noteBackup } from "./known-backups.ts";
import { configOf } from "./settings.ts";
import { time } from "./shapes.ts";

const status = operation({
  name: "status",
  summary: "What this mind holds, where it is, and which hosts were heard of.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({}),
  output: z.object({
    version: z.string(),
    home: z.string(),
    store: z.enum(["sqlite", "postgres"]),
    place: z.string(),
    off: z.boolean(),
    counts: z.object({ sessions: z.number(), events: z.number(), failures: z.number(), rules: z.number() }),
    hosts: z.array(z.object({ host: z.string(), lastFiredAt: z.string().nullable(), events: z.number() })),
  }),
  run: async ({ db, store, config }) => {
    const hosts = await hostsSeen(db);
    const sum = (field: "events" | "failures") => hosts.reduce((total, host) => total + host[field], 0);
    return {
      version,
      home: config.home,
      store: store.kind,
      place: store.place,
      off: config.off.everywhere,
      counts: {
        sessions: await countSessions(db),
        events: sum("events"),
        failures: sum("failures"),
        rules: (await listRules(db)).length,
      },
      hosts: hosts.map((host) => ({ host: host.host, lastFiredAt: iso(host.last_at), events: host.events })),
    };
  },
  render: (now) =>
    [
      `oldhand ${now.version}, mind at ${now.place}${now.off ? ", switched off" : ""}`,
      `${plural(now.counts.sessions, "session")}, ${plural(now.counts.events, "event")}, ${plural(now.counts.failures, "failure")}, ${plural(now.counts.rules, "rule")}`,
      ...now.hosts.map(
        (host) => `${host.host.padEnd(14)} last heard ${host.lastFiredAt ?? "never"}, ${plural(host.events, "event")}`,
      ),
    ].join("\n"),
});

const importFiles = operation({
  name: "import",
  summary:
    "Brings in recorded history: of files, plain or gzipped, or without any of everything agents left on this machine. The same again changes nothing.",
  effect: "write",
  surfaces: ["cli"],
  input: z.object({
    path: z.array(z.string()).default([]).describe("files or stores to read; none: everything that is found"),
    from: z
      .enum(["neutral", "messages", ...hosts.map((host) => host.name), ...otherStores.map((store) => store.name)])
      .optional()
      .describe("their format, found out if not given; without files, only this one's"),
    since: time.optional().describe("only what happened from this time on"),
    workspace: z.string().optional().describe("only what happened in this folder"),
    again: z.boolean().default(false).describe("also events that were removed with `oldhand forget`"),
  }),
  positional: ["path"],
  output: z.object({
    sessions: z.number(),
    events: z.number(),
    failures: z.number(),
    rules: z.number(),
    memories: z.number(),
    skipped: z.number(),
    leftOut: z.array(z.object({ what: z.string(), count: z.number(), why: z.string() })),
    files: z.number(),
    unchanged: z.number(),
    damaged: z.number(),
  }),
  run: async (world, input) => {
    const since = input.since === undefined ? undefined : (parseTime(input.since) ?? undefined);
    const workspace = input.workspace === undefined ? undefined : folderOf(input.workspace);
    const filter = { since, workspace, again: input.again };
    const made =
      input.path.length > 0
        ? await importAll(world, input.path, { ...filter, from: input.from ?? null })
        : await importFound(world, { ...filter, host: input.from, machine: thisMachine() });
    await bringUp(world);
    await packUp(world);
    return { ...made, leftOut: [...made.leftOut] };
  },
  render: (total) =>
    [
      total.files === 0
        ? "No agent has left transcripts on this machine."
        : `${plural(total.events, "new event")} in ${plural(total.sessions, "session")}, ${total.failures} of them failures; ${plural(total.skipped, "line")} skipped`,
      ...(total.rules + total.memories > 0
        ? [
            `${plural(total.rules, "new rule")} and ${plural(total.memories, "new memory", "new memories")}, of external origin: no such rule speaks before you approve it (oldhand rules)`,
          ]
        : []),
      ...total.leftOut.map((left) => `not imported: ${left.what} (${left.count}): ${left.why}`),
      ...(total.unchanged > 0 ? [`${plural(total.unchanged, "file")} unchanged`] : []),
      ...(total.damaged > 0 ? [`${plural(total.damaged, "file")} could not be read whole`] : []),
    ].join("\n"),
});

async function importAll(
  world: Context,
  paths: readonly string[],
  options: ImportFilter & { readonly from: string | null },
): Promise<FoundImported> {
  let total = nothing;
  const files = paths.map((path, at) => ({ path, from: options.from, at: at + 1 }));
  await importMany(world, files, {
    filter: options,
    tell: ({ path, at }, { done, total: bytes, events }) =>
      world.report({
        done,
        total: bytes,
        text: `${path}: ${at} of ${plural(paths.length, "file")}, ${plural(total.events + events, "event")}`,
      }),
    end: (_file, one) => {
      total = together(total, one);
    },
    failed: (_file, error) => {
      throw error;
    },
  });
  return { ...total, files: paths.length, unchanged: 0, damaged: 0 };
}

const switchInput = z.object({ workspace: z.string().optional().describe("only in this folder") });
const switched = z.object({ off: z.boolean(), workspace: z.string().nullable() });

const off = operation({
  name: "off",
  summary: "The off switch: hooks return at once, nothing is stored, nothing is said.",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: switchInput,
  output: switched,
  run: async ({ config }, input) => {
    if (input.workspace === undefined) writeSetting(config.home, "off", true);
    else
      writeSetting(config.home, "offWorkspaces", [...new Set([...config.off.workspaces, folderOf(input.workspace)])]);
    return { off: true, workspace: input.workspace === undefined ? null : folderOf(input.workspace) };
  },
  render: ({ workspace }) => (workspace === null ? "Off. `oldhand on` switches it on again." : `Off in ${workspace}.`),
});

const on = operation({
  name: "on",
  summary: "On again after `off`.",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: switchInput,
  output: switched,
  run: async ({ config }, input) => {
    if (input.workspace === undefined) writeSetting(config.home, "off", undefined);
    else {
      const left = config.off.workspaces.filter((one) => one !== folderOf(input.workspace ?? ""));
      writeSetting(config.home, "offWorkspaces", left.length > 0 ? left : undefined);
    }
    return { off: false, workspace: input.workspace === undefined ? null : folderOf(input.workspace) };
  },
  render: ({ workspace }) => (workspace === null ? "On." : `On in ${workspace}.`),
});

const backup = operation({
  name: "backup",
  summary: "The whole mind into one file, consistent while others write; restores into either store.",
  effect: "write",
  surfaces: ["cli"],
  input: z.object({ file: z.string().min(1).describe("where to write it") }),
  positional: ["file"],
  output: z.object({ file: z.string(), counts: z.record(z.string(), z.number()) }),
  run: async (ctx, input) => {
    const file = resolve(input.file);
    const counts = await writeBackup(ctx.db, file, {
      onRows: ({ table, rows }) => {
        endIfStopped(ctx.signal);
        ctx.report({ text: `${table}: ${plural(rows, "row")}`, done: rows });
      },
    });
    noteBackup(ctx.config.home, file);
    return { file, counts };
  },
  render: ({ file, counts }) => `${file}: ${listed(counts)}`,
});

const restore = operation({
  name: "restore",
  summary: "Replaces this mind by a backup. Shows what would be lost; acts with --write.",
  effect: "destroys",
  prepare: ["events"],
  surfaces: ["cli"],
  input: z.object({
    file: z.string().min(1).describe("a file made by `oldhand backup`"),
    write: z.boolean().default(false).describe("really replace what is there"),
  }),
  positional: ["file"],
  output: z.object({
    file: z.string(),
    replaced: z.boolean(),
    counts: z.record(z.string(), z.number()).describe("what this mind holds: now, or after it was replaced"),
    brings: z.record(z.string(), z.number()).describe("what is in the file"),
  }),
  run: async ({ db }, input) => {
    const file = resolve(input.file);
    // Read whole before anything is asked or done: a broken file is told at once.
    const brings = await countBackup(file);
    if (!input.write) {
      const hosts = await hostsSeen(db);
      return {
        file,
        replaced: false,
        counts: {
          sessions: await countSessions(db),
          events: hosts.reduce((sum, host) => sum + host.events, 0),
          rules: (await listRules(db)).length,
        },
        brings,
      };
    }
    return { file, replaced: true, counts: await readBackup(db, file), brings };
  },
  isNegative: ({ replaced }) => !replaced,
  render: ({ replaced, counts, brings }) =>
    replaced
      ? `Restored: ${listed(counts)}`
      : `This mind holds ${listed(counts)}. All of it would be replaced by ${listed(brings)}. Nothing was changed; add --write to go on.`,
});

export const mindOperations = [status, importFiles, configOf, off, on, backup, restore] as const;

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
