import { z } from "zod";
import type { Context } from "../../context.ts";
import { formatActor, isOwner, owner } from "../../domain/actor.ts";
import { isLetterEmpty, type LetterItem, type LetterSection } from "../../domain/goal/letter.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { DAY, formatLocalTime, iso, parseTime } from "../../lib/clock.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { readLooked, writeLooked } from "../../store/goals/away.ts";
import { listAway, writeLetter } from "../../work/goals/write-letter.ts";
import { timeInput } from "../shared/shapes.ts";

const itemShape = z
  .object({
    kind: z.string().describe("task, goal, job, question, approval or proposal"),
    id: z.string(),
    title: z.string(),
    of: z.string().nullable().describe("the title of its goal"),
    why: z.string().nullable().describe("what came of it, or why"),
    times: z.number().describe("how often, such as attempts at a task or slots of a job"),
    at: z.string(),
    command: z.string().nullable().describe("what acts on it; null: nothing is to be done"),
  })
  .meta({ id: "LetterItem" });

const items = (says: string) => z.array(itemShape).describe(says);

const letterShape = z
  .object({
    since: z.string(),
    until: z.string(),
    before: z.string().nullable().describe("where the letter before this one began"),
    isFirst: z.boolean().describe("whether you never looked before"),
    verified: items("tasks that are done, and their checks say so"),
    claimed: items("tasks that are done, and only whoever did them says so"),
    failed: items("tasks that were tried and are not done, and jobs that failed"),
    asked: items("questions, approvals and proposals that wait for you now"),
    blocked: items("what goes on only if you do something"),
    skipped: items("tasks that were deferred and slots of jobs that were missed, with the reason"),
    reached: items("goals that were reached"),
    cycles: z.number().describe("cycles that had something to do"),
    cost: z
      .object({
        total: z.number().describe("dollars, without what a subscription pays"),
        models: z.array(
          z.object({
            model: z.string(),
            calls: z.number(),
            cost: z.number(),
            listPrice: z.boolean().describe("a subscription paid; the cost is the list price"),
          }),
        ),
      })
      .describe("of calls of models"),
    learned: z.array(z.object({ id: z.string(), text: z.string() })).describe("rules that were mined"),
    isEmpty: z.boolean().describe("nothing happened and nothing waits"),
    text: z.string().describe("the letter in words"),
  })
  .meta({ id: "Letter" });

type LetterOut = z.infer<typeof letterShape>;

const letter = defineOperation({
  name: "letter",
  summary:
    "What became of your goals since you last looked: verified, claimed, failed, asked, blocked, skipped, cost. `oldhand report --away` shows it.",
  effect: "touches",
  prepare: ["markers"],
  on: "goal",
  input: z.object({
    since: timeInput.optional().describe("from this time on, in place of when you last looked, which stays as it is"),
    seen: z.boolean().default(false).describe("you read it: the next letter begins where this one ends"),
  }),
  output: letterShape,
  example: "oldhand report --away",
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const who = formatActor(ctx.actor);
    const looked = await readLooked(ctx.db, who);
    const since = parseTime(input.since);
    const made = await writeLetter(ctx, { looked, since });
    if (input.seen && since === null && isOwner(ctx.actor))
      await writeLooked(ctx.db, who, {
        at: made.until,
        // An empty letter is not worth another look.
        before: isLetterEmpty(made) ? (looked?.before ?? null) : made.since,
      });
    const out = (list: readonly LetterItem[]) => list.map((one) => ({ ...one, at: iso(one.at) }));
    const paid = made.cost.filter(({ listPrice }) => !listPrice);
    const shown: Omit<LetterOut, "text"> = {
      ...{ since: iso(made.since), until: iso(made.until), before: made.before === null ? null : iso(made.before) },
      ...{ isFirst: looked === null, isEmpty: isLetterEmpty(made), cycles: made.cycles },
      ...{ verified: out(made.verified), claimed: out(made.claimed), failed: out(made.failed) },
      ...{ asked: out(made.asked), blocked: out(made.blocked), skipped: out(made.skipped) },
      ...{ reached: out(made.reached), learned: [...made.learned] },
      cost: { total: paid.reduce((sum, { cost }) => sum + cost, 0), models: [...made.cost] },
    };
    return { ...shown, text: formatLetter(shown) };
  },
  render: ({ text }) => text,
});

export const letterOperations = [letter] as const;

/** One sentence for `status`; null if nothing waits. It does not move when the owner last looked. */
export async function findAwayLine(ctx: Context): Promise<string | null> {
  const looked = await readLooked(ctx.db, formatActor(isOwner(ctx.actor) ? ctx.actor : owner));
  const { verified, claimed, asked, blocked } = await listAway(ctx, looked);
  // Approvals have a line of their own.
  const waiting = asked.filter(({ kind }) => kind === "question" || kind === "goal").length;
  if (claimed.length + waiting + blocked.length === 0) return null;
  const count = (list: readonly LetterItem[], text: string) => (list.length === 0 ? [] : [`${list.length} ${text}`]);
  const parts = [
    ...count(verified, "verified"),
    ...count(claimed, "only claimed"),
    ...count(blocked, "blocked"),
    ...(waiting === 0 ? [] : [`${waiting} to answer`]),
  ];
  return `goals: ${parts.join(", ")} (oldhand report --away)`;
}

const heads: Readonly<Record<LetterSection, string>> = {
  verified: "Verified by their checks",
  claimed: "Only claimed: nothing has shown that it is so",
  failed: "Failed",
  asked: "Asked of you",
  blocked: "Blocked until you do something",
  skipped: "Skipped",
};

function formatLetter(letter: Omit<LetterOut, "text">): string {
  const since = formatSince(letter);
  if (letter.isEmpty) {
    const before = letter.before === null ? "" : ` The letter before: oldhand report --away --since ${letter.before}`;
    return `${since}: nothing happened, and nothing waits for you.${before}`;
  }
  return [
    `${since}: ${summarise(letter).join(", ")}.`,
    ...section("Reached", letter.reached),
    ...(Object.keys(heads) as LetterSection[]).flatMap((name) => section(heads[name], letter[name])),
    ...formatCost(letter.cost),
    ...(letter.learned.length === 0 ? [] : ["", "Rules learned:"]),
    ...cut(letter.learned.map(({ id, text }) => `  ${id}  ${oneLine(text, 120)}`)),
    ...(letter.learned.length === 0 ? [] : ["    oldhand review"]),
  ].join("\n");
}

function summarise(letter: Omit<LetterOut, "text">): readonly string[] {
  const { verified, claimed, failed, asked, blocked, skipped, reached, cost, learned, cycles } = letter;
  const calls = cost.models.reduce((sum, one) => sum + one.calls, 0);
  const some = (count: number, text: string) => (count === 0 ? [] : [text]);
  return [
    ...some(reached.length, `${plural(reached.length, "goal")} reached`),
    `${plural(verified.length, "task")} verified`,
    `${claimed.length} only claimed`,
    ...some(failed.length, `${failed.length} failed`),
    ...some(asked.length, `${asked.length} ${asked.length === 1 ? "waits" : "wait"} for your answer`),
    ...some(blocked.length, `${blocked.length} blocked`),
    ...some(skipped.length, `${skipped.length} skipped`),
    ...some(cycles, plural(cycles, "cycle")),
    ...some(calls, `${formatDollars(cost.total)} for ${plural(calls, "model call")}`),
    ...some(learned.length, `${plural(learned.length, "rule")} learned`),
  ];
}

function section(title: string, list: LetterOut["verified"]): readonly string[] {
  return list.length === 0 ? [] : ["", `${title}:`, ...cut(list.map(formatItem))];
}

function formatItem({ kind, id, title, of, why, times, command }: LetterOut["verified"][number]): string {
  const what = kind === "task" ? "" : kind === "job" ? "job " : `${kind}: `;
  const often = times > 1 ? ` (${times} times)` : "";
  const goal = of === null ? "" : `, for "${oneLine(of, 60)}"`;
  const because = why === null ? "" : `\n    ${oneLine(why, 240)}`;
  return `  ${kind === "job" ? "" : `${id}  `}${what}${oneLine(title, 100)}${goal}${often}${because}${command === null ? "" : `\n    ${command}`}`;
}

/** A letter is read in one go; `--json` has all. */
function cut(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST ? lines : [...lines.slice(0, MOST), `  and ${lines.length - MOST} more (--json has all)`];
}

const MOST = 20;

function formatCost({ models }: LetterOut["cost"]): readonly string[] {
  if (models.length === 0) return [];
  const lines = models.map(
    ({ model, calls, cost, listPrice }) =>
      `  ${model}: ${plural(calls, "call")}, ${formatDollars(cost)}${listPrice ? " at list price, paid by a subscription" : ""}`,
  );
  return ["", "Cost:", ...cut(lines)];
}

/** `Since Tuesday 18:00`, with the date if that is a week ago or more. */
function formatSince({ since, until, isFirst }: Pick<LetterOut, "since" | "until" | "isFirst">): string {
  const [from, now] = [Date.parse(since), Date.parse(until)];
  if (isFirst && now - from >= 30 * DAY) return "In the last 30 days";
  const text = formatLocalTime(from, now);
  if (now - from >= 6 * DAY || !text.includes(" ")) return `Since ${text}`;
  const weekday = new Date(from).toLocaleDateString("en-US", { weekday: "long" });
  return `Since ${weekday} ${text.split(" ")[1] ?? ""}`;
}
