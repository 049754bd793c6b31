import { owner } from "../../domain/actor.ts";
import { findAddressee } from "../../record/messages.ts";
import { countWaitingMessages } from "../../store/work/messages.ts";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { levels, type Rule, ruleStatuses, scopeCovers } from "../../domain/rule/rule.ts";
import { countUnexplained, unexplainedLines, waitsForReview } from "../../domain/rule/unknown-cause.ts";
import { isScopeVisible } from "../../domain/trust/visibility.ts";
import { iso } from "../../lib/clock.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { settleAnswers } from "../../recall/answers/uses.ts";
import { wrongRules } from "../../recall/calls/wrong-rules.ts";
import { listRulesLearnedSince } from "../../recall/learned-line.ts";
import { listWaitingApprovals } from "../../store/chat/approvals.ts";
import { countDayFigures, type DayFigures, dayFigureNames, type Stretch } from "../../store/derived/day-figures.ts";
import { listIdentityProposals } from "../../store/nouns/identity-proposals.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { countSessions } from "../../store/sessions/sessions.ts";
import { formatAlert } from "../shared/format-alert.ts";
import { listAlerts } from "../../store/work/alerts.ts";
import { findNoWorker } from "../../work/jobs/find-no-worker.ts";
import { periodInput, readPeriod } from "../shared/period.ts";

const figuresShape = z
  .object({
    failed: z.number().describe("calls that failed"),
    repeated: z.number().describe("of those, calls that failed in a way that was seen before"),
    held: z.number().describe("calls that were refused once, with the rule"),
    asked: z.number().describe("calls that the user was asked about"),
    denied: z.number().describe("calls that a rule denied"),
    noted: z.number().describe("rules and facts that came as a note with a call"),
    answered: z.number().describe("failed calls that were answered"),
    used: z.number().describe("of those, answers that a later call used"),
    avoided: z
      .number()
      .describe("mistakes that were not made again: rules that a session kept to after it was shown them"),
    learned: z.number().describe("rules that were mined"),
  })
  .meta({ id: "DayFigures" });

const learnedShape = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(ruleStatuses),
  level: z.enum(levels),
  at: z.string(),
});

const waitingShape = z.object({
  kind: z.enum(["alert", "approval", "rule", "wrong rule", "proposal"]),
  id: z.string(),
  text: z.string(),
  detail: z.string().describe("why it is asked, in a few words"),
});

const today = defineOperation({
  name: "today",
  summary:
    "What oldhand did for you, by day: mistakes repeated, held, answered and avoided; what it learned; what waits for you.",
  effect: "touches",
  prepare: ["events"],
  byWorkspace: true,
  input: z.object(periodInput),
  output: z.object({
    since: z.string(),
    until: z.string(),
    zone: z.string(),
    days: z.array(figuresShape.extend({ day: z.string().describe("2026-11-17") })),
    totals: figuresShape,
    before: figuresShape.describe("the same in the time before, of the same length"),
    learned: z.array(learnedShape).describe("the newest rules that were mined in that time, at most 5"),
    waiting: z.object({
      alerts: z.number().describe("alerts, such as a job that failed too often"),
      approvals: z.number().describe("actions of oldhand's own agent that wait for an answer"),
      rules: z.number().describe("candidates to decide on"),
      proposals: z.number().describe("proposed changes of the identity"),
      messages: z.number().describe("messages of agents that wait for you"),
      wrong: z.number().describe("rules in force that are wrong more often than right"),
      unexplained: z.number().describe("calls that fail repeatedly for a reason that oldhand does not recognise"),
      first: z.array(waitingShape).describe("what to decide first, at most 6"),
    }),
    noWorker: z.array(z.string()).describe("jobs that are due and that no worker runs, one sentence for each machine"),
    recorded: z.boolean().describe("false: no session was recorded yet"),
  }),
  run: async (ctx, input) => {
    const { db, clock } = ctx;
    const period = readPeriod(ctx, input);
    const earlier: Stretch = { since: period.since - (period.until - period.since), until: period.since };
    await settleAnswers(db, earlier.since, clock.now());
    const rules = rulesThere(ctx, await listRules(db), input.workspace);
    const learned = await listRulesLearnedSince(db, rules, earlier.since);
    const stretches = [...period.days, earlier];
    const counted = await countDayFigures(db, stretches, input.workspace);
    const withLearned = counted.map((figures, n) => ({ ...figures, learned: within(learned, stretches[n]).length }));
    const days = withLearned.slice(0, -1);
    const noWorker = ctx.within === undefined ? await findNoWorker(ctx) : [];
    const waiting = await waitingOf(ctx, rules, noWorker);
    return {
      since: iso(period.since),
      until: iso(period.until),
      zone: period.zone,
      days: days.map((figures, n) => ({ day: period.days[n]?.day ?? "", ...figures })),
      totals: added(days),
      before: added(withLearned.slice(-1)),
      learned: within(learned, { since: period.since, until: period.until + 1 })
        .toSorted((a, b) => b.createdAt - a.createdAt)
        .slice(0, NEWEST)
        .map(({ id, text, status, level, createdAt }) => ({ id, text, status, level, at: iso(createdAt) })),
      waiting,
      noWorker: [...noWorker],
      recorded: (await countSessions(db, ctx.within)) > 0,
    };
  },
  render: (found) =>
    found.recorded
      ? [
          `${"".padEnd(10)}${columns.map((name) => name.padStart(10)).join("")}`,
          ...fromFirstFigure(found.days).map((day) => line(day.day, day)),
          line("in all", found.totals),
          line("before", found.before),
          ...found.learned.map((rule) => `learned  ${rule.id}  ${rule.text}`),
          ...(found.totals.learned > found.learned.length
            ? [`         and ${found.totals.learned - found.learned.length} more (oldhand rules list)`]
            : []),
          ...found.noWorker.map(formatAlert),
          ...waitingLine(found.waiting),
          ...unexplainedLines(found.waiting.unexplained),
        ].join("\n")
      : [
          "Nothing was observed yet: oldhand install watches your agents, oldhand import brings in history.",
          ...found.noWorker.map(formatAlert),
          ...waitingLine(found.waiting),
        ].join("\n"),
});

const NEWEST = 5;
const columns = ["failed", "repeated", "held", "denied", "noted", "answered", "used", "avoided", "learned"] as const;

function line(name: string, figures: Readonly<Record<(typeof columns)[number], number>>): string {
  return `${name.padEnd(10)}${columns.map((column) => String(figures[column]).padStart(10)).join("")}`;
}

/** Without the days before the first one that has a figure; at least the last day. */
function fromFirstFigure<T extends Readonly<Record<(typeof columns)[number], number>>>(
  days: readonly T[],
): readonly T[] {
  const first = days.findIndex((day) => columns.some((column) => day[column] > 0));
  return days.slice(first < 0 ? -1 : first);
}

type Waiting = z.infer<typeof waitingShape>;

/** Alerts come first. Then approvals: an agent waits, and they expire. Then wrong rules in force, because they do harm until someone decides. Then the most confident candidates. */
async function waitingOf(
  ctx: Context,
  rules: readonly Rule[],
  noWorker: readonly string[],
): Promise<WaitingCounts & { first: Waiting[] }> {
  const candidates = rules.filter(waitsForReview);
  const wrong = (await wrongRules(ctx)).filter((one) => rules.some((rule) => rule.id === one.rule.id));
  const proposals = (await listIdentityProposals(ctx.db)).filter((one) => one.status === "open");
  const approvals = ctx.within === undefined ? await listWaitingApprovals(ctx.db, ctx.clock.now()) : [];
  const alerts = ctx.within === undefined ? await listAlerts(ctx.db, { unseen: true, limit: MOST_ALERTS }) : [];
  const told = [
    ...noWorker.map((text, n) => ({ kind: "alert" as const, id: `no-worker-${n + 1}`, text, detail: "jobs" })),
    ...alerts.map(({ id, text, subject }) => ({ kind: "alert" as const, id, text, detail: subject })),
  ];
  const waiting: Waiting[] = [
    ...told,
    ...approvals.map(({ id, summary, reason }) => ({ kind: "approval" as const, id, text: summary, detail: reason })),
    ...wrong.map(({ rule: { id, text }, failed, calls }) => {
      return { kind: "wrong rule" as const, id, text, detail: `in force, but only ${failed} of ${calls} calls failed` };
    }),
    ...proposals.map(({ id, file, reason }) => {
      return { kind: "proposal" as const, id, text: reason, detail: `a change of ${file}` };
    }),
    ...candidates
      .toSorted(
        (a, b) =>
          b.confidence - a.confidence || b.evidence.observations - a.evidence.observations || b.createdAt - a.createdAt,
      )
      .map(({ id, text, evidence }) => {
        const seen = `seen ${plural(evidence.observations, "time")} in ${plural(evidence.sessions, "session")}`;
        return { kind: "rule" as const, id, text, detail: evidence.observations === 0 ? "a candidate" : seen };
      }),
  ];
  return {
    alerts: told.length,
    approvals: approvals.length,
    rules: candidates.length,
    proposals: proposals.length,
    messages: ctx.within === undefined ? (await countWaitingMessages(ctx.db, findAddressee(ctx, owner))).own : 0,
    wrong: wrong.length,
    unexplained: countUnexplained(rules),
    first: waiting.slice(0, MOST_ASKED),
  };
}

const MOST_ASKED = 6;
const MOST_ALERTS = 50;

type WaitingCounts = Readonly<
  Record<"alerts" | "approvals" | "rules" | "proposals" | "messages" | "wrong" | "unexplained", number>
>;

function waitingLine(waiting: WaitingCounts): readonly string[] {
  const { alerts, approvals, rules, proposals, messages, wrong } = waiting;
  const parts = [
    ...(alerts > 0 ? [`${plural(alerts, "alert")} (oldhand job status)`] : []),
    ...(messages > 0 ? [`${plural(messages, "message")} (oldhand message take)`] : []),
    ...(approvals > 0 ? [`${plural(approvals, "action")} of oldhand's own agent (oldhand approvals list)`] : []),
    ...(rules > 0 ? [`${plural(rules, "rule")} to review (oldhand review)`] : []),
    ...(wrong > 0
      ? [`${plural(wrong, "rule")} in force that ${wrong === 1 ? "is" : "are"} mostly wrong (oldhand review)`]
      : []),
    ...(proposals > 0 ? [`${plural(proposals, "proposed change")} of the identity (oldhand soul proposals)`] : []),
  ];
  return parts.length === 0 ? [] : [`waiting for you: ${parts.join(", ")}`];
}

function rulesThere(
  ctx: Pick<Context, "within">,
  rules: readonly Rule[],
  workspace: string | undefined,
): readonly Rule[] {
  return rules.filter(
    ({ scope }) => isScopeVisible(ctx, scope) && (workspace === undefined || scopeCovers(scope, workspace)),
  );
}

function within(rules: readonly Rule[], stretch: Stretch | undefined): readonly Rule[] {
  return stretch === undefined
    ? []
    : rules.filter(({ createdAt }) => createdAt >= stretch.since && createdAt < stretch.until);
}

type Counted = DayFigures & { readonly learned: number };

function added(all: readonly Counted[]): Counted {
  const sum = (name: keyof Counted) => all.reduce((total, one) => total + one[name], 0);
  const figures = Object.fromEntries(dayFigureNames.map((name) => [name, sum(name)]));
  return { ...(figures as unknown as DayFigures), learned: sum("learned") };
}

export const todayOperations = [today] as const;
