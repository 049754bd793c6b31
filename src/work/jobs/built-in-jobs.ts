import { join } from "node:path";
import { explainOff } from "../../converse/session/require-on.ts";
import type { Context } from "../../context.ts";
import { runMaintenance } from "../../distil/maintenance/maintenance.ts";
import { DAY, iso, SECOND } from "../../lib/clock.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { packAndPruneEpisodes } from "../../observe/pack-episodes.ts";
import { summariseDay, summariseQuietSessions } from "../../record/session-summaries.ts";
import { embedMissing } from "../../search/embed-missing.ts";
import { writeBackup } from "../../store/backup.ts";
import { digest } from "../../store/derived/digest.ts";
import { reflectIfDue } from "../goals/reflect/reflect-by-hand.ts";
import { deleteOldBackups, noteBackup } from "../backups.ts";
import { pruneWork } from "./prune-work.ts";

/** A job that comes with oldhand. */
export interface BuiltInJob {
  readonly name: string;
  readonly summary: string;
  /** Its usual schedule. */
  readonly cron: string;
  /** Does the work. Returns what it did, in a few words. */
  run(ctx: Context): Promise<string>;
}

/** How long one slot of `embed` works; the next one goes on. */
const EMBED_MS = 60 * SECOND;

export const builtInJobs: readonly BuiltInJob[] = [
  {
    name: "maintain",
    summary: "Distils new rules, approves, decays and measures rules.",
    cron: "0 4 * * *",
    run: async (ctx) => {
      await digest(ctx.db);
      const { skipped, proposed, steps } = await runMaintenance(ctx, { write: true, force: false });
      await summariseQuietSessions(ctx);
      return skipped ?? `${plural(proposed, "new rule")}, ${plural(steps.length, "change")} of rules`;
    },
  },
  {
    name: "daily-log",
    summary: "Writes the summaries of yesterday's sessions.",
    cron: "30 0 * * *",
    run: async (ctx) => {
      const day = iso(ctx.clock.now() - DAY).slice(0, 10);
      await digest(ctx.db);
      await summariseDay(ctx.db, day);
      return `sessions of ${day}`;
    },
  },
  {
    name: "reflect",
    summary: "Looks back over the work on goals, if a reflection is due.",
    cron: "30 * * * *",
    run: async (ctx) => oneLine(await reflectIfDue(ctx), 500),
  },
  {
    name: "heartbeat",
    summary: "Records that work is done on this machine.",
    cron: "0 * * * *",
    run: async () => "alive",
  },
  {
    name: "cycle",
    summary: "Does one task of the most urgent goal, in a cycle.",
    cron: "0 * * * *",
    run: async (ctx) => {
      const [{ ownParts }, { runCycle }] = await Promise.all([
        import("../goals/cycle/own-parts.ts"),
        import("../goals/cycle/run-cycle.ts"),
      ]);
      const off = explainOff(ctx.config, null);
      if (off !== null) return off;
      const end = await runCycle(ctx, ownParts(ctx), { model: null });
      if (end.kind === "busy") return `another cycle is running: ${end.by}`;
      const { number, outcome, reason } = end.cycle;
      return `cycle ${number}: ${outcome ?? "no outcome"}${reason === null ? "" : `, ${oneLine(reason, 300)}`}`;
    },
  },
  {
    name: "embed",
    summary: "Computes missing vectors, so that search finds events and memories by meaning.",
    cron: "0 22 * * *",
    run: async (ctx) => {
      const embedder = await ctx.models.embedder();
      if (embedder === null) return "no embedder is configured";
      await digest(ctx.db);
      const timeUp = AbortSignal.any([ctx.signal, AbortSignal.timeout(EMBED_MS)]);
      const { embedded, complete } = await embedMissing(ctx, embedder, { timeUp });
      const made = `${plural(embedded, "new vector")}`;
      return complete ? `${made}; none is missing` : `${made}; some are still missing, and the next slot goes on`;
    },
  },
  {
    name: "prune",
    summary: "Packs old sessions, and deletes what is older than its time.",
    cron: "15 3 * * *",
    run: async (ctx) => {
      await digest(ctx.db);
      const { episodes, pruned } = await packAndPruneEpisodes(ctx);
      const rows = await pruneWork(ctx);
      const { removeOldPlaces } = await import("../goals/cycle/places/remove-places.ts");
      const places = await removeOldPlaces(ctx);
      const removed = places === 0 ? "" : `, ${plural(places, "worktree")} of ended attempts removed`;
      return `${plural(episodes, "episode")} packed, ${plural(pruned, "event")} and ${plural(rows, "old row")} deleted${removed}`;
    },
  },
  {
    name: "backup",
    summary: "Writes the whole mind to a file in backups/ in the home, and keeps the newest.",
    cron: "45 3 * * *",
    run: async (ctx) => {
      const folder = join(ctx.config.home, "backups");
      makeFolder(folder, 0o700);
      const file = join(folder, `mind-${iso(ctx.clock.now()).slice(0, 10)}.gz`);
      await writeBackup(ctx.db, file);
      noteBackup(ctx.config.home, file);
      const deleted = deleteOldBackups(folder, ctx.config.policy.work.keepBackups);
      return `${file}${deleted === 0 ? "" : `, ${plural(deleted, "older one", "older ones")} deleted`}`;
    },
  },
];

export function findBuiltInJob(name: string): BuiltInJob | null {
  return builtInJobs.find((one) => one.name === name) ?? null;
}
