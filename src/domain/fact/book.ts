import { causeOf, isUnmistakable } from "../cause/cause.ts";
import type { Outcome } from "../event/outcome.ts";
import { isOver, meets, refutes, type Sighting } from "./fact.ts";
import { type CallOfFacts, needsOf } from "./needs.ts";
import { factsShownBy } from "./read-failure.ts";

/** A call of a record, with what came of it. */
export interface RecordedCall extends CallOfFacts {
  readonly workspace: string | null;
  readonly at: number;
  readonly outcome: Outcome | null;
  readonly benign: boolean;
  readonly error: string | null;
  readonly text: string | null;
}

/** What is known of workspaces while records are read one call after the other. */
export interface FactBook {
  /** Before the call: the facts it would meet. */
  before(call: RecordedCall): readonly Sighting[];
  /** After it. */
  after(call: RecordedCall): void;
}

/**
 * There is no disk behind a record: a call that worked on something shows that it is there again.
 */
export function newFactBook(): FactBook {
  const books = new Map<string, Map<string, Sighting & { readonly at: number }>>();
  return {
    before: (call) => {
      const known = books.get(call.workspace ?? "");
      if (known === undefined || known.size === 0) return [];
      const { needs } = needsOf(call);
      return [...known.values()].filter((fact) => !isOver(fact, call.at) && needs.some((need) => meets(fact, need)));
    },
    after: (call) => {
      if (call.workspace === null) return;
      const known = books.get(call.workspace) ?? new Map<string, Sighting & { readonly at: number }>();
      books.set(call.workspace, known);
      if (call.outcome === "failed" && !call.benign)
        for (const fact of factsShownBy(call, call.error ?? ""))
          known.set(`${fact.kind} ${fact.subject}`, { ...fact, at: call.at });
      else if (known.size > 0 && hasWorked(call)) {
        const worked = needsOf(call);
        for (const [key, fact] of known) if (refutes(fact, worked)) known.delete(key);
      }
    },
  };
}

/** Not where a pipe hid the failure. */
export function hasWorked(call: RecordedCall): boolean {
  if (call.outcome !== "ok") return false;
  const cause = call.text === null ? null : causeOf(call, call.text);
  return cause === null || !(isUnmistakable(cause) || cause.kind === "missing-path");
}
