import { z } from "zod";
import type { Context } from "../../context.ts";
import type { ModelCallRow } from "../../domain/model/call-row.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { formatDollars, formatDollarsExactly } from "../../domain/model/money.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listHeldOf, listUnfinished, type UnfinishedCall } from "../../store/models/reservations.ts";
import { getCall, listCalls, listQuality } from "../../store/models/stored-calls.ts";
import { limitInput } from "../shared/shapes.ts";
import { agentsInSight } from "./agents-in-sight.ts";
import { attemptOut, attemptShape, formatAttempt, seconds } from "./call-attempts.ts";

const summaryShape = {
  id: z.string(),
  at: z.string(),
  agent: z.string(),
  taskType: z.string(),
  complexity: z.string(),
  model: z.string().describe("the model that answered, or was tried last"),
  outcome: z.enum(["ok", "cached", "failed", "capped", "aborted"]),
  failure: z.string().nullable(),
  cost: z.number().describe("dollars"),
  healed: z.boolean().describe("an attempt failed, and a later one answered"),
};

const calls = defineOperation({
  name: "models calls",
  summary: "Lists the latest model calls: id, time, agent, task, model, outcome and cost.",
  effect: "read",
  input: z.object({
    agent: z.string().min(1).optional().describe("only calls of this agent"),
    limit: limitInput(20),
  }),
  output: z.object({
    calls: z.array(z.object(summaryShape).meta({ id: "ModelCallSummary" })),
    unfinished: z
      .array(
        z.object({
          id: z.string(),
          at: z.string(),
          agent: z.string(),
          amount: z.number().describe("dollars that are reserved, or may have been spent"),
          until: z.string().describe("when its lease ends"),
          ended: z.boolean().describe("its process or its lease ended without a result"),
        }),
      )
      .describe("calls of paid models that have no row: under way, or ended without a result in the last 7 days"),
  }),
  run: async (ctx, { agent, limit }) => {
    const seen = agentsInSight(ctx);
    const names = seen === undefined ? [agent] : seen.filter((one) => agent === undefined || one === agent);
    const found = [];
    for (const one of names) found.push(...(await listCalls(ctx.db, { agent: one, limit })));
    const newest = found.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).slice(0, limit);
    const open = await listUnfinished(ctx.db, ctx.clock.now(), { limit });
    // A full list goes back to its last call. What is under way is always in it.
    const from = newest.length < limit ? 0 : (newest.at(-1)?.at ?? 0);
    const unfinished = open
      .filter((one) => names.some((name) => name === undefined || name === one.agent))
      .filter((one) => !one.ended || one.at >= from)
      .map(({ id, at, agent: by, amount, until, ended }) => {
        return { id, at: iso(at), agent: by, amount, until: iso(until), ended };
      });
    return { calls: newest.map(summaryOut), unfinished };
  },
  render: ({ calls: found, unfinished }) =>
    found.length + unfinished.length === 0
      ? "No model has been called."
      : [
          ...[
            ...unfinished.map((one) => ({ at: one.at, line: formatUnfinished(one) })),
            ...found.map((one) => ({ at: one.at, line: formatCall(one) })),
          ]
            .toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1))
            .map(({ line }) => line),
          "oldhand models call ID shows one of them with its attempts and reasons.",
        ].join("\n"),
});

function formatCall(one: z.output<z.ZodObject<typeof summaryShape>>): string {
  return `${one.id}  ${one.at}  ${one.agent}  ${one.taskType}  ${one.model}  ${formatOutcome(one)}  ${formatDollars(one.cost)}`;
}

function formatUnfinished(one: Unfinished & { readonly id: string; readonly at: string; readonly agent: string }) {
  return `${one.id}  ${one.at}  ${one.agent}  ${formatState(one)}`;
}

interface Unfinished {
  readonly amount: number;
  readonly until: string;
  readonly ended: boolean;
}

function formatState({ amount, until, ended }: Unfinished): string {
  return ended
    ? `ended without a result: up to ${formatDollars(amount)} may have been spent`
    : `under way: up to ${formatDollars(amount)} is reserved until ${until}`;
}

const detailsShape = z
  .object({
    ...summaryShape,
    taskType: summaryShape.taskType.nullable(),
    complexity: summaryShape.complexity.nullable(),
    model: summaryShape.model.nullable().describe("null as long as the call has no result"),
    outcome: z
      .enum([...summaryShape.outcome.options, "under-way", "no-result"])
      .describe("no-result: its process or its lease ended first; up to what was reserved may have been spent"),
    session: z.string().nullable(),
    job: z.string().nullable(),
    goal: z.string().nullable(),
    way: z.string().describe("gateway, or pass-through for a client that runs through oldhand"),
    ms: z.number(),
    firstTokenMs: z.number().nullable(),
    listPrice: z.boolean().describe("a subscription paid; the cost is the list price"),
    explored: z.boolean().describe("chosen to learn about the model"),
    route: z.array(z.string()).describe("why this model, and what happened after the choice"),
    attempts: z.array(attemptShape),
    reserved: z
      .array(z.object({ attempt: z.number(), amount: z.number().describe("dollars"), until: z.string() }))
      .describe("reservations that are still held, or were lost; empty once the call is settled"),
    verdicts: z.array(
      z.object({ at: z.string(), quality: z.number(), source: z.string(), note: z.string().nullable() }),
    ),
  })
  .meta({ id: "ModelCallDetails" });

type CallDetails = z.output<typeof detailsShape>;

const call = defineOperation({
  name: "models call",
  summary: "Shows one model call: every attempt with its price, cost and failure, why this model, and verdicts.",
  effect: "read",
  input: z.object({
    id: z
      .string()
      .min(1)
      .describe(
        "the id of the call, as `models calls` lists it: mc_…, or call_… for a client that runs through oldhand",
      ),
  }),
  positional: ["id"],
  output: detailsShape,
  run: async (ctx, { id }) => {
    const row = await getCall(ctx.db, id);
    const [open] = row === null ? await listUnfinished(ctx.db, ctx.clock.now(), { limit: 1, call: id }) : [];
    const agent = row?.agent ?? open?.agent;
    const seen = agentsInSight(ctx);
    const isSeen = agent !== undefined && (seen === undefined || seen.includes(agent));
    if (row !== null && isSeen) return callOut(ctx, row);
    if (open !== undefined && isSeen) return unfinishedOut(ctx, open);
    throw new OldhandError("not-found", `there is no model call "${id}"`, {
      hint: "oldhand models calls lists the latest",
    });
  },
  render: (one) => (one.outcome === "under-way" || one.outcome === "no-result" ? formatOpen(one) : formatDetails(one)),
});

const formatDetails = (one: CallDetails): string =>
  [
    `${one.id}  ${one.at}  ${formatOutcome(one)}`,
    `${one.agent}, ${one.complexity} ${one.taskType}${one.session === null ? "" : `, session ${one.session}`}`,
    `${one.model}, ${formatDollarsExactly(one.cost)}${one.listPrice ? " at list price" : ""}, ${seconds(one.ms)}`,
    ...(one.attempts.length === 0 ? ["No provider was called."] : [plural(one.attempts.length, "attempt")]),
    ...one.attempts.map(formatAttempt),
    ...one.reserved.map(
      ({ attempt, amount, until }) => `reserved for attempt ${attempt}: ${formatDollarsExactly(amount)} until ${until}`,
    ),
    ...(one.route.length === 0 ? [] : ["Why:", ...one.route.map((text) => `  ${text}`)]),
    ...one.verdicts.map(
      ({ quality, source, note }) =>
        `quality ${quality.toFixed(2)} (${sources[source] ?? source})${note === null ? "" : `: ${note}`}`,
    ),
  ].join("\n");

/** Only its reservations are known. */
function formatOpen(one: CallDetails): string {
  const amount = one.reserved.reduce((sum, { amount: reserved }) => sum + reserved, 0);
  const until =
    one.reserved
      .map((reserved) => reserved.until)
      .toSorted()
      .at(-1) ?? one.at;
  return [
    `${one.id}  ${one.at}  ${formatState({ amount, until, ended: one.outcome === "no-result" })}`,
    one.agent,
    ...one.reserved.map(
      ({ attempt, amount: reserved }) => `reserved for attempt ${attempt}: ${formatDollarsExactly(reserved)}`,
    ),
    one.outcome === "no-result"
      ? "Its process or its lease ended before the answer came, so nobody knows what it cost. The amount counts as lost: oldhand models caps"
      : "Its model and its cost are stored when it has ended.",
  ].join("\n");
}

export const modelCallOperations = [calls, call] as const;

const sources: Readonly<Record<string, string>> = { verified: "a check", feedback: "a person", heuristic: "a guess" };

function summaryOut(row: ModelCallRow) {
  const { id, agent, taskType, complexity, outcome, failure, cost, healed } = row;
  const model = formatModelRef(row);
  return { id, at: iso(row.at), agent, taskType, complexity, model, outcome, failure, cost, healed };
}

async function unfinishedOut({ db }: Pick<Context, "db">, one: UnfinishedCall): Promise<CallDetails> {
  const { id, agent, job, goal, listPrice, ended } = one;
  return {
    ...{ id, at: iso(one.at), agent, job, goal, listPrice, outcome: ended ? "no-result" : "under-way" },
    ...{ taskType: null, complexity: null, model: null, failure: null, session: null, firstTokenMs: null },
    ...{ cost: 0, ms: 0, healed: false, explored: false, route: [], attempts: [], verdicts: [] },
    way: id.startsWith("mc_") ? "gateway" : "pass-through",
    reserved: await listReserved(db, id),
  };
}

async function listReserved(db: Context["db"], call: string) {
  const held = await listHeldOf(db, call);
  return held.map(({ attempt, amount, until }) => ({ attempt, amount, until: iso(until) }));
}

async function callOut({ db }: Pick<Context, "db">, row: ModelCallRow) {
  const verdicts = await listQuality(db, row.id);
  return {
    ...summaryOut(row),
    session: row.session,
    job: row.job,
    goal: row.goal,
    way: row.way,
    ms: row.ms,
    firstTokenMs: row.firstTokenMs,
    listPrice: row.listPrice,
    explored: row.explored,
    route: [...row.route],
    attempts: row.attempts.map(attemptOut),
    reserved: await listReserved(db, row.id),
    verdicts: verdicts.map(({ at, quality, source, note }) => ({ at: iso(at), quality, source, note })),
  };
}

const outcomes: Readonly<Record<string, string>> = { capped: "stopped by a cap", aborted: "stopped by the caller" };

function formatOutcome({
  outcome,
  failure,
  healed,
}: {
  readonly outcome: string;
  readonly failure: string | null;
  readonly healed: boolean;
}): string {
  // The other outcomes name their only reason.
  const why = failure === null || outcome === "capped" || outcome === "aborted" ? "" : ` (${failure})`;
  return `${outcomes[outcome] ?? outcome}${healed ? ", healed" : ""}${why}`;
}
