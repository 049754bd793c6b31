import { z } from "zod";
import { goalStatuses } from "../../domain/goal/goal.ts";
import type { Snapshot } from "../../domain/goal/snapshot.ts";
import { iso } from "../../lib/clock.ts";
import { defineOperation } from "../../operation.ts";
import { listSnapshots } from "../../store/goals/snapshots.ts";
import { orient } from "../../work/goals/cycle/orient.ts";
import { readSnapshotCopy } from "../../work/goals/cycle/write-snapshot.ts";

const snapshotShape = z
  .object({
    id: z.string(),
    at: z.string(),
    cycleCount: z.number(),
    content: z.string().describe("where the goals stand, as a letter"),
    activeGoals: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        status: z.enum(goalStatuses),
        verifiedPercent: z.number(),
        claimedPercent: z.number(),
      }),
    ),
    currentFocus: z.string().nullable(),
    recentOutcomes: z.array(z.object({ summary: z.string(), at: z.string(), success: z.boolean() })),
    openBlockers: z.array(z.object({ goal: z.string(), description: z.string() })),
    keyLearnings: z.array(z.object({ content: z.string(), confidence: z.number(), category: z.string().nullable() })),
    source: z.string().nullable().describe("the program that it was imported from"),
  })
  .meta({ id: "Snapshot" });

const show = defineOperation({
  name: "snapshot show",
  summary: "Shows the last snapshot: where the goals stand, as a letter, and whether the tables agree.",
  effect: "read",
  on: "goal",
  input: z.object({}),
  output: z.object({
    snapshot: snapshotShape.nullable(),
    fault: z.string().nullable().describe("why the next cycle does not use it"),
    isCopy: z.boolean().describe("the database does not answer: this is the copy on this machine"),
  }),
  run: async (ctx) => {
    const [last] = await listSnapshots(ctx.db, { limit: 1 });
    const fault = last === undefined ? null : (await orient(ctx)).snapshotFault;
    return { snapshot: last === undefined ? null : snapshotOut(last), fault, isCopy: false };
  },
  withoutStore: async ({ config }, error) => {
    const copy = readSnapshotCopy(config.home);
    return { snapshot: copy === null ? null : snapshotOut(copy), fault: error.message, isCopy: true };
  },
  render: ({ snapshot, fault, isCopy }) =>
    snapshot === null
      ? `There is no snapshot yet${fault === null ? "" : `, and ${fault}`}. oldhand cycle writes one.`
      : [
          `${snapshot.id}  ${snapshot.at}, after cycle ${snapshot.cycleCount}${isCopy ? " (the copy on this machine)" : ""}`,
          "",
          snapshot.content,
          ...(fault === null
            ? []
            : ["", isCopy ? `The database does not answer: ${fault}.` : `The next cycle reads the tables: ${fault}.`]),
        ].join("\n"),
  isNegative: ({ snapshot }) => snapshot === null,
});

const list = defineOperation({
  name: "snapshot list",
  summary: "Lists snapshots, the newest first.",
  effect: "read",
  on: "goal",
  input: z.object({ limit: z.coerce.number<number>().int().min(1).max(1_000).default(20).describe("how many") }),
  output: z.object({ snapshots: z.array(snapshotShape) }),
  run: async ({ db }, { limit }) => ({ snapshots: (await listSnapshots(db, { limit })).map(snapshotOut) }),
  render: ({ snapshots }) =>
    snapshots.length === 0
      ? "There is no snapshot yet. oldhand cycle writes one."
      : snapshots
          .map(
            ({ id, at, cycleCount, content }) => `${id}  ${at}, cycle ${cycleCount}: ${content.split("\n")[0] ?? ""}`,
          )
          .join("\n"),
});

export const snapshotOperations = [show, list] as const;

function snapshotOut({
  at,
  activeGoals,
  recentOutcomes,
  openBlockers,
  keyLearnings,
  ...one
}: Snapshot): z.infer<typeof snapshotShape> {
  return {
    ...one,
    at: iso(at),
    activeGoals: [...activeGoals],
    recentOutcomes: recentOutcomes.map((outcome) => ({ ...outcome, at: iso(outcome.at) })),
    openBlockers: [...openBlockers],
    keyLearnings: [...keyLearnings],
  };
}
