import { detectCause, isUnmistakable } from "../cause/cause.ts";
import type { Outcome } from "../event/outcome.ts";
import { type Fact, isFactExpired, mayConcernFact, meetsFact, refutesFact, type Sighting } from "./fact.ts";
import { type LocatedCall, findCallNeeds } from "./call-needs.ts";
import { findFactsInFailure } from "./read-failure.ts";

/** A recorded call with its outcome. */
export interface RecordedCall extends LocatedCall {
  readonly workspace: string | null;
  readonly at: number;
  readonly outcome: Outcome | null;
  readonly benign: boolean;
  readonly error: string | null;
  readonly text: string | null;
}

/** The known facts of workspaces while records are replayed call by call. */
export interface FactTracker {
  /** The facts that the call would meet. Must be called before `after`. */
  before(call: RecordedCall): readonly KnownFact[];
  /** Updates the facts from the call's outcome. */
  after(call: RecordedCall): void;
}

export type KnownFact = Sighting & Pick<Fact, "workspace" | "at">;

/**
 * Recorded calls cannot be checked on a disk, so a successful call on something shows that it exists again. `known` are
 * facts from before the replay; each call sees only those older than itself.
 */
export function newFactTracker(known: readonly KnownFact[] = []): FactTracker {
  const books = new Map<string, Map<string, KnownFact>>();
  const given = new Set(known);
  // Facts found during the replay are in order, whatever their timestamps say.
  const isKnown = (fact: KnownFact, at: number) => !given.has(fact) || fact.at <= at;
  const bookOf = (workspace: string) => {
    const book = books.get(workspace) ?? new Map<string, KnownFact>();
    books.set(workspace, book);
    return book;
  };
  for (const fact of known) bookOf(fact.workspace).set(`${fact.kind} ${fact.subject}`, fact);
  return {
    before: (call) => {
      const facts = books.get(call.workspace ?? "");
      if (facts === undefined || facts.size === 0) return [];
      const text = JSON.stringify(call.input) ?? "";
      const near = [...facts.values()].filter((fact) => isKnown(fact, call.at) && !isFactExpired(fact, call.at));
      const concerned = near.filter((fact) => mayConcernFact(fact, text));
      const { needs } = concerned.length === 0 ? { needs: [] } : findCallNeeds(call);
      return concerned.filter((fact) => needs.some((need) => meetsFact(fact, need)));
    },
    after: (call) => {
      const { workspace, at } = call;
      if (workspace === null) return;
      const book = bookOf(workspace);
      if (call.outcome === "failed" && !call.benign)
        for (const fact of findFactsInFailure(call, call.error ?? ""))
          book.set(`${fact.kind} ${fact.subject}`, { ...fact, workspace, at });
      else if (book.size > 0 && hasCallWorked(call)) {
        const worked = findCallNeeds(call);
        for (const [key, fact] of book) if (isKnown(fact, at) && refutesFact(fact, worked)) book.delete(key);
      }
    },
  };
}

/** False if a pipe hid a failure. */
export function hasCallWorked(call: RecordedCall): boolean {
  if (call.outcome !== "ok") return false;
  const cause = call.text === null ? null : detectCause(call, call.text);
  return cause === null || !(isUnmistakable(cause) || cause.kind === "missing-path");
}
