import type { Context } from "../../context.ts";
import { isOwner, parseActor } from "../../domain/actor.ts";
import { type Goal, hasEnded } from "../../domain/goal/goal.ts";
import { type Letter, type LetterItem, toAttemptItems, toDoneItem } from "../../domain/goal/letter.ts";
import type { Task } from "../../domain/goal/task.ts";
import { formatMissReason } from "../../domain/work/slot.ts";
import { DAY } from "../../lib/clock.ts";
import { listRulesLearnedSince } from "../../recall/learned-line.ts";
import { listWaitingApprovals } from "../../store/chat/approvals.ts";
import { listAttemptsEnded } from "../../store/goals/attempts.ts";
import { countCycles, type Looked, sumCostByModel, sumSlots } from "../../store/goals/away.ts";
import { listComments } from "../../store/goals/comments.ts";
import { listGoals } from "../../store/nouns/goals.ts";
import { listIdentityProposals } from "../../store/nouns/identity-proposals.ts";
import { listJobs } from "../../store/nouns/jobs.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { listTasksWith, readTask } from "../../store/nouns/tasks.ts";

type LetterContext = Pick<Context, "db" | "clock">;

/** How far the first letter goes back, because nobody looked before it. */
const FIRST_LETTER_DAYS = 30;

/** The letter from `since`, or from when the owner last looked, until now. */
export async function writeLetter(
  ctx: LetterContext,
  { looked, since }: { readonly looked: Looked | null; readonly since: number | null },
): Promise<Letter> {
  const { db } = ctx;
  const until = ctx.clock.now();
  const stretch = { since: since ?? looked?.at ?? until - FIRST_LETTER_DAYS * DAY, until };
  const goals = new Map((await listGoals(db)).map((one) => [one.id, one]));
  const titleOf = (id: string) => goals.get(id)?.title ?? null;
  const done = await listDone(ctx, stretch, goals);
  const slots = await sumSlots(db, stretch);
  const jobs = new Map((await listJobs(db)).map(({ id, name }) => [id, name]));
  const slotItems = (fate: "missed" | "failed") =>
    slots
      .filter((one) => one.fate === fate)
      .map(({ job, reason, detail, times, at }): LetterItem => {
        const name = jobs.get(job) ?? job;
        const why = [formatMissReason({ reason, detail }), detail].filter((one) => one !== null).join(": ");
        return {
          kind: "job",
          id: job,
          title: name,
          of: null,
          why: why || null,
          times,
          at,
          command: `oldhand job why ${name}`,
        };
      });
  return {
    ...stretch,
    before: looked?.before ?? null,
    verified: done.verified.map((task) => toDoneItem(task, titleOf(task.goal))),
    claimed: done.claimed.map((task) => toDoneItem(task, titleOf(task.goal))),
    failed: [...(await listFailed(ctx, stretch, titleOf)), ...slotItems("failed")],
    asked: await listAsked(ctx, [...goals.values()]),
    blocked: await listBlocked(ctx, [...goals.values()]),
    skipped: [...(await listDeferred(ctx, stretch, titleOf)), ...slotItems("missed")],
    reached: [...goals.values()].filter((goal) => isReachedIn(goal, stretch)).map((goal) => goalItem(goal, null)),
    cycles: await countCycles(db, stretch),
    cost: await sumCostByModel(db, stretch),
    learned: (await listRulesLearnedSince(db, await listRules(db), stretch.since)).map(({ id, text }) => ({
      id,
      text,
    })),
  };
}

/** What became of tasks since, and what waits for the owner: a part of the letter that is quick to find. */
export async function listAway(
  ctx: LetterContext,
  looked: Looked | null,
): Promise<Pick<Letter, "verified" | "claimed" | "asked" | "blocked">> {
  const until = ctx.clock.now();
  const endedIn = { since: looked?.at ?? until - FIRST_LETTER_DAYS * DAY, until };
  const goals = await listGoals(ctx.db);
  const done = await listDone(ctx, endedIn, new Map(goals.map((goal) => [goal.id, goal])));
  return {
    verified: done.verified.map((task) => toDoneItem(task, null)),
    claimed: done.claimed.map((task) => toDoneItem(task, null)),
    asked: await listAsked(ctx, goals),
    blocked: await listBlocked(ctx, goals),
  };
}

interface Stretch {
  readonly since: number;
  readonly until: number;
}

/** What was done since. What is only claimed waits for the owner while its goal goes on, so it is said again, whenever it was claimed. */
async function listDone(
  { db }: Pick<LetterContext, "db">,
  { since, until }: Stretch,
  goals: ReadonlyMap<string, Goal>,
): Promise<{ readonly verified: readonly Task[]; readonly claimed: readonly Task[] }> {
  const done = await listTasksWith(db, { status: "done" });
  const isIn = ({ endedAt }: Task) => endedAt !== null && endedAt > since && endedAt <= until;
  const isOpen = ({ goal: id }: Task) => {
    const goal = goals.get(id);
    return goal !== undefined && !hasEnded(goal);
  };
  return {
    verified: done.filter((task) => task.proof === "verified" && isIn(task)),
    claimed: done.filter((task) => task.proof !== "verified" && (isIn(task) || isOpen(task))),
  };
}

type TitleOf = (goal: string) => string | null;

/** A task that was done after all is not among them. */
async function listFailed({ db }: LetterContext, stretch: Stretch, titleOf: TitleOf): Promise<readonly LetterItem[]> {
  const attempts = await listAttemptsEnded(db, { ...stretch, states: ["failed", "lost"] });
  const tasks = await readTasks(
    { db },
    attempts.map(({ task }) => task),
  );
  const open = [...tasks.values()].filter(({ status }) => status === "pending" || status === "in-progress");
  return toAttemptItems(attempts, find(open, titleOf), ({ goal }) => `oldhand goal show ${goal}`);
}

async function listDeferred({ db }: LetterContext, stretch: Stretch, titleOf: TitleOf): Promise<readonly LetterItem[]> {
  const attempts = await listAttemptsEnded(db, { ...stretch, states: ["deferred"] });
  const tasks = await readTasks(
    { db },
    attempts.map(({ task }) => task),
  );
  const open = [...tasks.values()].filter(({ status }) => status !== "done" && status !== "dropped");
  return toAttemptItems(attempts, find(open, titleOf), () => null);
}

function find(tasks: readonly Task[], titleOf: TitleOf) {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return (id: string) => {
    const task = byId.get(id);
    return task === undefined ? null : { task, of: titleOf(task.goal) };
  };
}

async function readTasks({ db }: Pick<Context, "db">, ids: readonly string[]): Promise<ReadonlyMap<string, Task>> {
  const tasks = new Map<string, Task>();
  for (const id of new Set(ids)) {
    const task = await readTask(db, id);
    if (task !== null) tasks.set(id, task);
  }
  return tasks;
}

/** What waits for an answer of the owner, whenever it was asked. */
async function listAsked({ db, clock }: LetterContext, goals: readonly Goal[]): Promise<readonly LetterItem[]> {
  const titles = new Map(goals.map(({ id, title }) => [id, title]));
  const questions = (await listComments(db, { isOpen: true })).filter(
    ({ kind, author }) => kind === "question" && !isOwner(parseActor(author)),
  );
  const approvals = await listWaitingApprovals(db, clock.now());
  const proposals = (await listIdentityProposals(db)).filter(({ status }) => status === "open");
  return [
    ...questions.map(({ id, goal, text, at }) => {
      const of = titles.get(goal) ?? null;
      return item({ kind: "question", id, title: text, of, at, command: `oldhand comment answer ${id} TEXT` });
    }),
    ...approvals.map(({ id, summary, reason, at }) =>
      item({ kind: "approval", id, title: summary, why: reason, at, command: `oldhand approvals approve ${id}` }),
    ),
    ...goals
      .filter(({ status }) => status === "proposed")
      .map((goal) => goalItem(goal, `oldhand goal approve ${goal.id}`)),
    ...proposals.map(({ id, file, reason, createdAt }) => {
      const title = `a change of ${file}`;
      return item({ kind: "proposal", id, title, why: reason, at: createdAt, command: `oldhand soul accept ${id}` });
    }),
  ];
}

/** What goes on only if the owner does something. A goal that only its tasks block is not said again. */
async function listBlocked({ db }: LetterContext, goals: readonly Goal[]): Promise<readonly LetterItem[]> {
  const titles = new Map(goals.map(({ id, title }) => [id, title]));
  const worked = new Set(goals.filter(({ status }) => status === "active" || status === "blocked").map(({ id }) => id));
  const tasks = (await listTasksWith(db, { status: "blocked" })).filter(({ goal }) => worked.has(goal));
  const saidGoals = new Set(tasks.map(({ goal }) => goal));
  return [
    ...tasks.map(({ id, title, goal, reason, madeAt }) => {
      const of = titles.get(goal) ?? null;
      return item({ kind: "task", id, title, of, why: reason, at: madeAt, command: `oldhand task retry ${id}` });
    }),
    ...goals
      .filter(({ id, status }) => status === "blocked" && !saidGoals.has(id))
      .map((goal) => goalItem(goal, `oldhand goal resume ${goal.id}`)),
  ];
}

function isReachedIn({ status, endedAt }: Goal, { since, until }: Stretch): boolean {
  return status === "done" && endedAt !== null && endedAt > since && endedAt <= until;
}

function goalItem({ id, title, reason, endedAt, madeAt }: Goal, command: string | null): LetterItem {
  return item({ kind: "goal", id, title, why: reason, at: endedAt ?? madeAt, command });
}

function item(given: Omit<LetterItem, "of" | "why" | "times"> & Partial<LetterItem>): LetterItem {
  return { of: null, why: null, times: 1, ...given };
}
