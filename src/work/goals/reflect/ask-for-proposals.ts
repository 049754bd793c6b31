import { z } from "zod";
import type { Context } from "../../../context.ts";
import { readPromptText } from "../../../converse/prompt/read-prompt-text.ts";
import { formatModelRef, type ModelRef } from "../../../domain/model/model-ref.ts";
import { redact } from "../../../domain/redact/redact.ts";
import { findBlockReason } from "../../../domain/trust/instruction-like.ts";
import { type Quotable, quoted } from "../../../domain/trust/quote.ts";
import { parseActor } from "../../../domain/actor.ts";
import { originOf } from "../../../domain/trust/trust.ts";
import { errorMessage, OldhandError } from "../../../lib/errors.ts";
import { tryParseJson } from "../../../lib/json.ts";
import { oneLine } from "../../../lib/text.ts";
import { gatewayOf } from "../../../models/gateway/gateway-of.ts";
import type { GatewayAnswer } from "../../../models/gateway/gateway.ts";
import type { WrittenProposal } from "./plan-proposals.ts";
import type { ReflectionPlan } from "./plan-reflection.ts";
import type { ReflectionFacts } from "./read-facts.ts";

/** What came of asking a model. */
export interface AskedModel {
  /** Null: none was reached. */
  readonly model: string | null;
  /** Its call, as `oldhand models calls` names it. */
  readonly call: string | null;
  /** In US dollars. */
  readonly cost: number;
  /** What it wrote; null if that cannot be used. */
  readonly said: string | null;
  readonly proposals: readonly WrittenProposal[];
  /** Why there is nothing from it; null if there is. */
  readonly problem: string | null;
}

const answerShape = z.strictObject({
  summary: z.string().trim().min(1).max(2_000),
  proposals: z
    .array(
      z.strictObject({
        title: z.string().trim().min(1).max(200),
        description: z.string().trim().max(2_000),
        why: z.string().trim().min(1).max(1_000),
      }),
    )
    .max(10),
});

/** Asks a model for what the tables do not say. Whatever goes wrong, the reflection goes on without it. */
export async function askForProposals(
  ctx: Pick<Context, "db" | "clock" | "config" | "signal">,
  { facts, plan }: { readonly facts: ReflectionFacts; readonly plan: ReflectionPlan },
  model: ModelRef | null,
): Promise<AskedModel> {
  const gateway = gatewayOf(ctx);
  const answer = await complete(ctx, quoted(listPieces(facts, plan)), model);
  if (typeof answer === "string") return { ...nobody, problem: answer };
  const asked = { model: formatModelRef(answer.model), call: answer.call, cost: answer.cost };
  if (answer.outcome !== "ok")
    return { ...nobody, ...asked, problem: `no model answered: ${answer.failure?.message ?? answer.outcome}` };
  const read = answerShape.safeParse(tryParseJson(withoutFence(answer.text)));
  const flaw = read.success
    ? findBlockReason({ trust: "external", text: read.data.summary })
    : "it is not the JSON that was asked for";
  if (!read.success || flaw !== null) {
    await gateway.recordQuality(answer.call, {
      quality: 0,
      source: "heuristic",
      note: "the reflection could not use it",
    });
    return { ...nobody, ...asked, problem: `the answer cannot be used: ${flaw ?? ""}` };
  }
  const { summary, proposals } = read.data;
  return { ...asked, said: redact(summary), proposals, problem: null };
}

const nobody = { model: null, call: null, cost: 0, said: null, proposals: [] } as const;

/** A text says why there is no answer. */
async function complete(
  ctx: Pick<Context, "db" | "clock" | "config" | "signal">,
  text: string,
  model: ModelRef | null,
): Promise<string | GatewayAnswer> {
  try {
    return await gatewayOf(ctx).complete({
      ...{ agent: "reflection", taskType: "plan", complexity: "complex", signal: ctx.signal },
      chat: {
        system: readPromptText("reflection"),
        messages: [{ role: "user", parts: [{ kind: "text", text }] }],
        ...{ maxTokens: 2_000, temperature: 0 },
      },
      ...(model === null ? {} : { model }),
    });
  } catch (error) {
    if (!(error instanceof OldhandError) || error.code === "stopped") throw error;
    return errorMessage(error);
  }
}

/** Some models put a fence around JSON. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([^]*?)\n```\s*$/.exec(text)?.[1] ?? text.trim();
}

/** The facts, each with who it comes from. */
function listPieces(facts: ReflectionFacts, plan: ReflectionPlan): readonly Quotable[] {
  const goals = facts.goals.slice(0, MOST_PIECES).map((goal): Quotable => {
    const own = facts.tasks.filter((task) => task.goal === goal.id);
    const verified = own.filter(({ proof }) => proof === "verified").length;
    const text = `${goal.title}\n${goal.status}; ${verified} of ${own.length} tasks verified${goal.reason === null ? "" : `; ${goal.reason}`}`;
    return { label: `goal ${goal.id}`, origin: originOf(parseActor(goal.createdBy)), text };
  });
  const attempts = facts.outcomes.attempts
    .slice(-MOST_PIECES)
    .map(({ id, task, state, strategy, reason }): Quotable => ({
      label: `attempt ${id} at ${task}`,
      origin: "agent",
      text: oneLine(`${state}: ${strategy ?? "no strategy was named"}${reason === null ? "" : ` (${reason})`}`, 500),
    }));
  const learnings = facts.learnings
    .filter(({ scope }) => scope.kind === "goal" || scope.kind === "global")
    .toSorted((a, b) => b.confidence - a.confidence || (a.id < b.id ? -1 : 1))
    .slice(0, MOST_LEARNINGS)
    .map(({ id, confidence, trust, text }): Quotable => ({
      ...{ label: `learning ${id}, confidence ${confidence.toFixed(2)}`, origin: trust, text: oneLine(text, 500) },
      blocked: findBlockReason({ trust, text }),
    }));
  const found = [
    ...plan.flagged.map(
      ({ strategy, failures }) => `the strategy "${strategy}" failed ${failures} times and never worked`,
    ),
    ...plan.blockers.map(({ cause, goals: blocked }) => `${cause} blocks ${blocked.join(", ")}`),
  ];
  const summary: readonly Quotable[] =
    found.length === 0 ? [] : [{ label: "what was found", origin: "tool", text: found.join("\n") }];
  return [...goals, ...attempts, ...learnings, ...summary];
}

const MOST_PIECES = 60;
const MOST_LEARNINGS = 20;
