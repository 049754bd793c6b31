import { z } from "zod";
import type { Context } from "../context.ts";
import { summaryText } from "../domain/session-summary.ts";
import { iso } from "../lib/clock.ts";
import { plural } from "../lib/text.ts";
import { operation, type Operation } from "../operation.ts";
import { digest } from "../store/digest.ts";
import { type DaySummary, summariesOfDay, summariesOfSession } from "../store/summaries.ts";
import { folderOf } from "./memory-shapes.ts";
import { theSession } from "./sessions.ts";

const summaryShape = z.object({
  host: z.string(),
  session: z.string(),
  workspace: z.string().nullable(),
  day: z.string(),
  from: z.string(),
  to: z.string(),
  summary: z.string(),
  asked: z.string().nullable(),
  topics: z.array(z.string()),
  decisions: z.array(z.object({ by: z.enum(["owner", "agent"]), text: z.string() })),
  files: z.array(z.string()),
  calls: z.number(),
  failures: z.number(),
});

const summary = operation({
  name: "sessions summary",
  summary:
    "What came of a session, day by day: what was asked, topics, decisions, files, calls. Also after its events were pruned.",
  kind: "read",
  input: z.object({ id: z.string().min(1).describe("the session's id, or its beginning") }),
  positional: ["id"],
  output: z.object({ days: z.array(summaryShape) }),
  run: async (world, input) => {
    await digest(world.db);
    const session = await theSession(world, input.id);
    return { days: (await summariesOfSession(world.db, session)).map(shown) };
  },
  render: ({ days }) => (days.length === 0 ? "Nothing is left of it." : days.map(lines).join("\n")),
});

const log = operation({
  name: "log",
  summary: "A day's log: each session with what was asked, decided and done.",
  kind: "read",
  input: z.object({
    day: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-01-31")
      .optional()
      .describe("which day, in UTC; today if not given"),
    workspace: z.string().optional().describe("only in this folder"),
  }),
  positional: ["day"],
  output: z.object({
    day: z.string(),
    sessions: z.array(summaryShape),
    calls: z.number(),
    failures: z.number(),
    decisions: z.number(),
  }),
  run: async (world: Context, input) => {
    await digest(world.db);
    const day = input.day ?? iso(world.clock.now()).slice(0, 10);
    const workspace = input.workspace === undefined ? null : folderOf(input.workspace);
    const sessions = (await summariesOfDay(world.db, day, workspace)).map(shown);
    const sum = (count: (one: (typeof sessions)[number]) => number) =>
      sessions.reduce((total, one) => total + count(one), 0);
    return {
      day,
      sessions,
      calls: sum((one) => one.calls),
      failures: sum((one) => one.failures),
      decisions: sum((one) => one.decisions.length),
    };
  },
  isNegative: ({ sessions }) => sessions.length === 0,
  render: ({ day, sessions, calls, failures }) =>
    sessions.length === 0
      ? `Nothing was recorded on ${day}.`
      : [
          `${day}: ${plural(sessions.length, "session")}, ${plural(calls, "call")}, ${failures} failed`,
          ...sessions.map(lines),
        ].join("\n"),
});

export const sessionLogOperations: readonly Operation[] = [summary, log];

function shown(one: DaySummary): z.infer<typeof summaryShape> {
  return {
    ...one,
    topics: [...one.topics],
    decisions: one.decisions.map((decision) => ({ ...decision })),
    files: [...one.files],
    from: iso(one.from),
    to: iso(one.to),
    summary: summaryText(one),
  };
}

function lines(one: z.infer<typeof summaryShape>): string {
  return [
    `${one.from.slice(0, 16).replace("T", " ")} to ${one.to.slice(11, 16)}  ${one.host} ${one.session}  ${one.workspace ?? ""}`,
    `  ${one.summary}`,
    ...one.decisions.map((decision) => `  · decided by the ${decision.by}: ${decision.text}`),
  ].join("\n");
}
