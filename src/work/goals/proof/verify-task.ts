import { existsSync } from "node:fs";
import type { Context } from "../../../context.ts";
import { hashCheck } from "../../../domain/goal/check.ts";
import type { Task } from "../../../domain/goal/task.ts";
import type { Change } from "../../../domain/journal.ts";
import { redact } from "../../../domain/redact/redact.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { cap } from "../../../lib/text.ts";
import { gatewayOf } from "../../../models/gateway/gateway-of.ts";
import { readCommit } from "../../../record/goals/read-commit.ts";
import { changeTask } from "../../../record/goals/tasks.ts";
import { readGoal } from "../../../store/nouns/goals.ts";
import { type CleanRepository, withCleanRepository } from "./clean-repository.ts";
import { judgeByModel } from "./judge-by-model.ts";
import { judgeCommand } from "./judge-command.ts";
import { judgeCommit, judgeFile } from "./judge-commits.ts";
import { findWork } from "./find-work.ts";
import { claimed, failed, type Judged, shortly, type CheckVerdict } from "./verdict.ts";

type VerifyContext = Pick<Context, "db" | "clock" | "config" | "signal" | "report">;

export interface Verification {
  readonly task: Task;
  readonly change: Change<Task> | null;
  readonly verdict: CheckVerdict["kind"];
  /** What was run or found, or what is missing. */
  readonly why: string;
  /** The commit that was judged; null if none was. */
  readonly commit: string | null;
  /** The branch whose commit was judged; null: the folder's last commit, or the one that was asked for. */
  readonly branch: string | null;
  /** Then its record stays, whatever the check says now. */
  readonly wasVerified: boolean;
  /** Files in the folder that are not committed, and so were not judged. Null: not known. */
  readonly uncommitted: number | null;
}

/** What a check says of a commit, before it is recorded. */
export interface CheckFinding extends Pick<Verification, "verdict" | "why" | "commit" | "uncommitted"> {}

export interface CheckRequest {
  readonly task: Task;
  /** Null: of `verifyTask`, what a cycle left that is not merged yet; else, HEAD of the goal's folder. */
  readonly commit: string | null;
  /** Where the attempt began that is judged: it must have changed something since. Absent: when the task was made. */
  readonly since?: string | null | undefined;
}

/** Runs a task's check and records what came of it, as a worker: not even the owner can say that a check passed. */
export async function verifyTask(ctx: VerifyContext, request: CheckRequest): Promise<Verification> {
  const work = request.commit === null ? await findWork(ctx, request.task) : null;
  const found = await runTaskCheck(ctx, { ...request, commit: request.commit ?? work?.commit ?? null });
  const written = await recordVerdict(ctx, request.task, found);
  return { ...written, ...found, branch: work?.branch ?? null, wasVerified: request.task.proof === "verified" };
}

/** Runs a task's check, and writes nothing. */
export async function runTaskCheck(
  ctx: VerifyContext,
  { task, commit: name, since = null }: CheckRequest,
): Promise<CheckFinding> {
  requireCheckable(task);
  const found: Found =
    task.proof === "verified" && task.check.kind === "person"
      ? { verdict: { kind: "verified", what: task.result ?? "a person said yes" }, commit: null, uncommitted: null }
      : await judgeTask(ctx, task, { name, since });
  const { verdict, commit, uncommitted } = found;
  const why = cap(redact(verdict.kind === "verified" ? verdict.what : verdict.why), MOST_CHARACTERS);
  return { verdict: verdict.kind, why, commit, uncommitted };
}

/** Sets what a task has become by its check. Throws if the task was changed while its check ran. */
export function recordVerdict(
  { db, clock }: Pick<Context, "db" | "clock">,
  task: Task,
  { verdict, why, commit }: CheckFinding,
): Promise<Pick<Verification, "task" | "change">> {
  const worker = { db, clock, actor: { kind: "worker", id: "proof" } as const };
  return changeTask(worker, { id: task.id, operation: "task verify" }, (now) => {
    if (now.checkHash !== task.checkHash || hashCheck(now.check) !== task.checkHash || now.status === "dropped")
      throw new OldhandError("conflict", `task ${task.id} was changed while its check ran`, {
        hint: `oldhand task verify ${task.id} runs it again`,
      });
    if (now.proof === "verified") return now;
    return applyVerdict(now, verdict, { why, commit, endedAt: clock.now() });
  });
}

const MOST_CHARACTERS = 2_000;

function applyVerdict(
  task: Task,
  verdict: CheckVerdict["kind"],
  { why, commit, endedAt }: { readonly why: string; readonly commit: string | null; readonly endedAt: number },
): Task {
  const at = commit === null ? "" : `${shortly(commit)}: `;
  if (verdict === "verified")
    return { ...task, status: "done", proof: "verified", result: `${at}${why}`, reason: null, endedAt };
  if (verdict === "claimed")
    return { ...task, status: "done", proof: "claimed", reason: why, endedAt: task.endedAt ?? endedAt };
  // Work that was only claimed, and whose check says no, is not done.
  const status = task.status === "done" ? "pending" : task.status;
  return { ...task, status, proof: null, reason: why, endedAt: null };
}

function requireCheckable(task: Task): void {
  const { id, check, checkHash, status } = task;
  if (hashCheck(check) !== checkHash)
    throw new OldhandError("refused", `the check of task ${id} is not the one that it was made with`, {
      hint: `somebody changed it in the database; oldhand task edit ${id} --check COMMAND binds one anew`,
    });
  if (status === "dropped")
    throw new OldhandError("conflict", `task ${id} is dropped`, { hint: `oldhand task retry ${id} takes it up again` });
  if (check.kind === "person" && task.proof !== "verified")
    throw new OldhandError("usage", `a person's yes decides task ${id}: ${check.asks}`, {
      hint: `oldhand task done ${id} is your yes`,
    });
}

type Found = { readonly verdict: CheckVerdict } & Pick<Verification, "commit" | "uncommitted">;

async function judgeTask(
  ctx: VerifyContext,
  task: Task,
  { name, since }: { readonly name: string | null; readonly since: string | null },
): Promise<Found> {
  const folder = (await readGoal(ctx.db, task.goal))?.folder ?? null;
  // Without work to look at, a claim is not shown, but not refuted either.
  const nothingDone = (why: string) => (task.proof === "claimed" ? claimed(why) : failed(why));
  const unseen = (verdict: CheckVerdict): Found => ({ verdict, commit: null, uncommitted: null });
  if (folder === null) return unseen(claimed("The goal has no folder, so there is nothing that a check can look at."));
  if (!existsSync(folder))
    return unseen(
      nothingDone(`The folder ${folder} is not there; oldhand goal edit ${task.goal} --folder PATH says where it is.`),
    );
  const head = await readCommit(folder, name ?? "HEAD");
  if (head === null) {
    if (name !== null) throw new OldhandError("usage", `there is no commit ${name} in ${folder}`);
    return unseen(nothingDone(`Nothing was committed in ${folder}.`));
  }
  return withCleanRepository(folder, async (repository) => {
    const judged = await readJudged(repository, task.base, head);
    if (judged.isBaseGone)
      return unseen(
        claimed(`The commit from which the work began, ${shortly(task.base ?? "")}, is not in ${folder} any more.`),
      );
    const isIdle = since !== null && (await repository.listChanges(await repository.treeOf(since), head)).length === 0;
    const uncommitted = name === null ? await repository.countUncommitted(folder, head) : null;
    const verdict =
      judged.changes.length === 0
        ? nothingDone(
            head === task.base
              ? "Nothing was committed since the task was made."
              : "The commits since the task was made change nothing.",
          )
        : await judge(ctx, { repository, folder, task }, judged);
    // An earlier task may have made it already.
    if (isIdle && verdict.kind !== "verified")
      return { verdict: failed(`The attempt changed nothing. ${verdict.why}`), commit: head, uncommitted };
    return { verdict, commit: head, uncommitted };
  });
}

async function readJudged(
  repository: CleanRepository,
  began: string | null,
  head: string,
): Promise<Judged & { readonly isBaseGone: boolean }> {
  const base = await repository.treeOf(began);
  const isAncestor = began === null || (await repository.ask(["merge-base", "--is-ancestor", began, head])).ok;
  const isSound = await repository.isSound(base === began ? [base, head] : [head]);
  return {
    ...{ base, head, isBaseGone: began !== null && base !== began, changes: await repository.listChanges(base, head) },
    doubt: !isSound
      ? "Objects of the repository are damaged or missing; git fsck says which."
      : isAncestor
        ? null
        : `The commit does not follow from ${shortly(began)}, where the work began: the history was rewritten.`,
  };
}

function judge(
  ctx: VerifyContext,
  { repository, folder, task }: { readonly repository: CleanRepository; readonly folder: string; readonly task: Task },
  judged: Judged,
): Promise<CheckVerdict> | CheckVerdict {
  const { check } = task;
  switch (check.kind) {
    case "command":
    case "test":
      return judgeCommand(ctx, { repository, folder }, check, judged);
    case "file":
      return judgeFile(repository, check, judged);
    case "commit":
      return judgeCommit(repository, check, judged);
    case "reviewer":
      return judgeByModel(ctx, { gateway: gatewayOf(ctx), repository, task }, check, judged);
    case "person":
      throw new Error("a person's yes is no check to run");
  }
}
