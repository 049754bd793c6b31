import type { TaskAttempt } from "../../../domain/goal/attempt.ts";
import type { CycleChoice } from "../../../domain/goal/choose-action.ts";
import type { Goal } from "../../../domain/goal/goal.ts";
import type { Task } from "../../../domain/goal/task.ts";
import { newId } from "../../../lib/ids.ts";
import { oneLine } from "../../../lib/text.ts";
import { changeTask } from "../../../record/goals/tasks.ts";
import { insertTaskAttempt, updateOpenAttempt } from "../../../store/goals/attempts.ts";
import type { Db } from "../../../store/engine/db.ts";
import { withJournalLock } from "../../../store/journal/journal.ts";
import { readTask } from "../../../store/nouns/tasks.ts";
import type { CheckFinding } from "../proof/verify-task.ts";
import { choosePhaseModel } from "./choose-phase-model.ts";
import { CycleLost } from "./cycle-fence.ts";
import type { WorkDone } from "./agent/cycle-parts.ts";
import type { Orientation } from "./orient.ts";
import type { WorkPlace } from "./places/open-place.ts";
import { type JudgedWork, recordAttempt } from "./record-attempt.ts";
import { cycleWorker } from "./recover-lost.ts";
import type { RunningCycle } from "./running-cycle.ts";

type ExecuteChoice = Extract<CycleChoice, { readonly action: "execute" }>;

/** One attempt at one task, in a worktree of its own. */
export async function doTask(
  running: RunningCycle,
  choice: ExecuteChoice,
  oriented: Orientation,
): Promise<readonly string[]> {
  const { ctx, parts, row } = running;
  const { goal } = choice;
  await row.enter("prepare");
  const { attempt: begun, task } = await beginAttempt(running, choice, oriented);
  const place = await parts.openPlace(
    goal,
    begun,
    oriented.attempts.filter((one) => one.goal === goal.id),
  );
  let attempt = await write(ctx.db, { ...begun, ...pick(place) });
  await row.enter("execute");
  const model = choosePhaseModel(choice, running.options.model);
  const comments = oriented.comments.filter((one) => one.goal === goal.id);
  const briefing = {
    ...{ goal, task, folder: place.folder, notes: place.notes, letter: oriented.letter, comments, handoff: null },
    failed: oriented.attempts.filter((one) => one.task === task.id && COUNTED.has(one.state)),
    ...(await parts.recall(goal, task)),
  };
  const begins = async (session: string) => {
    attempt = await write(ctx.db, { ...attempt, session });
    await row.write({ session });
  };
  const done = await parts.work({ cycle: row.now(), attempt, briefing, model, begins }, ctx.signal);
  attempt = { ...attempt, strategy: done.report.strategy, model: done.model, cost: done.cost, session: done.session };
  await row.write({ model: done.model, cost: done.cost });
  const finding = await judgeWork(running, { goal, task, place, done });
  return recordAttempt(running, { goal, task, attempt, place, done, comments, ...finding });
}

const COUNTED: ReadonlySet<TaskAttempt["state"]> = new Set(["failed", "lost"]);

/** The attempt's row and the task's state are written together: from here on, a crash costs one attempt. */
async function beginAttempt(
  { ctx, parts, row }: RunningCycle,
  { goal, task }: ExecuteChoice,
  { attempts }: Orientation,
): Promise<{ readonly attempt: TaskAttempt; readonly task: Task }> {
  const number = Math.max(0, ...attempts.filter((one) => one.task === task.id).map((one) => one.number)) + 1;
  const beganAt = ctx.clock.now();
  const attempt: TaskAttempt = {
    ...{ id: newId("try", beganAt), task: task.id, goal: goal.id, number, cycle: row.now().id, state: "open" },
    ...{ strategy: null, base: null, session: null, commit: null, model: null, cost: 0, reason: null },
    ...parts.namePlace(goal, { task: task.id, number }),
    ...{ beganAt, endedAt: null },
  };
  return withJournalLock(ctx.db, async (tx) => {
    await row.write({ attempt: attempt.id }, tx);
    if (!(await insertTaskAttempt(tx, attempt))) throw new CycleLost();
    await changeTask({ db: tx, clock: ctx.clock, actor: cycleWorker }, { id: task.id, operation: "cycle" }, (now) => ({
      ...now,
      status: "in-progress",
    }));
    return { attempt, task: (await readTask(tx, task.id)) ?? task };
  });
}

function pick({ folder, base, branch }: WorkPlace): Pick<TaskAttempt, "folder" | "base" | "branch"> {
  return { folder, base, branch };
}

async function write(db: Db, attempt: TaskAttempt): Promise<TaskAttempt> {
  if (!(await updateOpenAttempt(db, attempt))) throw new CycleLost();
  return attempt;
}

/** Commits what was done, and runs the check on it: unless nobody could work. */
async function judgeWork(
  { parts, row }: RunningCycle,
  {
    goal,
    task,
    place,
    done,
  }: { readonly goal: Goal; readonly task: Task; readonly place: WorkPlace; readonly done: WorkDone },
): Promise<JudgedWork> {
  await row.enter("commit");
  const { report } = done;
  const message = [`${oneLine(task.title, 100)} (${task.id})`, report.commitMessage ?? ""].filter((one) => one !== "");
  // Partial work is committed too: on the branch of its attempt it is in nobody's way, and can be looked at.
  const { commit, leftOut } = await parts.commit(goal, place, message.join("\n\n"));
  await row.enter("verify");
  if (done.deferred !== null || report.blocked !== null) return { commit, leftOut, finding: null };
  if (task.check.kind === "person")
    return { commit, leftOut, finding: claim(`A person's yes decides it: ${task.check.asks}`, commit) };
  return { commit, leftOut, finding: await parts.check(task, { commit, base: place.base }) };
}

function claim(why: string, commit: string | null): CheckFinding {
  return { verdict: "claimed", why, commit, uncommitted: null };
}
