import { isOwner, parseActor } from "../../../../domain/actor.ts";
import type { TaskAttempt } from "../../../../domain/goal/attempt.ts";
import { describeCheck } from "../../../../domain/goal/check.ts";
import type { GoalComment } from "../../../../domain/goal/comment.ts";
import type { FailingStrategy } from "../../../../domain/goal/strategy.ts";
import type { Goal } from "../../../../domain/goal/goal.ts";
import type { Task } from "../../../../domain/goal/task.ts";
import type { Memory } from "../../../../domain/memory/memory.ts";
import { findBlockReason } from "../../../../domain/trust/instruction-like.ts";
import { type Quotable, quoted } from "../../../../domain/trust/quote.ts";
import { originOf } from "../../../../domain/trust/trust.ts";
import { oneLine } from "../../../../lib/text.ts";
import { renderCycleText } from "./render-text.ts";

/** What an agent is told about its task. */
export interface TaskBriefing {
  readonly goal: Goal;
  readonly task: Task;
  readonly folder: string;
  readonly notes: readonly string[];
  /** Open ones of the goal. */
  readonly comments: readonly GoalComment[];
  /** Those that count, and what came before the task was taken up again. */
  readonly failed: readonly TaskAttempt[];
  /** Of the goal, by the tables. */
  readonly memories: readonly Memory[];
  /** Of elsewhere, by meaning. */
  readonly fitting: readonly Memory[];
  /** Ways that failed so often for this goal that another should be tried. */
  readonly failing: readonly FailingStrategy[];
  /** Where all goals stand. */
  readonly letter: string;
  /** What the day before left. */
  readonly handoff: string | null;
}

/** `isFirst`: the session of the day begins, so that everything is said; later only what is new. */
export function composeTaskPrompt(briefing: TaskBriefing, { isFirst }: { readonly isFirst: boolean }): string {
  const task = renderCycleText("task", {
    task: describeTask(briefing.task),
    folder: briefing.folder,
    check: describeCheck(briefing.task.check),
    notes: briefing.notes.join("\n"),
    comments: section(
      "What was said about the goal, and nobody has answered",
      quotedOrNone(briefing.comments.map(quoteComment)),
    ),
    failed: [describeFailed(briefing.failed), describeFailing(briefing.failing)].join("\n\n").trim(),
    fitting: section("What may fit this task", quotedOrNone(briefing.fitting.map(quoteMemory))),
  });
  if (!isFirst) return task;
  const { goal, letter, handoff, memories } = briefing;
  const boot = renderCycleText("boot", {
    goal: describeGoal(goal),
    handoff: handoff === null ? "" : section("What the last day left", quoteOwn("handoff", handoff)),
    letter: section("Where the goals stand", quoteOwn("snapshot", letter)),
    memories: section("What is known about this goal", quotedOrNone(memories.map(quoteMemory))),
  });
  return `${boot}\n\n${task}`;
}

export function describeGoal({ id, title, description, createdBy }: Goal): string {
  return describeWish({ id, title, description, createdBy }, "goal");
}

function describeTask({ id, title, description, createdBy }: Task): string {
  return describeWish({ id, title, description, createdBy }, "task");
}

/** The owner's words as they are, those of agents as quoted data. */
function describeWish(
  { id, title, description, createdBy }: Pick<Task, "id" | "title" | "description" | "createdBy">,
  what: string,
): string {
  const actor = parseActor(createdBy);
  const text = description === "" ? title : `${title}\n\n${description}`;
  if (isOwner(actor)) return `${text}\n(${what} ${id})`;
  const origin = originOf(actor);
  const blocked = findBlockReason({ trust: origin, text });
  return quoted([{ label: `${what} ${id}`, origin, text, blocked }], `What the ${what} is, as it was planned:`);
}

function quoteComment({ id, kind, author, text }: GoalComment): Quotable {
  const origin = originOf(parseActor(author));
  return {
    ...{ label: `comment ${id}, ${kind} of ${author}`, origin, text },
    blocked: findBlockReason({ trust: origin, text }),
  };
}

function quoteMemory(memory: Memory): Quotable {
  const { id, origin, text, confidence } = memory;
  return {
    ...{ label: `memory ${id}, confidence ${confidence.toFixed(2)}`, origin, text },
    blocked: findBlockReason(memory),
  };
}

function quoteOwn(label: string, text: string): string {
  return quoted([{ label, origin: "agent", text }]);
}

function quotedOrNone(pieces: readonly Quotable[]): string {
  return pieces.length === 0 ? "" : quoted(pieces);
}

/** After three attempts in one way, another way is asked for. */
function describeFailed(attempts: readonly TaskAttempt[]): string {
  if (attempts.length === 0) return "";
  const lines = attempts.map(
    ({ number, strategy, reason, state }) =>
      `Attempt ${number} (${strategy === null ? "no strategy named" : oneLine(strategy, 200)}): ${state === "lost" ? "it ended without a word" : oneLine(reason ?? "its check failed", 500)}`,
  );
  const asks = "Find out why before you begin, and choose another way than these.";
  return section(
    "What was tried before, without success",
    `${quoteOwn("earlier attempts", lines.join("\n"))}\n${asks}`,
  );
}

function describeFailing(strategies: readonly FailingStrategy[]): string {
  if (strategies.length === 0) return "";
  const lines = strategies.map(({ strategy, failures }) => `${oneLine(strategy, 200)}: ${failures} times`);
  return section(
    "Ways that keep failing for this goal",
    `${quoteOwn("strategies", lines.join("\n"))}\nDo not use these again. Name another way with [STRATEGY].`,
  );
}

function section(title: string, body: string): string {
  return body === "" ? "" : `### ${title}\n\n${body}`;
}
