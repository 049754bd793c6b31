import type { NewEvent } from "../../src/domain/event/event.ts";
import { owner } from "../../src/domain/actor.ts";
import type { Cause, Change } from "../../src/domain/journal.ts";
import type { Mistake } from "../../src/domain/ledger/ledger.ts";
import type { Rule } from "../../src/domain/rule/rule.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { type Provenance, applyChange } from "../../src/store/journal/journal.ts";
import type { Noun } from "../../src/store/nouns/noun.ts";

export const byHand: Cause = { kind: "person", id: null, note: "by hand" };

export function byOwner(at: number): Provenance {
  return { actor: owner, cause: byHand, at };
}

/** Writes a state, whatever was there before. */
export function put<T extends { readonly id: string }>(
  db: Db,
  noun: Noun<T>,
  state: T,
  by: Partial<Provenance> = {},
): Promise<Change<T> | null> {
  return applyChange(db, { noun, id: state.id }, { ...byOwner(1), ...by }, () => state);
}

export function aRule(id: string, over: Partial<Rule> = {}): Rule {
  return {
    id,
    text: "run pnpm, not npm",
    status: "candidate",
    level: "advise",
    confidence: 0.5,
    salience: 0.5,
    origin: "owner",
    scope: { kind: "global" },
    signature: null,
    matcher: null,
    evidence: { observations: 0, sessions: 0, first: 0, last: 0, refs: [] },
    pinned: false,
    mergedInto: null,
    createdAt: 1,
    ...over,
  };
}

export function anEvent(uid: string, over: Partial<NewEvent> = {}): NewEvent {
  return {
    host: "claude-code",
    session: "s1",
    uid,
    seq: null,
    at: 1_000,
    kind: "call",
    workspace: "/home/me/shop",
    cwd: "/home/me/shop",
    tool: "Bash",
    head: "npm test",
    input: { command: "npm test" },
    ok: true,
    outcome: "ok",
    benign: false,
    exitCode: 0,
    error: null,
    signature: null,
    text: null,
    model: null,
    agent: null,
    durationMs: 12,
    ...over,
  };
}

export function aFailure(uid: string, signature: string, over: Partial<NewEvent> = {}): NewEvent {
  return anEvent(uid, { ok: false, outcome: "failed", exitCode: 1, error: "it broke", signature, ...over });
}

export function aMistake(id: string, over: Partial<Mistake> = {}): Mistake {
  return {
    id,
    at: 1,
    what: "Deployed on a Friday.",
    why: "it was late",
    shouldHave: "waited for Monday",
    signal: "the calendar said Friday",
    pattern: "rushing",
    severity: "high",
    expectation: null,
    origin: "owner",
    session: null,
    workspace: null,
    ...over,
  };
}
