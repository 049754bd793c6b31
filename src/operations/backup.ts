import { resolve } from "node:path";
import { z } from "zod";
import type { Context } from "../context.ts";
import { throwIfStopped } from "../lib/stopped.ts";
import { plural } from "../lib/text.ts";
import { defineOperation } from "../operation.ts";
import { countBackup, countRows, restoreBackup, writeBackup } from "../store/backup.ts";
import { countSessions } from "../store/sessions/sessions.ts";
import { openQueue } from "../store/open-queue.ts";
import { ownMachineName } from "../domain/work/own-machine.ts";
import { makeProvenance } from "../store/journal/journal.ts";
import { keepFates, readFates } from "../work/jobs/keep-fates.ts";
import { explainStrandedJobs, findStrandedJobs } from "../work/jobs/stranded-jobs.ts";
import { listJobs } from "../store/nouns/jobs.ts";
import { pinJobs, type PinnedJob } from "../work/jobs/pin-jobs.ts";
import { requireNoWorker } from "../work/jobs/require-no-worker.ts";
import { listSlotQueues, requeueSlots } from "../work/jobs/slot-items.ts";
import { noteBackup } from "../work/backups.ts";

const backup = defineOperation({
  name: "backup",
  summary: "Writes the whole mind to one file, consistent while others write. It restores into SQLite or PostgreSQL.",
  effect: "write",
  surfaces: ["cli"],
  input: z.object({ file: z.string().min(1).describe("where to write it") }),
  positional: ["file"],
  output: z.object({ file: z.string(), counts: z.record(z.string(), z.number()) }),
  run: async (ctx, input) => {
    const file = resolve(input.file);
    const counts = await writeBackup(ctx.db, file, {
      onRows: ({ table, rows }) => {
        throwIfStopped(ctx.signal);
        ctx.report({ text: `${table}: ${plural(rows, "row")}`, done: rows });
      },
    });
    noteBackup(ctx.config.home, file);
    return { file, counts };
  },
  render: ({ file, counts }) => `${file}: ${formatCounts(counts)}`,
});

const restore = defineOperation({
  name: "restore",
  summary: "Replaces this mind with a backup. Without --write it only shows what would be lost.",
  effect: "destroys",
  prepare: ["events"],
  surfaces: ["cli"],
  input: z.object({
    file: z.string().min(1).describe("a file made by `oldhand backup`"),
    write: z.boolean().default(false).describe("replace the mind"),
  }),
  positional: ["file"],
  isOwnerOnly: ({ write }) => write,
  output: z.object({
    file: z.string(),
    replaced: z.boolean(),
    counts: z.record(z.string(), z.number()).describe("row counts of this mind: now, or after the restore"),
    brings: z.record(z.string(), z.number()).describe("row counts of the file"),
    pinned: z
      .array(z.object({ job: z.string(), machine: z.string() }))
      .describe("commands of a mind of one machine that run only there from now on"),
    stranded: z
      .array(z.string())
      .describe("jobs of other machines that this mind cannot have, one sentence for each machine"),
  }),
  run: async (ctx, input) => {
    const { db, store, clock } = ctx;
    const file = resolve(input.file);
    // Read the whole file first, so that a broken one is reported before anything changes.
    const brings = await countBackup(file);
    if (!input.write) {
      return {
        file,
        replaced: false,
        counts: { sessions: await countSessions(db), ...(await countRows(db)) },
        brings,
        pinned: [],
        stranded: [],
      };
    }
    const here = ownMachineName(ctx.config);
    const queue = await openQueue(store, { queues: listSlotQueues(here), clock });
    try {
      let pinned: readonly PinnedJob[] = [];
      const counts = await db.tx(async (tx) => {
        await requireNoWorker(tx, { clock, queue });
        const fates = await readFates(tx);
        return restoreBackup(tx, file, async () => {
          if (store.kind === "postgres") pinned = await pinJobs(tx, makeProvenance(ctx, "restore"), here);
          await keepFates(tx, fates);
          await requeueSlots(tx, queue, here);
        });
      });
      return {
        file,
        replaced: true,
        counts,
        brings,
        pinned: [...pinned],
        stranded: [...(await listStranded(ctx, here))],
      };
    } finally {
      await queue.close();
    }
  },
  isNegative: ({ replaced }) => !replaced,
  render: ({ replaced, counts, brings, pinned, stranded }) =>
    replaced
      ? [`Restored: ${formatCounts(counts)}`, ...pinned.map(formatPinned), ...stranded].join("\n")
      : `This mind holds ${formatHeld(counts)}. All of it would be replaced by a backup that holds ${formatHeld(brings)}. Nothing was changed; add --write to restore.`,
});

export const backupOperations = [backup, restore] as const;

async function listStranded({ db }: Pick<Context, "db">, here: string): Promise<readonly string[]> {
  return explainStrandedJobs(findStrandedJobs(db, await listJobs(db), here), here);
}

function formatPinned({ job, machine }: PinnedJob): string {
  return `${job} runs only on ${machine}; oldhand job edit ${job} --machine NAME moves it, --anywhere lets any machine run it`;
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** What a person knows of a mind; the rest is told together. */
const named: Readonly<Record<string, readonly [one: string, many: string]>> = {
  sessions: ["session", "sessions"],
  events: ["event", "events"],
  rules: ["rule", "rules"],
  memories: ["memory", "memories"],
  mistakes: ["mistake", "mistakes"],
  wins: ["win", "wins"],
  messages: ["message", "messages"],
  jobs: ["job", "jobs"],
  job_slots: ["slot of jobs", "slots of jobs"],
  journal: ["change in the journal", "changes in the journal"],
  model_calls: ["call of a model", "calls of models"],
  chat_sessions: ["chat", "chats"],
};

function formatHeld(counts: Readonly<Record<string, number>>): string {
  const known = Object.entries(named).flatMap(([table, [one, many]]) => {
    const count = counts[table] ?? 0;
    return count === 0 ? [] : [plural(count, one, many)];
  });
  const rest = Object.entries(counts).reduce((sum, [table, count]) => (table in named ? sum : sum + count), 0);
  const parts = [...known, ...(rest === 0 ? [] : [plural(rest, "other row")])];
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
