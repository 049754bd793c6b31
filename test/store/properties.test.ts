import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { State } from "../../src/domain/journal.ts";
import { type Rule, ruleStatuses } from "../../src/domain/rule/rule.ts";
import { OldhandError } from "../../src/lib/errors.ts";
import type { Db } from "../../src/store/engine/db.ts";
import {
  applyChange,
  applyAllChanges,
  findDisagreements,
  forgetSubject,
  getChange,
  listChanges,
  planChange,
  readStateAt,
  undoChange,
} from "../../src/store/journal/journal.ts";
import { listRules, ruleNoun } from "../../src/store/nouns/rules.ts";
import { stores, withStore } from "../stores.ts";
import { aRule, byOwner } from "./samples.ts";

const FOREVER = Number.MAX_SAFE_INTEGER;
const RUNS = 200;
const ids = ["r1", "r2", "r3"] as const;

const anId = fc.constantFrom(...ids);
// Any text, including text that no database can store.
const aText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "a\0b", "\ud800", "😀"));

type Step =
  | {
      readonly kind: "write";
      readonly id: string;
      readonly text: string;
      readonly confidence: number;
      readonly status: number;
    }
  | { readonly kind: "remove"; readonly id: string }
  | { readonly kind: "merge"; readonly from: string; readonly into: string }
  | { readonly kind: "undo"; readonly back: number }
  | { readonly kind: "forget"; readonly id: string };

const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      id: anId,
      text: aText,
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      status: fc.nat(ruleStatuses.length - 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), id: anId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("merge" as const), from: anId, into: anId }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("undo" as const), back: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), id: anId }) },
);

// On PostgreSQL each step is many round trips to the server.
describe.each(stores)("the journal of any life on $name", { timeout: 300_000 }, (kind) => {
  const anyLife = (check: (db: Db, steps: readonly Step[]) => Promise<void>) =>
    withStore(kind, ({ db }) =>
      fc.assert(
        fc
          .asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 20 }), (steps) => check(db, steps))
          .beforeEach(async () => {
            await db.run("delete from rules");
            await db.run("delete from journal");
          }),
        { numRuns: RUNS },
      ),
    );

  it("tells the living state after every step", () =>
    anyLife(async (db, steps) => {
      for (const [at, step] of steps.entries()) {
        await take(db, step, at);
        expect(await findDisagreements(db)).toEqual([]);
        expect(await readStateAt(db, FOREVER)).toEqual(await living(db));
      }
    }));

  it("takes back a change exactly, and takes back the taking back", () =>
    anyLife(async (db, steps) => {
      for (const [at, step] of steps.entries()) {
        const before = await living(db);
        const last = await newest(db);
        await take(db, step, at);
        if (step.kind === "forget") continue;
        const after = await living(db);
        // Newest first. Undoing a creation that others refer to is refused, which is tested separately.
        const made = (await listChanges(db, { limit: 9 })).filter((one) => one.id > last);
        const back: number[] = [];
        for (const one of made) back.unshift((await undoIfAllowed(db, one.id, at)) ?? 0);
        if (back.includes(0)) continue;
        expect(await living(db)).toEqual(before);
        for (const id of back) if ((await undoIfAllowed(db, id, at)) === null) return;
        expect(await living(db)).toEqual(after);
      }
    }));

  it("remembers what the mind was at every time before", () =>
    anyLife(async (db, steps) => {
      const expectedStates: Map<string, State>[] = [];
      for (const [at, step] of steps.entries()) {
        if (step.kind !== "forget") await take(db, step, at);
        expectedStates.push(await living(db));
      }
      for (const [at, states] of expectedStates.entries()) expect(await readStateAt(db, at)).toEqual(states);
    }));
});

/** Returns whether the step was done; refused steps change nothing. */
async function take(db: Db, step: Step, at: number): Promise<boolean> {
  return allowed(async () => {
    const by = byOwner(at);
    const as = (rule: Rule) => planChange(ruleNoun, rule.id, by, () => rule);
    switch (step.kind) {
      case "write": {
        const status = ruleStatuses[step.status] ?? "candidate";
        await applyAllChanges(db, [as(aRule(step.id, { text: step.text, confidence: step.confidence, status }))]);
        break;
      }
      case "remove":
        await applyChange(db, { noun: ruleNoun, id: step.id }, by, () => null);
        break;
      case "merge": {
        if (step.from === step.into) break;
        const merged = aRule(step.from, { status: "merged", mergedInto: step.into });
        await applyAllChanges(db, [as(aRule(step.into)), as(merged)]);
        break;
      }
      case "undo": {
        const change = (await listChanges(db, { limit: 10 }))[step.back];
        if (change) await undoChange(db, change.id, byOwner(at));
        break;
      }
      case "forget":
        await forgetSubject(db, { noun: ruleNoun, id: step.id }, by);
    }
  });
}

async function allowed(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof OldhandError && ["refused", "not-found"].includes(error.code)) return false;
    throw error;
  }
}

async function undoIfAllowed(db: Db, id: number, at: number): Promise<number | null> {
  let made: number | null = null;
  await allowed(async () => {
    made = (await undoChange(db, id, byOwner(at))).id;
  });
  if (made !== null) expect(await getChange(db, made)).toMatchObject({ undoes: id });
  return made;
}

async function newest(db: Db): Promise<number> {
  return (await listChanges(db, { limit: 1 }))[0]?.id ?? 0;
}

async function living(db: Db): Promise<Map<string, State>> {
  return new Map((await listRules(db)).map((rule) => [`rule ${rule.id}`, { ...rule }]));
}
