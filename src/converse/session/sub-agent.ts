import { newStepBudget } from "../../domain/turn/budget.ts";
import { newId } from "../../lib/ids.ts";
import { oneLine } from "../../lib/text.ts";
import type { ToolResult } from "../tools/tool.ts";
import { textOf } from "../turn/active-entries.ts";
import { openEntryLog } from "./entry-log.ts";
import { finishTurn } from "../turn/finish-turn.ts";
import { newRedactor } from "./new-redactor.ts";
import { newOwnHost } from "./own-host.ts";
import type { SpentOnCalls } from "../turn/entry.ts";
import type { TurnEvent } from "../turn/turn-event.ts";
import type { RunningTurn, TurnSession } from "../turn/turn-parts.ts";
import { sumUsage } from "../turn/usage.ts";

/**
 * Does a task in a session of its own, whose parent is this one: same workspace, mode, caps and person; its budget draws on
 * the parent's. Only its last message comes back. It starts no sub-agents itself.
 */
export async function runSubAgent(turn: RunningTurn, task: string): Promise<ToolResult> {
  const { ctx, session: parent, emit } = turn;
  if (parent.parent !== null)
    return {
      ok: false,
      text: "A sub-agent cannot start sub-agents. Do the task yourself.",
      forPerson: "A sub-agent cannot start sub-agents.",
    };
  const at = ctx.clock.now();
  const id = newId("chat", at);
  const session: TurnSession = { ...parent, id, parent: parent.id };
  const { cwd, workspace, project } = parent;
  const row = { id, at, usedAt: at, title: oneLine(task, 80), cwd, workspace, parent: parent.id, entries: 0 };
  const redact = newRedactor(turn.parts.gateway, id);
  const log = await openEntryLog(ctx, { ...row, mode: parent.mode(), model: parent.model() }, redact);
  const host = newOwnHost(ctx, {
    id: parent.id,
    cwd,
    workspace: project,
    agent: id,
    hasPerson: parent.hasPerson,
    redact,
  });
  const limit = ctx.config.policy.chat.subAgentIterations;
  const aside: SpentOnCalls[] = [];
  const end = await finishTurn(
    {
      ...turn,
      session,
      // Its changes are part of this turn: an undo takes them back too.
      checkpoints: turn.checkpoints && {
        ...turn.checkpoints,
        beforeChange: async (_turn, path) => turn.checkpoints?.beforeChange(turn.number, path),
        afterChange: async (_turn, path) => turn.checkpoints?.afterChange(turn.number, path),
      },
      log,
      host,
      redact,
      budget: newStepBudget(limit, turn.budget),
      emit: (event) => {
        if (isForPerson(event)) emit(event);
      },
      typed: new Map(),
      aside,
    },
    { text: task, inbox: null },
  );
  turn.aside.push(sumUsage(log.entries(), { window: null, aside }));
  const last = log.entries().findLast((one) => one.kind === "assistant");
  const text = last?.kind === "assistant" ? textOf(last.message) : "";
  const ended = end.reason === "done" ? [] : [`(The sub-agent ended early: ${end.reason}. ${end.message ?? ""})`];
  // The session knows no secret of the sub-agent, so it would send one as it is.
  const result = await redact([text, ...ended].join("\n").trim());
  return { ok: end.reason === "done", text: result, origin: "agent" };
}

/** A person decides about its calls as about those of the main agent, and sees nothing else of it. */
function isForPerson({ kind }: TurnEvent): boolean {
  return kind === "approval" || kind === "approval-answered" || kind === "notice" || kind === "wait";
}
