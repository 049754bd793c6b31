import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IdentityProposal } from "../../src/domain/identity/identity.ts";
import { defaultDayCap } from "../../src/domain/model/caps.ts";
import type { Memory } from "../../src/domain/memory/memory.ts";
import type { Override } from "../../src/domain/rule/override.ts";
import { capNoun } from "../../src/store/nouns/caps.ts";
import { goalNoun } from "../../src/store/nouns/goals.ts";
import { taskNoun } from "../../src/store/nouns/tasks.ts";
import { hashCheck } from "../../src/domain/goal/check.ts";
import type { Goal } from "../../src/domain/goal/goal.ts";
import type { Task } from "../../src/domain/goal/task.ts";
import { jobNoun } from "../../src/store/nouns/jobs.ts";
import { getRule, ruleNoun } from "../../src/store/nouns/rules.ts";
import { identityNoun } from "../../src/store/nouns/identities.ts";
import { identityProposalNoun } from "../../src/store/nouns/identity-proposals.ts";
import { applyChange, listChangesOf, findDisagreements } from "../../src/store/journal/journal.ts";
import { mistakeNoun, winNoun } from "../../src/store/nouns/ledger.ts";
import { memoryNoun } from "../../src/store/nouns/memories.ts";
import type { Noun } from "../../src/store/nouns/noun.ts";
import { nouns } from "../../src/store/nouns/nouns.ts";
import { openStore } from "../../src/store/open.ts";
import { overrideNoun } from "../../src/store/nouns/overrides.ts";
import { retiredModelNoun } from "../../src/store/nouns/retired-models.ts";
import { routePreferenceNoun } from "../../src/store/nouns/route-preferences.ts";
import { settingNoun } from "../../src/store/nouns/settings.ts";
import { type Children, bundleChildren } from "../store/children.ts";
import { aMistake, aRule, byOwner, put } from "../store/samples.ts";
import { stores, type TestStore, withStore } from "../stores.ts";

const ROUNDS = 80;

/** One noun, with two writers that never change the same part. */
interface Case {
  readonly name: string;
  run(kind: TestStore): Promise<void>;
}

function twoWriters<T extends { readonly id: string }>(
  noun: Noun<T>,
  first: T,
  writers: readonly [(state: T, round: number) => T, (state: T, round: number) => T],
): Case {
  const [one, other] = writers;
  const run = (kind: TestStore) =>
    withStore(kind, async ({ db }, database) => {
      const elsewhere = await openStore({ database, busyMs: 10_000 });
      const by = byOwner(1);
      const of = { noun, id: first.id };
      await put(db, noun, first);
      let expected = first;
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all([
          applyChange(db, of, by, (state) => state && one(state, round)),
          applyChange(elsewhere.db, of, by, (state) => state && other(state, round)),
        ]);
        expected = other(one(expected, round), round);
        expect(await noun.read(db, first.id)).toEqual(expected);
      }
      expect(await listChangesOf(db, noun.name, first.id)).toHaveLength(1 + 2 * ROUNDS);
      expect(await findDisagreements(db)).toEqual([]);
      await elsewhere.close();
    });
  return { name: noun.name, run };
}

const { shouldHave: _s, severity: _v, signal: _g, ...aWin } = aMistake("wn_1");
const aMemory: Memory = {
  id: "m_1",
  key: "m_1",
  text: "The build needs Node 20.",
  kind: "fact",
  category: null,
  importance: 50,
  confidence: 0.5,
  tags: [],
  scope: { kind: "global" },
  origin: "owner",
  trust: "owner",
  supersedes: [],
  pinned: false,
  status: "active",
  createdAt: 1,
};
const aGoal = {
  noun: goalNoun,
  state: {
    ...{ id: "goal_1", title: "ship", description: "", status: "active", priority: 5, createdBy: "owner" },
    ...{ parent: null, dependsOn: [], folder: null, reason: null, metadata: {}, madeAt: 1, endedAt: null },
  } satisfies Goal as Goal,
};
const check = { kind: "person", asks: "Is it well?" } as const;
const aTask = {
  noun: taskNoun,
  state: {
    ...{ id: "task_1", goal: "goal_1", title: "one", description: "", status: "pending", proof: null, check },
    ...{
      checkHash: hashCheck(check),
      base: "0".repeat(40),
      position: 1,
      dependsOn: [],
      tier: "execute",
      createdBy: "owner",
      result: null,
    },
    ...{ reason: null, metadata: {}, madeAt: 1, endedAt: null },
  } satisfies Task as Task,
};
const anOverride: Override = { id: "o_1", rule: "r_1", reason: null, createdAt: 1, used: null };
const aProposal: IdentityProposal = {
  id: "p_1",
  file: "SOUL.md",
  before: "",
  after: "- Be brief.\n",
  reason: "seen often",
  origin: "agent",
  actor: "agent",
  rule: null,
  status: "open",
  refusal: null,
  createdAt: 1,
};

const cases: readonly Case[] = [
  twoWriters(ruleNoun, aRule("r_1"), [
    (rule, round) => ({ ...rule, text: `text ${round}` }),
    (rule, round) => ({ ...rule, pinned: round % 2 === 0, confidence: round / ROUNDS }),
  ]),
  twoWriters(memoryNoun, aMemory, [
    (memory, round) => ({ ...memory, text: `text ${round}`, tags: [`tag${round}`] }),
    (memory, round) => ({ ...memory, importance: 1 + (round % 100), confidence: round / ROUNDS }),
  ]),
  twoWriters(mistakeNoun, aMistake("mk_1"), [
    (mistake, round) => ({ ...mistake, what: `what ${round}` }),
    (mistake, round) => ({ ...mistake, signal: `signal ${round}` }),
  ]),
  twoWriters(winNoun, aWin, [
    (win, round) => ({ ...win, what: `what ${round}` }),
    (win, round) => ({ ...win, why: `why ${round}` }),
  ]),
  twoWriters(overrideNoun, anOverride, [
    (one, round) => ({ ...one, reason: `reason ${round}` }),
    (one, round) => ({ ...one, used: { at: round, host: "codex", session: `s${round}` } }),
  ]),
  // Both change the same text, at different positions.
  twoWriters(identityNoun, { id: "SOUL.md", text: "name\nmanner\n" }, [
    (file, round) => ({ ...file, text: file.text.replace(/^.*\n/, `name ${round}\n`) }),
    (file, round) => ({ ...file, text: file.text.replace(/\n.*\n$/, `\nmanner ${round}\n`) }),
  ]),
  twoWriters(identityProposalNoun, aProposal, [
    (proposal, round) => ({ ...proposal, reason: `reason ${round}` }),
    (proposal, round) => ({ ...proposal, after: `- Be brief, ${round} times.\n` }),
  ]),
  twoWriters(capNoun, { ...defaultDayCap, limit: 1 }, [
    (cap, round) => ({ ...cap, limit: round / 8 }),
    (cap, round) => ({ ...cap, extension: { day: "2026-11-17", amount: round / 4 } }),
  ]),
  twoWriters(
    jobNoun,
    {
      id: "job_1",
      name: "tidy",
      cron: "0 4 * * *",
      zone: "UTC",
      work: { kind: "built-in", name: "prune" },
      late: "once",
      model: null,
      enabled: true,
      madeAt: 1,
    },
    [
      (job, round) => ({ ...job, cron: `${(round % 59) + 1} 4 * * *` }),
      (job, round) => ({ ...job, model: `openai/${round}` }),
    ],
  ),
  twoWriters(aGoal.noun, aGoal.state, [
    (goal, round) => ({ ...goal, priority: (round % 10) + 1 }),
    (goal, round) => ({ ...goal, reason: `because ${round}` }),
  ]),
  twoWriters(aTask.noun, aTask.state, [
    (task, round) => ({ ...task, position: round + 2 }),
    (task, round) => ({ ...task, result: `result ${round}` }),
  ]),
  twoWriters(retiredModelNoun, { id: "openai/gpt-5", at: 1, message: "gone" }, [
    (model, round) => ({ ...model, at: round + 2 }),
    (model, round) => ({ ...model, message: `gone ${round}` }),
  ]),
  twoWriters(settingNoun, { id: "models", use: [], costWeight: 5 }, [
    (one, round) => ({ ...one, use: [`openai/${round}`] }),
    (one, round) => ({ ...one, costWeight: round + 6 }),
  ]),
  twoWriters(
    routePreferenceNoun,
    {
      id: "simple triage",
      taskType: "triage",
      complexity: "simple",
      model: "openai/gpt-5-nano",
      insteadOf: "openai/gpt-5",
      kind: "cheaper",
      why: "the median cost rose",
      at: 1,
    },
    [(one, round) => ({ ...one, model: `openai/${round}` }), (one, round) => ({ ...one, why: `because ${round}` })],
  ),
];

describe("two writers", () => {
  it("are tried on every noun whose changes are journalled", () => {
    expect(cases.map((one) => one.name).toSorted()).toEqual(nouns.map((noun) => noun.name).toSorted());
  });
});

describe.each(stores)("two writers on one id, $name", (kind) => {
  let children: Children;
  beforeAll(async () => {
    children = await bundleChildren();
  });
  afterAll(() => children.remove());

  it.each(cases)("lose nothing of a changed $name in 80 rounds", ({ run }) => run(kind), 120_000);

  it("lose nothing as two processes", () =>
    withStore(kind, async ({ db }, database) => {
      await put(db, ruleNoun, aRule("r_1"));
      const ended = await Promise.all([1, 2].map(() => children.run(["count", database, "r_1", String(ROUNDS)])));
      expect(ended.map((one) => [one.code, one.stderr])).toEqual([
        [0, ""],
        [0, ""],
      ]);
      expect((await getRule(db, "r_1"))?.evidence.observations).toBe(2 * ROUNDS);
      expect(await findDisagreements(db)).toEqual([]);
    }));
});
