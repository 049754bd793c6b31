import type { Context } from "../../../../context.ts";
import type { TaskAttempt } from "../../../../domain/goal/attempt.ts";
import type { Check } from "../../../../domain/goal/check.ts";
import type { Cycle } from "../../../../domain/goal/cycle.ts";
import type { Goal } from "../../../../domain/goal/goal.ts";
import type { Snapshot } from "../../../../domain/goal/snapshot.ts";
import type { Task } from "../../../../domain/goal/task.ts";
import type { CheckFinding } from "../../proof/verify-task.ts";
import type { TaskReport } from "./read-report.ts";
import type { TaskBriefing } from "./compose-task-prompt.ts";
import type { CommittedWork } from "../places/commit-work.ts";
import type { WorkPlace } from "../places/open-place.ts";

/** What the laws of a cycle need: the simulation has it too. */
export type CycleContext = Pick<Context, "db" | "clock" | "config" | "signal" | "report">;

/** The deeds of a cycle that reach outside the store. The simulation brings its own. */
export interface CycleParts {
  /** The process, as the holder of a lease. */
  readonly worker: string;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Why a reflection is due; null if none is. */
  findReflection(): Promise<string | null>;
  reflect(cycle: Cycle): Promise<ReflectionDone>;
  recall(goal: Goal, task: Task): Promise<Pick<TaskBriefing, "memories" | "fitting" | "failing">>;
  namePlace(goal: Goal, attempt: Pick<TaskAttempt, "task" | "number">): Pick<WorkPlace, "folder" | "branch">;
  openPlace(
    goal: Goal,
    attempt: Pick<TaskAttempt, "task" | "number">,
    earlier: readonly TaskAttempt[],
  ): Promise<WorkPlace>;
  work(assignment: Assignment, signal: AbortSignal): Promise<WorkDone>;
  plan(goal: Goal, request: PlanRequest, signal: AbortSignal): Promise<PlanDone>;
  commit(goal: Goal, place: WorkPlace, message: string): Promise<CommittedWork>;
  check(task: Task, of: { readonly commit: string | null; readonly base: string | null }): Promise<CheckFinding>;
  /** Puts verified and claimed work together. Returns what does not fit. */
  join(goal: Goal, attempts: readonly TaskAttempt[]): Promise<readonly string[]>;
  /** After the record: what the agent marked becomes memories, and the router hears how good the calls were. */
  learn(done: WorkDone, quality: number | null): Promise<void>;
  /** Keeps a snapshot where it is found without the store. */
  keepCopy(snapshot: Snapshot): void;
}

export interface Assignment {
  readonly cycle: Cycle;
  readonly attempt: TaskAttempt;
  readonly briefing: TaskBriefing;
  /** PROVIDER/MODEL; null: the router chooses. */
  readonly model: string | null;
  /** To be called before the agent begins: what is written then is known of an attempt that is lost. */
  begins(session: string): Promise<void>;
}

interface Spent {
  readonly model: string | null;
  /** In US dollars. */
  readonly cost: number;
  /** Ids of model calls. */
  readonly calls: readonly string[];
}

export interface WorkDone extends Spent {
  /** Nobody could work: why. Null if somebody did. */
  readonly deferred: string | null;
  /** A limit of the cycle ended the work early, in a sentence. */
  readonly limit: string | null;
  readonly report: TaskReport;
  readonly session: string | null;
  readonly tokens: { readonly in: number; readonly out: number; readonly cached: number };
}

export interface PlanRequest {
  readonly model: string | null;
  readonly letter: string;
  readonly comments: TaskBriefing["comments"];
}

export interface PlannedTask {
  readonly title: string;
  readonly description: string;
  readonly check: Check;
  /** Numbers of earlier tasks, from 1. */
  readonly after: readonly number[];
  readonly tier: Task["tier"];
}

export interface PlanDone extends Spent {
  readonly deferred: string | null;
  /** Null: the answers could not be used; `problem` says why. */
  readonly tasks: readonly PlannedTask[] | null;
  readonly problem: string | null;
}

export interface ReflectionDone {
  readonly summary: string;
  readonly cost: number;
  readonly model: string | null;
}
