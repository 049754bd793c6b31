import type { TaskAttempt } from "../../../domain/goal/attempt.ts";
import { agentOf, formatActor } from "../../../domain/actor.ts";
import { AGENT_HOST } from "../../../domain/event/agent-session.ts";
import type { GoalComment } from "../../../domain/goal/comment.ts";
import type { CycleOutcome } from "../../../domain/goal/cycle.ts";
import type { Goal } from "../../../domain/goal/goal.ts";
import type { Task } from "../../../domain/goal/task.ts";
import { oneLine } from "../../../lib/text.ts";
import { changeTask } from "../../../record/goals/tasks.ts";
import { listTaskAttempts, updateOpenAttempt } from "../../../store/goals/attempts.ts";
import { acknowledgeComment } from "../../../store/goals/comments.ts";
import { readTask } from "../../../store/nouns/tasks.ts";
import type { Db } from "../../../store/engine/db.ts";
import { type CheckFinding, recordVerdict } from "../proof/verify-task.ts";
import { CycleLost } from "./cycle-fence.ts";
import type { WorkDone } from "./agent/cycle-parts.ts";
import type { WorkPlace } from "./places/open-place.ts";
import { cycleWorker } from "./recover-lost.ts";
import { recordEnd, type RunningCycle } from "./running-cycle.ts";

/** What came of the work: what was committed, and what the check says of it. */
export interface JudgedWork {
  readonly commit: string | null;
  readonly leftOut: readonly string[];
  /** Null: there was nothing to check. */
  readonly finding: CheckFinding | null;
}

export interface EndedWork extends JudgedWork {
  readonly goal: Goal;
  readonly task: Task;
  readonly attempt: TaskAttempt;
  readonly place: WorkPlace;
  readonly done: WorkDone;
  /** Those that the agent was shown. */
  readonly comments: readonly GoalComment[];
}

/** Writes what came of an attempt: the attempt, the task, the log and the answers, all or nothing. */
export async function recordAttempt(running: RunningCycle, ended: EndedWork): Promise<readonly string[]> {
  const { ctx, parts } = running;
  const { goal, task, attempt, done, commit, leftOut } = ended;
  const now = await readTask(ctx.db, task.id);
  // The owner may have dropped it, or given it another check: then nothing that was found counts.
  const isChanged = now === null || now.status !== "in-progress" || now.checkHash !== task.checkHash;
  const { state, outcome, reason } = isChanged ? CHANGED : decideEnd(ended);
  const summary = `${summaries[outcome] ?? "Ended"}: "${oneLine(task.title, 100)}" (attempt ${attempt.number})`;
  const details = {
    ...{ attempt: attempt.id, number: attempt.number, branch: attempt.branch, commit, reason },
    ...{ model: done.model, cost: done.cost, tokens: done.tokens, strategy: done.report.strategy, leftOut },
    ...{ report: oneLine(done.report.text, 1_000), needs: done.report.blocked?.needs ?? null },
  };
  await recordEnd(running, { outcome, reason }, { summary, details }, async (tx) => {
    const endedAt = ctx.clock.now();
    if (!(await updateOpenAttempt(tx, { ...attempt, state, commit, reason, endedAt }))) throw new CycleLost();
    if (!isChanged) await endTask({ db: tx, clock: ctx.clock }, ended, { outcome, reason });
    else await letGo({ db: tx, clock: ctx.clock }, task.id);
    await answerComments(tx, ended, endedAt);
  });
  await parts.learn(done, outcome === "verified" ? 1 : outcome === "failed" ? 0 : null);
  const problems = await parts.join(goal, await listTaskAttempts(ctx.db, { goal: goal.id }));
  return [...problems, ...leftOut.map((path) => `${path} holds what looks like a secret, so it was not committed.`)];
}

interface AttemptEnd {
  readonly state: TaskAttempt["state"];
  readonly outcome: CycleOutcome;
  readonly reason: string;
}

const CHANGED: AttemptEnd = {
  state: "deferred",
  outcome: "deferred",
  reason: "the task was changed while it was worked on",
};

function decideEnd({ done, finding }: EndedWork): AttemptEnd {
  if (done.deferred !== null) return { state: "deferred", outcome: "deferred", reason: done.deferred };
  const { blocked } = done.report;
  if (blocked !== null) return { state: "failed", outcome: "blocked", reason: blocked.reason };
  if (finding === null) return { state: "deferred", outcome: "deferred", reason: "nothing could be checked" };
  const early = done.limit === null ? "" : ` ${done.limit}`;
  return { state: finding.verdict, outcome: finding.verdict, reason: `${finding.why}${early}` };
}

const summaries: Partial<Readonly<Record<CycleOutcome, string>>> = {
  verified: "Verified",
  claimed: "Only claimed",
  failed: "Not done",
  deferred: "Put off",
  blocked: "Blocked",
};

interface ChangeOn {
  readonly db: Db;
  readonly clock: RunningCycle["ctx"]["clock"];
}

/** A failed or deferred task waits for the next attempt; its check was recorded before, as by `task verify`. */
async function endTask(
  on: ChangeOn,
  { task, done, finding }: EndedWork,
  { outcome, reason }: Pick<AttemptEnd, "outcome" | "reason">,
): Promise<void> {
  if (finding !== null) await recordVerdict(on, task, finding);
  const change = { id: task.id, operation: "cycle" };
  await changeTask({ ...on, actor: cycleWorker }, change, (now) => {
    const isNamed = done.model === null || now.metadata["model"] === done.model;
    const metadata = isNamed ? now.metadata : { ...now.metadata, model: done.model, modelBy: "cycle" };
    if (now.status !== "in-progress") return { ...now, metadata };
    if (outcome !== "blocked") return { ...now, status: "pending", reason, metadata };
    return {
      ...now,
      status: "blocked",
      reason,
      metadata: { ...metadata, needs: done.report.blocked?.needs ?? "other" },
    };
  });
}

async function letGo(on: ChangeOn, id: string): Promise<void> {
  await changeTask({ ...on, actor: cycleWorker }, { id, operation: "cycle" }, (now) =>
    now.status === "in-progress" ? { ...now, status: "pending" } : now,
  );
}

/** What the agent answered is answered; what is no question was read. A question that it did not answer stays open. */
async function answerComments(db: Db, { comments, done, attempt }: EndedWork, at: number): Promise<void> {
  if (done.deferred !== null) return;
  const by = formatActor(agentOf({ host: AGENT_HOST, session: attempt.session }));
  for (const { id, kind } of comments) {
    const answer = done.report.answers.find(({ comment }) => comment === id)?.text ?? null;
    if (answer === null && kind === "question") continue;
    await acknowledgeComment(db, id, { by, at, answer });
  }
}
