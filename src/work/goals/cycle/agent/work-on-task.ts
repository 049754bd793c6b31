import type { Context } from "../../../../context.ts";
import { openCompaction } from "../../../../converse/compaction/compact.ts";
import { openChatSession } from "../../../../converse/session/open-chat-session.ts";
import { explainOff } from "../../../../converse/session/require-on.ts";
import { requireUsableModel } from "../../../../converse/session/require-model.ts";
import { textOf } from "../../../../converse/turn/active-entries.ts";
import type { ChatSession } from "../../../../converse/turn/chat-session.ts";
import type { TurnEvent } from "../../../../converse/turn/turn-event.ts";
import type { ProviderSettings } from "../../../../domain/model/endpoint.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../../../domain/model/model-ref.ts";
import { MINUTE } from "../../../../lib/clock.ts";
import { OldhandError } from "../../../../lib/errors.ts";
import { currentGatewayOf } from "../../../../models/gateway/gateway-of.ts";
import type { Assignment, WorkDone } from "./cycle-parts.ts";
import { composeTaskPrompt } from "./compose-task-prompt.ts";
import { beginAgentDay, type AgentDay } from "./agent-day.ts";
import { newGoalGateway } from "./goal-gateway.ts";
import { readReport } from "./read-report.ts";

/** Lets oldhand's own agent do a task, unattended, in the session of its day. */
export async function workOnTask(ctx: Context, given: Assignment, signal: AbortSignal): Promise<WorkDone> {
  const { briefing, model } = given;
  const { goal, task, failed } = briefing;
  const { cycleCost, cycleMinutes } = ctx.config.policy.goals;
  const off = explainOff(ctx.config, goal.folder);
  if (off !== null) return newWorkDone({ deferred: off });
  const unusable = await requireUsableModel(ctx, model).then(() => null, explainNoModel);
  if (unusable !== null) return newWorkDone({ deferred: unusable });
  const gateway = newGoalGateway(currentGatewayOf(ctx), {
    ...{ goal: goal.id, taskType: task.tier, limit: cycleCost },
    failed: listOthersToTry(
      failed.flatMap((one) => one.model ?? []),
      ctx.config.providers,
    ),
  });
  const timeUp = AbortSignal.timeout(cycleMinutes * MINUTE);
  const inside = { ...ctx, signal: AbortSignal.any([signal, timeUp]) };
  const day = await beginAgentDay(ctx, goal.id);
  const session = await openChatSession(inside, {
    ...{ cwd: briefing.folder, worktree: { folder: briefing.folder, of: goal.folder ?? briefing.folder } },
    ...{ mode: "unattended", hasPerson: false, surface: "cycle", model, session: day.session ?? undefined },
    parts: { gateway, compaction: openCompaction(inside, gateway) },
  });
  try {
    await day.keep(session.id);
    await given.begins(session.id);
    const first = session.entries().length;
    const told = composeTaskPrompt({ ...briefing, handoff: day.handoff }, { isFirst: first === 0 });
    const before = session.usage();
    const end = await hear(ctx, session, told);
    const spoke = readSession(session, first);
    const report = readReport(spoke.said);
    const after = session.usage();
    const limit = timeUp.aborted
      ? `The time of a cycle was over (goals.cycleMinutes: ${cycleMinutes}).`
      : gateway.isOverLimit()
        ? `The money of a cycle was spent (goals.cycleCost: ${cycleCost} dollars).`
        : (endTexts[end.reason] ?? null);
    if (end.reason === "stopped" && !timeUp.aborted) throw new OldhandError("stopped", "the cycle was stopped");
    await writeDay(day, report.text, task.title);
    return {
      ...newWorkDone({ deferred: limit === null ? findDeferral(end) : null, limit, report }),
      ...{ session: session.id, model: spoke.model, cost: gateway.spent(), calls: gateway.calls() },
      tokens: {
        in: after.tokensIn - before.tokensIn,
        out: after.tokensOut - before.tokensOut,
        cached: after.tokensCached - before.tokensCached,
      },
    };
  } finally {
    await session.close();
  }
}

/** The models that failed at the task, if another one is there that did not; else all may try again. */
function listOthersToTry(failed: readonly string[], { defaultModel, models }: ProviderSettings): readonly ModelRef[] {
  const all = [...models, ...(defaultModel === null ? [] : [defaultModel])].map(formatModelRef);
  const isLeft = all.some((name) => !failed.includes(name));
  return isLeft ? [...new Set(failed)].flatMap((name) => parseModelRef(name) ?? []) : [];
}

type TurnEndEvent = Extract<TurnEvent, { readonly kind: "turn-end" }>;

const endTexts: Partial<Readonly<Record<TurnEndEvent["reason"], string>>> = {
  budget: "The turn had used all of its steps.",
  handoff: "The conversation had become too long.",
};

async function hear(ctx: Context, session: ChatSession, text: string): Promise<TurnEndEvent> {
  let end: TurnEndEvent | null = null;
  for await (const event of session.send(text)) {
    if (event.kind === "turn-end") end = event;
    if (event.kind === "tool-start") ctx.report({ text: await session.redact(event.summary) });
  }
  if (end === null) throw new Error("a turn ended without its end");
  return end;
}

function readSession(session: ChatSession, from: number): { readonly said: string; readonly model: string | null } {
  const answers = session
    .entries()
    .slice(from)
    .flatMap((one) => (one.kind === "assistant" ? [one] : []));
  const last = answers.at(-1);
  return { said: last === undefined ? "" : textOf(last.message), model: last?.model ?? null };
}

/** Why nobody could work; null if somebody did. What the model itself got wrong counts as an attempt. */
function findDeferral({ reason, code, message }: TurnEndEvent): string | null {
  if (reason !== "capped" && reason !== "failed") return null;
  return code === "refused" || code === "input" ? null : (message ?? "no model answered");
}

export function explainNoModel(error: unknown): string {
  if (!(error instanceof OldhandError)) throw error;
  return error.hint === undefined ? error.message : `${error.message} (${error.hint})`;
}

export function newWorkDone(of: Partial<WorkDone>): WorkDone {
  return {
    ...{ deferred: null, limit: null, report: readReport(""), session: null, model: null, cost: 0, calls: [] },
    tokens: { in: 0, out: 0, cached: 0 },
    ...of,
  };
}

/** What the next day must know of this one. */
async function writeDay(day: AgentDay, report: string, title: string): Promise<void> {
  if (report !== "") await day.handOver(`The last task was "${title}". ${report}`);
}
