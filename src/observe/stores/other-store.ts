import type { GoalComment } from "../../domain/goal/comment.ts";
import type { ExecutionEntry } from "../../domain/goal/cycle.ts";
import type { Goal } from "../../domain/goal/goal.ts";
import type { Snapshot } from "../../domain/goal/snapshot.ts";
import type { Task } from "../../domain/goal/task.ts";
import type { Mistake } from "../../domain/ledger/ledger.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { Memory } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import type { InstallTarget } from "../protocol/host.ts";

/** Another product's store whose content can be imported, as external and untrusted. */
export interface OtherStore {
  readonly name: string;
  readonly title: string;
  /** The usual locations, if no path is given. */
  defaultPaths(machine: Pick<InstallTarget, "userHome" | "env">): readonly string[];
  /** True if such a store is at the path, judged by its content, not its name. */
  isAt(path: string): boolean;
  /** The files it is read from. If they are unchanged, there is nothing new to import. */
  files(path: string): readonly string[];
  /** Transcripts at the path, written by the host of the same name; they are imported as that host's. */
  transcripts?(path: string): readonly string[];
  /** Yields one item at a time. If the store is unreadable, throws before the first item. */
  read(path: string, policy: Policy["observe"]): Iterable<StoreItem>;
}

/** An item of the store. Its workspace is the recorded folder; null if none was recorded. */
export type StoreItem =
  | { readonly kind: "event"; readonly event: Omit<NewEvent, "workspace">; readonly workspace: string | null }
  | { readonly kind: "rule"; readonly rule: ForeignRule; readonly workspace: string | null; readonly at: number }
  | { readonly kind: "memory"; readonly memory: ForeignMemory; readonly workspace: string | null; readonly at: number }
  | ForeignItem<"goal", ForeignGoal>
  | ForeignItem<"task", ForeignTask>
  | ForeignItem<"comment", ForeignComment>
  | ForeignItem<"log", ForeignEntry>
  | ForeignItem<"snapshot", ForeignSnapshot>
  | ForeignItem<"ledger", ForeignLedgerEntry>
  | { readonly kind: "left"; readonly left: SkippedItems };

interface ForeignItem<Kind extends string, T> {
  readonly kind: Kind;
  readonly it: T;
  readonly workspace: string | null;
  readonly at: number;
}

/** What refers to another item of the store names it as the store does. */
interface Named {
  /** A permanent name, unique within its kind and store. */
  readonly name: string;
}

export type ForeignGoal = Named &
  Pick<
    Goal,
    "title" | "description" | "status" | "priority" | "parent" | "dependsOn" | "reason" | "metadata" | "endedAt"
  >;

export type ForeignTask = Named &
  Pick<
    Task,
    | "goal"
    | "title"
    | "description"
    | "status"
    | "position"
    | "dependsOn"
    | "result"
    | "reason"
    | "metadata"
    | "endedAt"
  >;

export type ForeignComment = Named & Pick<GoalComment, "goal" | "kind" | "text" | "acknowledgedAt" | "answer">;

export type ForeignEntry = Named & Pick<ExecutionEntry, "action" | "summary" | "details" | "ms" | "goal" | "task">;

export type ForeignSnapshot = Named & Omit<Snapshot, "id" | "at" | "source">;

export type ForeignLedgerEntry = Named & { readonly kind: "mistake" | "win" } & Pick<
    Mistake,
    "what" | "why" | "shouldHave" | "pattern" | "severity" | "signal" | "session"
  >;

export type ForeignRule = Pick<Rule, "text" | "status" | "confidence" | "evidence"> & {
  /** A permanent name, unique within its store. */
  readonly name: string;
};

export type ForeignMemory = Pick<Memory, "text" | "kind" | "category" | "confidence" | "tags"> & {
  readonly importance?: number;
  /** A name that is unique within the memory's scope. */
  readonly key: string;
};

/** What was not imported, and why. */
export interface SkippedItems {
  readonly what: string;
  readonly count: number;
  readonly why: string;
}
