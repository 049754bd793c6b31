import { z } from "zod";
import type { Context } from "../../context.ts";
import type { ModelCallRow } from "../../domain/model/call-row.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listHeldOf, listUnfinished } from "../../store/models/reservations.ts";
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
    const open = await listUnfinished(ctx.db, ctx.clock.now(), limit);
    const unfinished = open
      .filter((one) => names.some((name) => name === undefined || name === one.agent))
      .map((one) => ({ ...one, at: iso(one.at), until: iso(one.until) }));
    return { calls: newest.map(summaryOut), unfinished };
  },
  render: ({ calls: found, unfinished }) =>
    found.length + unfinished.length === 0
      ? "No model has been called."
      : [
          ...unfinished.map(formatUnfinished),
          ...found.map(
            (one) =>
              `${one.id}  ${one.at}  ${one.agent}  ${one.taskType}  ${one.model}  ${formatOutcome(one)}  ${formatDollars(one.cost)}`,
          ),
          "oldhand models call ID shows one of them with its attempts and reasons.",
        ].join("\n"),
});

function formatUnfinished(one: {
  readonly id: string;
  readonly at: string;
  readonly agent: string;
  readonly amount: number;
  readonly until: string;
  readonly ended: boolean;
}): string {
  const amount = formatDollars(one.amount);
  const state = one.ended
    ? `ended without a result: up to ${amount} may have been spent`
    : `under way: up to ${amount} is reserved until ${one.until}`;
  return `${one.id}  ${one.at}  ${one.agent}  ${state}`;
}

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
  output: z
    .object({
      ...summaryShape,
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
    .meta({ id: "ModelCallDetails" }),
  run: async (ctx, { id }) => {
    const row = await getCall(ctx.db, id);
    const seen = agentsInSight(ctx);
    const isHidden = seen !== undefined && (row === null || !seen.includes(row.agent));
    if (row === null || isHidden) throw noSuchCall(id, isHidden ? [] : await listHeldOf(ctx.db, id));
    return callOut(ctx, row);
  },
  render: (one) =>
    [
      `${one.id}  ${one.at}  ${formatOutcome(one)}`,
      `${one.agent}, ${one.complexity} ${one.taskType}${one.session === null ? "" : `, session ${one.session}`}`,
      `${one.model}, ${formatDollars(one.cost)}${one.listPrice ? " at list price" : ""}, ${seconds(one.ms)}`,
      ...(one.attempts.length === 0 ? ["No provider was called."] : [plural(one.attempts.length, "attempt")]),
      ...one.attempts.map(formatAttempt),
      ...one.reserved.map(
        ({ attempt, amount, until }) => `reserved for attempt ${attempt}: ${formatDollars(amount)} until ${until}`,
      ),
      ...(one.route.length === 0 ? [] : ["Why:", ...one.route.map((text) => `  ${text}`)]),
      ...one.verdicts.map(
        ({ quality, source, note }) =>
          `quality ${quality.toFixed(2)} (${sources[source] ?? source})${note === null ? "" : `: ${note}`}`,
      ),
    ].join("\n"),
});

export const modelCallOperations = [calls, call] as const;

const sources: Readonly<Record<string, string>> = { verified: "a check", feedback: "a person", heuristic: "a guess" };

function summaryOut(row: ModelCallRow) {
  const { id, agent, taskType, complexity, outcome, failure, cost, healed } = row;
  const model = formatModelRef(row);
  return { id, at: iso(row.at), agent, taskType, complexity, model, outcome, failure, cost, healed };
}

async function callOut({ db }: Pick<Context, "db">, row: ModelCallRow) {
  const verdicts = await listQuality(db, row.id);
  const held = await listHeldOf(db, row.id);
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
    reserved: held.map(({ attempt, amount, until }) => ({ attempt, amount, until: iso(until) })),
    verdicts: verdicts.map(({ at, quality, source, note }) => ({ at: iso(at), quality, source, note })),
  };
}

function formatOutcome({
  outcome,
  failure,
  healed,
}: {
  readonly outcome: string;
  readonly failure: string | null;
  readonly healed: boolean;
}): string {
  return `${outcome}${healed ? ", healed" : ""}${failure === null ? "" : ` (${failure})`}`;
}

/** A call is stored when it has ended. Before that, only its reservations are known. */
function noSuchCall(id: string, held: Awaited<ReturnType<typeof listHeldOf>>): OldhandError {
  const [first] = held;
  if (first !== undefined)
    return new OldhandError(
      "not-found",
      `the call ${id} has not ended: up to ${formatDollars(first.amount)} is reserved for it until ${iso(first.until)}`,
      { hint: "try again when it has ended" },
    );
  return new OldhandError("not-found", `there is no model call "${id}"`, {
    hint: "oldhand models calls lists the latest",
  });
}
