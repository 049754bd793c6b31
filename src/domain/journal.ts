import { stableJson } from "../lib/json.ts";

/** The noun of entries about what was done without changing a state of the mind. They cannot be undone. */
export const ACTION = "action";

/** The cause of a change. */
export interface Cause {
  readonly kind: "event" | "operation" | "job" | "person" | "import" | "undo";
  readonly id: string | null;
  readonly note: string | null;
}

export type State = Readonly<Record<string, unknown>>;

/** One change of the mind: a subject before and after. Null means absent, so creation and deletion are changes too. */
export interface Change<T extends object = State> {
  readonly id: number;
  readonly at: number;
  /** The actor, as formatted by `formatActor`. */
  readonly actor: string;
  readonly cause: Cause;
  readonly noun: string;
  readonly subject: string;
  readonly before: T | null;
  readonly after: T | null;
  readonly undoes: number | null;
  readonly undoneBy: number | null;
  /** True if the owner had its contents forgotten. It can neither be read nor undone. */
  readonly scrubbed: boolean;
}

export type UndoPlan =
  | { readonly kind: "allowed"; readonly to: State | null; readonly over: readonly Change[] }
  | { readonly kind: "refused"; readonly why: string; readonly because: readonly string[]; readonly isDone?: true };

/**
 * Decides whether a change can be undone. It cannot if a later change of the same subject depends on it, or if others
 * refer to a subject that the undo would delete. If all later changes give way, only the fields that this change set
 * are restored; the later values of other fields stay.
 */
export function planUndo(
  change: Change,
  later: readonly Change[],
  dependants: readonly string[],
  givesWay: (later: Change, to: Change) => boolean = () => false,
): UndoPlan {
  if (change.scrubbed)
    return { kind: "refused", why: "its contents were forgotten and cannot be restored", because: [] };
  if (change.undoneBy !== null) {
    return { kind: "refused", why: "it is already undone", because: [`change ${change.undoneBy}`], isDone: true };
  }
  const remaining = effectiveChanges(later);
  const now = later.at(-1)?.after ?? null;
  const isInTheWay = remaining.some((one) => !givesWay(one, change)) || (remaining.length > 0 && now === null);
  if (isInTheWay) {
    return {
      kind: "refused",
      why: "later changes depend on it",
      because: remaining.map((one) => `change ${one.id}`),
    };
  }
  if (change.before === null && dependants.length > 0) {
    return { kind: "refused", why: "others refer to it", because: dependants };
  }
  const { before, after } = change;
  if (remaining.length === 0 || now === null || before === null || after === null)
    return { kind: "allowed", to: before, over: remaining };
  const isOurs = (key: string) => stableJson(before[key]) !== stableJson(after[key]);
  const others = Object.entries(now).filter(([key]) => !isOurs(key));
  const put = Object.entries(before).filter(([key]) => isOurs(key));
  return { kind: "allowed", to: Object.fromEntries([...others, ...put]), over: remaining };
}

/** Removes each change together with its undo. Walks from the newest back, because an undo can itself be undone. */
export function effectiveChanges(changes: readonly Change[]): readonly Change[] {
  const inList = new Set(changes.map((change) => change.id));
  const cancelled = new Set<number>();
  const remaining: Change[] = [];
  for (const change of changes.toReversed()) {
    if (cancelled.has(change.id)) continue;
    if (change.undoes !== null && inList.has(change.undoes)) cancelled.add(change.undoes);
    else remaining.unshift(change);
  }
  return remaining;
}

/** Rebuilds the state of every subject from the journal. Changes must be in order. */
export function rebuildStates(changes: Iterable<Pick<Change, "noun" | "subject" | "after">>): Map<string, State> {
  const states = new Map<string, State>();
  for (const change of changes) {
    const key = `${change.noun} ${change.subject}`;
    if (change.after === null) states.delete(key);
    else states.set(key, change.after);
  }
  return states;
}

export function isSameState(a: object | null, b: object | null): boolean {
  return stableJson(a) === stableJson(b);
}
