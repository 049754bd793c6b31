import { z } from "zod";
import type { Context } from "../../../../context.ts";
import { requireUsableModel } from "../../../../converse/session/require-model.ts";
import { AGENT_HOST } from "../../../../domain/event/agent-session.ts";
import { type Check, findCheckFault } from "../../../../domain/goal/check.ts";
import type { Goal } from "../../../../domain/goal/goal.ts";
import { taskTiers } from "../../../../domain/goal/task.ts";
import { formatModelRef, parseModelRef } from "../../../../domain/model/model-ref.ts";
import { redact } from "../../../../domain/redact/redact.ts";
import { originOf } from "../../../../domain/trust/trust.ts";
import { parseActor } from "../../../../domain/actor.ts";
import { quoted } from "../../../../domain/trust/quote.ts";
import { plural } from "../../../../lib/text.ts";
import { isRecord, tryParseJson } from "../../../../lib/json.ts";
import type { ChatMessage } from "../../../../models/chat/chat.ts";
import { explainUnanswered } from "../../../../models/gateway/explain-unanswered.ts";
import { currentGatewayOf } from "../../../../models/gateway/gateway-of.ts";
import type { PlanDone, PlannedTask, PlanRequest } from "./cycle-parts.ts";
import { openGoalRepository } from "../places/goal-repository.ts";
import { renderCycleText } from "./render-text.ts";
import { describeGoal } from "./compose-task-prompt.ts";
import { newGoalGateway } from "./goal-gateway.ts";
import { explainNoModel } from "./work-on-task.ts";

/** Asks a model for the tasks of a goal. An answer that cannot be used goes back once, with what is wrong with it. */
export async function planGoal(
  ctx: Context,
  goal: Goal,
  { model, letter, comments }: PlanRequest,
  signal: AbortSignal,
): Promise<PlanDone> {
  const unusable = await requireUsableModel(ctx, model).then(() => null, explainNoModel);
  if (unusable !== null) return { ...nothing, deferred: unusable };
  const limit = ctx.config.policy.goals.cycleCost;
  const gateway = newGoalGateway(currentGatewayOf(ctx), { goal: goal.id, taskType: "plan", limit, failed: [] });
  const pinned = model === null ? null : parseModelRef(model);
  const messages: ChatMessage[] = [userSays(await composeQuestion(goal, letter, comments))];
  let used: string | null = null;
  let problem: string | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const answer = await gateway.complete({
      ...{ agent: AGENT_HOST, taskType: "plan", signal, ...(pinned === null ? {} : { model: pinned }) },
      chat: { system: renderCycleText("plan"), messages, maxTokens: MOST_TOKENS, temperature: 0 },
    });
    const spent = { model: formatModelRef(answer.model), cost: gateway.spent(), calls: gateway.calls() };
    if (answer.outcome !== "ok") {
      const { message, hint } = explainUnanswered(answer);
      return {
        ...nothing,
        ...spent,
        deferred: answer.cap === null ? `${message} (${hint})` : "a cap stopped the call",
      };
    }
    used = spent.model;
    const read = readPlan(answer.text, goal);
    if (typeof read !== "string") return { ...nothing, ...spent, tasks: read };
    problem = read;
    messages.push(
      { role: "assistant", parts: [{ kind: "text", text: answer.text }] },
      userSays(`This cannot be used: ${read}. Answer again with the whole JSON object, and nothing else.`),
    );
  }
  return { ...nothing, model: used, cost: gateway.spent(), calls: gateway.calls(), problem };
}

const ROUNDS = 2;
const MOST_TOKENS = 6_000;
const nothing: PlanDone = { deferred: null, tasks: null, problem: null, model: null, cost: 0, calls: [] };

function userSays(text: string): ChatMessage {
  return { role: "user", parts: [{ kind: "text", text }] };
}

async function composeQuestion(goal: Goal, letter: string, comments: PlanRequest["comments"]): Promise<string> {
  const files = goal.folder === null ? null : await listTracked(goal.folder);
  return [
    "The goal:",
    describeGoal(goal),
    goal.folder === null
      ? "It has no folder."
      : quoted([{ label: "files of its repository", origin: "tool", text: files ?? "none yet" }]),
    quoted([{ label: "where all goals stand", origin: "agent", text: letter }]),
    quoted(
      comments.map(({ id, kind, author, text }) => ({
        ...{ label: `comment ${id}, ${kind} of ${author}`, origin: originOf(parseActor(author)), text },
      })),
    ),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

async function listTracked(folder: string): Promise<string | null> {
  const { ask } = await openGoalRepository(folder);
  const { ok, stdout } = await ask(["ls-tree", "-r", "--name-only", "HEAD"]);
  return ok && stdout !== "" ? stdout.split("\n").slice(0, MOST_FILES).join("\n") : null;
}

const MOST_FILES = 200;

const command = z.string().trim().min(1).max(2_000);
const checkShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["command", "test"]), command, files: z.array(z.string().min(1)).max(50).default([]) }),
  z.object({ kind: z.literal("file"), path: z.string().min(1).max(500), contains: z.string().min(1).nullish() }),
  z.object({ kind: z.literal("commit"), paths: z.array(z.string().min(1)).min(1).max(50) }),
  z.object({ kind: z.literal("reviewer"), criteria: command }),
  z.object({ kind: z.literal("person"), asks: command }),
]);

const FEWEST_TASKS = 3;
const MOST_TASKS = 8;

const planShape = z.object({
  tasks: z
    .array(
      z.object({
        title: z.string().trim().min(1).max(200),
        description: z.string().trim().max(10_000).default(""),
        check: checkShape,
        after: z.array(z.number().int()).max(8).default([]),
        tier: z.enum(taskTiers).default("execute"),
      }),
    )
    .min(FEWEST_TASKS)
    .max(MOST_TASKS),
});

const CHECK_SECONDS = 600;

/** A text says what is wrong with the answer. */
export function readPlan(answer: string, goal: Pick<Goal, "folder">): readonly PlannedTask[] | string {
  const text = answer.trim().replace(/^```(?:json)?\s*([^]*?)\s*```$/, "$1");
  const value = tryParseJson(text);
  if (!isRecord(value)) return "it is not one JSON object";
  const read = planShape.safeParse(value);
  if (!read.success) {
    return explainPlanFault(value, read.error.issues[0]?.path ?? []);
  }
  const tasks = read.data.tasks.map((one) => ({ ...one, check: toCheck(one.check) }));
  for (const [at, { check, after, title }] of tasks.entries()) {
    const wrong = after.find((number) => number < 1 || number > at);
    if (wrong !== undefined) return `task ${at + 1} can wait only for earlier tasks, and ${wrong} is none`;
    const fault = findCheckFault(check);
    if (fault !== null) return `the check of task ${at + 1}: ${fault}`;
    if (goal.folder === null && check.kind !== "person" && check.kind !== "reviewer")
      return `the goal has no folder, so the check of task ${at + 1} must be reviewer or person`;
    const isSecret = redact(JSON.stringify(check)) !== JSON.stringify(check) || redact(title) !== title;
    if (isSecret) return `task ${at + 1} has what looks like a secret`;
  }
  return tasks;
}

/** What is wrong with a plan, in words. `path`: where. */
function explainPlanFault(plan: Readonly<Record<string, unknown>>, path: readonly PropertyKey[]): string {
  const { tasks } = plan;
  const [, at, field] = path;
  if (!Array.isArray(tasks)) return "the plan has no list of tasks";
  if (typeof at !== "number")
    return `the plan has ${plural(tasks.length, "task")}; ${FEWEST_TASKS} to ${MOST_TASKS} are needed`;
  const faults: Readonly<Record<string, string>> = {
    title: "has no title of at most 200 characters",
    description: "has a description that is no text of at most 10000 characters",
    check: "has no check that can be used",
    after: "names what it waits for by something else than numbers of tasks",
    tier: `has a tier that is none of ${taskTiers.join(", ")}`,
  };
  return `task ${at + 1} ${faults[String(field)] ?? "is not described as a task"}`;
}

function toCheck(given: z.infer<typeof checkShape>): Check {
  switch (given.kind) {
    case "command":
    case "test":
      return { kind: given.kind, command: given.command, exit: 0, seconds: CHECK_SECONDS, files: given.files };
    case "file":
      return { kind: "file", path: given.path, contains: given.contains ?? null };
    case "commit":
      return { kind: "commit", paths: given.paths, message: null };
    case "reviewer":
      return { kind: "reviewer", criteria: given.criteria, model: null };
    case "person":
      return given;
  }
}
