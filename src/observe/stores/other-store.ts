import type { NewEvent } from "../../domain/event/event.ts";
import type { Memory } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import type { InstallTarget } from "../protocol/host.ts";

/** The store of another product: what it knows can be brought in, at its own word and no more. */
export interface OtherStore {
  readonly name: string;
  readonly title: string;
  /** Where it may be unless someone says where it is. */
  defaultPaths(machine: Pick<InstallTarget, "userHome" | "env">): readonly string[];
  /** Whether that is what is at a path: by what is there, not by its name. */
  isAt(path: string): boolean;
  /** The files it is read from: as long as they stay the same, there is nothing new in it. */
  files(path: string): readonly string[];
  /** One thing after the other. What is broken beyond reading throws before the first. */
  read(path: string, policy: Policy["observe"]): Iterable<StoreItem>;
}

/** Something found in it. Its workspace is the folder it recorded, null where it recorded none. */
export type StoreItem =
  | { readonly kind: "event"; readonly event: Omit<NewEvent, "workspace">; readonly workspace: string | null }
  | { readonly kind: "rule"; readonly rule: ForeignRule; readonly workspace: string | null; readonly at: number }
  | { readonly kind: "memory"; readonly memory: ForeignMemory; readonly workspace: string | null; readonly at: number }
  | { readonly kind: "left"; readonly left: SkippedItems };

export type ForeignRule = Pick<Rule, "text" | "status" | "confidence" | "evidence"> & {
  /** Tells it from every other of its store, for ever. */
  readonly name: string;
};

export type ForeignMemory = Pick<Memory, "text" | "kind" | "category" | "confidence" | "tags"> & {
  /** Its name within its scope. */
  readonly key: string;
};

/** What was not brought in, and why. */
export interface SkippedItems {
  readonly what: string;
  readonly count: number;
  readonly why: string;
}
