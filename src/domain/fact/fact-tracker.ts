import { detectCause, isUnmistakable } from "../cause/cause.ts";
import type { Outcome } from "../event/outcome.ts";
import { type Fact, isFactExpired, mayConcernFact, meetsFact, refutesFact, type Sighting } from "./fact.ts";
import { type LocatedCall, findCallNeeds } from "./call-needs.ts";
import { findFactsInFailure } from "./read-failure.ts";

/** A call of a record, with what came of it. */
export interface RecordedCall extends LocatedCall {
  readonly workspace: string | null;
  readonly at: number;
  readonly outcome: Outcome | null;
  readonly benign: boolean;
  readonly error: string | null;
  readonly text: string | null;
}

/** What is known of workspaces while records are read one call after the other. */
export interface FactTracker {
  /** Before the call: the facts it would meet. */
  before(call: RecordedCall): readonly KnownFact[];
  /** After it. */
  after(call: RecordedCall): void;
}

export type KnownFact = Sighting & Pick<Fact, "workspace" | "at">;

/**
 * There is no disk behind a record: a call that worked on something shows that it is there again. `known` was seen before the
 * records are read; of it each call is told what was seen before that call.
 */
export function newFactTracker(known: readonly KnownFact[] = []): FactTracker {
  const books = new Map<string, Map<string, KnownFact>>();
  const given = new Set(known);
  // What the records show came before in their order, whatever their clocks say.
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

/** Not where a pipe hid the failure. */
export function hasCallWorked(call: RecordedCall): boolean {
  if (call.outcome !== "ok") return false;
  const cause = call.text === null ? null : detectCause(call, call.text);
  return cause === null || !(isUnmistakable(cause) || cause.kind === "missing-path");
}
