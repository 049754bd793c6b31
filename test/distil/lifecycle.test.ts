import { describe, expect, it } from "vitest";
import { distil } from "../../src/distil/mining/distil.ts";
import { listRuleEffects } from "../../src/distil/counting/rule-counts.ts";
import { runMaintenanceSlice } from "../../src/distil/maintenance/maintenance-slice.ts";
import { runMaintenance, runMaintenanceTask } from "../../src/distil/maintenance/maintenance.ts";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import type { Rule } from "../../src/domain/rule/rule.ts";
import { DAY, fixedClock, HOUR } from "../../src/lib/clock.ts";
import { type CallAdvice, adviseBeforeCall } from "../../src/recall/calls/before-call.ts";
import type { Store } from "../../src/store/engine/db.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { applyChange, listChangesOf, forgetSubject, listChanges, undoChange } from "../../src/store/journal/journal.ts";
import type { Stoppable } from "../../src/lib/stopped.ts";
import { readLastMaintenance } from "../../src/store/state/maintenance-state.ts";
import { openStore } from "../../src/store/open.ts";
import { wrongRules } from "../../src/recall/calls/wrong-rules.ts";
import { noteKeptRule } from "../../src/store/nouns/kept-rules.ts";
import { overrideNoun } from "../../src/store/nouns/overrides.ts";
import { tallyDeliveries, listReinforcements } from "../../src/store/shown/reinforcements.ts";
import { getRule, listRules, ruleNoun } from "../../src/store/nouns/rules.ts";
import { listShownRules } from "../../src/store/shown/shown.ts";
import { listRuleSessions } from "../../src/store/shown/rule-sessions.ts";
import { wilsonLower } from "../../src/domain/proof/wilson.ts";
import { aFailure, anEvent, aRule, byOwner, put } from "../store/samples.ts";
import { takesAll } from "../call-control.ts";
import { stores, withStore } from "../stores.ts";
import { owner } from "../../src/domain/actor.ts";
import { quiet } from "../context.ts";
import type { Context } from "../../src/context.ts";
import { invoke } from "../../src/invoke.ts";
import { operations } from "../../src/operations.ts";

const HERE = "/home/me/shop";
const config = {
  home: "/nowhere",
  database: "",
  off: { everywhere: false, workspaces: [] },
  policy: defaultPolicy,
  providers: noProviders,
};

describe.each(stores)("the life of a rule on $name", (kind) => {
  const inMind = (act: (world: World) => Promise<void>) =>
    withStore(kind, async (store, database) => {
      const clock = fixedClock(100 * DAY);
      await act({ ...worldOf(store, clock), clock, database });
    });

  it("begins as a candidate with the very calls it came from, and is approved when it has earned it", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 5, each: 2 });
      const rule = await mined(world);
      expect(rule).toMatchObject({ status: "candidate", level: "nudge", matcher: { tool: "shell", head: "npm test" } });
      expect(rule.evidence).toMatchObject({ observations: 10, sessions: 5 });
      expect(rule.evidence.refs.map((ref) => ref.session)).toContain("s0");
      expect((await runMaintenanceTask(world, "promote", { write: true })).steps).toEqual([]);
      world.clock.advance(8 * DAY);
      // Passing time alone is no evidence.
      expect((await runMaintenanceTask(world, "promote", { write: true })).steps).toEqual([]);
      await fail(world, { sessions: 1, each: 1, name: "later" });
      expect((await runMaintenanceTask(world, "promote", { write: false })).steps).toMatchObject([
        { step: "promote", reason: "11 observations in 6 sessions over 8 days, the last after it was proposed" },
      ]);
      expect((await getRule(world.db, rule.id))?.status).toBe("candidate");
      await runMaintenanceTask(world, "promote", { write: true });
      const approved = await getRule(world.db, rule.id);
      expect(approved).toMatchObject({ status: "approved", level: "nudge" });
      expect(approved?.confidence).toBeCloseTo(wilsonLower(11, 11) + 0.1, 3);
    }));

  it("is not approved by what was imported, however old and frequent, before it is seen again or a person approves it", () =>
    inMind(async (world) => {
      const now = world.clock.now();
      for (const [n, days] of [90, 80, 70, 60, 50, 40].entries())
        await fail(world, { sessions: 2, each: 2, name: `old${n}`, at: now - days * DAY });
      const rule = await mined(world);
      await runMaintenance(world, { write: true, force: true });
      expect((await getRule(world.db, rule.id))?.status).toBe("candidate");
      // Older events imported later do not count as later evidence.
      world.clock.advance(DAY);
      await fail(world, { sessions: 2, each: 2, name: "another file", at: now - 30 * DAY });
      expect((await runMaintenanceTask(world, "promote", { write: true })).steps).toEqual([]);
      // Evidence from any source counts, including an import, if it happened after the proposal.
      world.clock.advance(DAY);
      await fail(world, { sessions: 1, each: 1, name: "since", at: now + DAY });
      expect((await runMaintenanceTask(world, "promote", { write: true })).steps).toMatchObject([
        { step: "promote", reason: "29 observations in 15 sessions over 91 days, the last after it was proposed" },
      ]);
    }));

  it("made of what somebody said, it waits for the owner, whatever the calls it is about come to", () =>
    inMind(async (world) => {
      const rule = await owned(world, { status: "candidate", level: "watch", signature: "correction use pnpm" });
      await fail(world, { sessions: 5, each: 2 });
      world.clock.advance(20 * DAY);
      await fail(world, { sessions: 5, each: 2, name: "later" });
      expect((await runMaintenanceTask(world, "promote", { write: true })).steps).toEqual([]);
      expect(await getRule(world.db, rule.id)).toMatchObject({ status: "candidate", level: "watch" });
    }));

  it("is as old as the last that was seen of it, unless its owner decided since: made today of what happened long ago, it sleeps", () =>
    inMind(async (world) => {
      const [young, old] = [world.clock.now() - DAY, world.clock.now() - 99 * DAY];
      const evidence = (at: number) => ({ observations: 5, sessions: 2, first: at, last: at, refs: [] });
      const mining = { actor: { kind: "maintenance" }, at: world.clock.now() } as const;
      await put(
        world.db,
        ruleNoun,
        aRule("r_old", { origin: "tool", status: "approved", evidence: evidence(old), createdAt: young }),
        mining,
      );
      await put(
        world.db,
        ruleNoun,
        aRule("r_new", { origin: "tool", status: "approved", evidence: evidence(young), createdAt: young }),
        mining,
      );
      await put(
        world.db,
        ruleNoun,
        aRule("r_mine", { origin: "tool", status: "approved", evidence: evidence(old), createdAt: young }),
        {
          at: young,
        },
      );
      await say(world, anEvent("e1", { session: "now", at: world.clock.now(), ...other }));
      await digest(world.db);
      const { steps } = await runMaintenanceTask(world, "decay", { write: true });
      expect(steps.map(({ after, reason }) => [after.id, after.status, reason])).toEqual([
        ["r_old", "dormant", "not seen for 99 days: dormant"],
      ]);
    }));

  it("is given back exactly by undoing its promotion", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 5, each: 2 });
      const before = await mined(world);
      world.clock.advance(8 * DAY);
      await fail(world, { sessions: 1, each: 1, name: "later" });
      await runMaintenanceTask(world, "promote", { write: true });
      const [made, promoted] = await listChangesOf(world.db, "rule", before.id);
      expect(made?.after).toEqual({ ...before });
      await undoChange(world.db, promoted?.id ?? 0, byOwner(world.clock.now()));
      expect(await getRule(world.db, before.id)).toEqual(before);
    }));

  it("gains where it was followed, loses where the call worked, and neither where it failed or nothing came of it", () =>
    inMind(async (world) => {
      const rule = await owned(world, { origin: "tool" });
      await adviseCall(world, "followed");
      await say(world, anEvent("f1", { session: "followed", at: world.clock.now() + 1, ...pnpm }));
      await adviseCall(world, "broken");
      for (const uid of ["b1", "b2"])
        await say(world, aFailure(uid, "npm", { session: "broken", at: world.clock.now() + 1 }));
      await adviseCall(world, "wrong");
      for (const uid of ["w1", "w2"])
        await say(world, anEvent(uid, { session: "wrong", at: world.clock.now() + 1, ...npm }));
      await adviseCall(world, "idle");
      await say(world, anEvent("i1", { session: "idle", at: world.clock.now() + 1, ...other }));
      world.clock.advance(2 * HOUR);
      await digest(world.db);
      const { steps } = await runMaintenanceTask(world, "reinforce", { write: true });
      expect(steps).toHaveLength(1);
      expect((await getRule(world.db, rule.id))?.confidence).toBeCloseTo(0.8 + 0.03 - 0.1, 4);
      expect((await runMaintenanceTask(world, "reinforce", { write: true })).steps).toEqual([]);
      const judged = (await listReinforcements(world.db, rule.id)).map((one) => [one.session, one.broken]);
      expect(Object.fromEntries(judged)).toEqual({ followed: false, broken: true, wrong: null });
      const shown = (await listShownRules(world.db, { rule: rule.id, limit: 9 })).map((one) => [
        one.session,
        one.broken,
      ]);
      expect(Object.fromEntries(shown)).toEqual({ followed: false, broken: true, wrong: null, idle: null });
      expect(await tallyDeliveries(world.db, rule.id)).toEqual([{ delivery: "note", sessions: 2, kept: 1 }]);
    }));

  it("is not raised by calls that work, however often: it loses confidence, and never says that it was broken", () =>
    inMind(async (world) => {
      const rule = await owned(world, { origin: "tool" });
      for (const session of ["w", "x", "y", "z"]) {
        await adviseCall(world, session);
        for (const n of [1, 2])
          await say(world, anEvent(`${session}${n}`, { session, at: world.clock.now() + n, ...npm }));
      }
      world.clock.advance(2 * HOUR);
      await digest(world.db);
      const { steps } = await runMaintenanceTask(world, "reinforce", { write: true });
      expect(steps.map((one) => [one.step, one.reason])).toEqual([
        ["reinforce", "shown and broken, and the call worked (4 sessions)"],
      ]);
      const { level, salience, text } = rule;
      expect(await getRule(world.db, rule.id)).toMatchObject({ level, salience, text, confidence: 0.4 });
    }));

  it("as its owner's wish it is broken by calls that work, too, and loses nothing by it", () =>
    inMind(async (world) => {
      const rule = await owned(world, { origin: "owner" });
      world.clock.advance(1_000);
      for (const session of ["x", "y", "z"]) {
        await adviseCall(world, session);
        for (const n of [1, 2])
          await say(world, anEvent(`${session}${n}`, { session, at: world.clock.now() + n, ...npm }));
      }
      world.clock.advance(2 * HOUR);
      await digest(world.db);
      await runMaintenanceTask(world, "reinforce", { write: true });
      const text = expect.stringContaining("Broken 3 times so far");
      expect(await getRule(world.db, rule.id)).toMatchObject({ confidence: rule.confidence, text });
    }));

  it("is neither broken nor contradicted by a call that its owner let pass", () =>
    inMind(async (world) => {
      const rule = await owned(world, { origin: "tool", level: "deny" });
      for (const [session, came] of [
        ["x", "failed"],
        ["y", "ok"],
      ] as const) {
        expect((await adviseCall(world, session))?.decision?.kind).toBe("deny");
        const pass = { id: `o_${session}`, rule: rule.id, reason: null, createdAt: world.clock.now(), used: null };
        await put(world.db, overrideNoun, pass, { at: world.clock.now() });
        world.clock.advance(1_000);
        expect((await adviseCall(world, session))?.decision ?? null).toBeNull();
        const at = { session, at: world.clock.now() + 1 };
        await say(world, came === "ok" ? anEvent(session, { ...at, ...npm }) : aFailure(session, "npm", at));
      }
      world.clock.advance(2 * HOUR);
      await digest(world.db);
      expect((await runMaintenanceTask(world, "reinforce", { write: true })).steps).toEqual([]);
      expect(await listReinforcements(world.db, rule.id)).toEqual([]);
      expect((await getRule(world.db, rule.id))?.confidence).toBe(rule.confidence);
    }));

  it("approved by its owner and wrong more often than right, it is asked about until its owner keeps it, and again when it got worse", () =>
    inMind(async (world) => {
      const rule = await owned(world, { origin: "tool" });
      await put(world.db, ruleNoun, { ...rule, pinned: true }, { at: world.clock.now() });
      const works = async (name: string, times: number) => {
        world.clock.advance(HOUR);
        const at = world.clock.now();
        for (let n = 0; n < times; n++) await say(world, anEvent(`${name}${n}`, { session: name, at, ...npm }));
        await digest(world.db);
        await runMaintenanceTask(world, "promote", { write: true });
        return (await wrongRules(world)).map(({ failed, calls }) => [failed, calls]);
      };
      await fail(world, { sessions: 2, each: 2 });
      expect(await works("a", 4)).toEqual([]);
      expect(await works("b", 4)).toEqual([[4, 12]]);
      await noteKeptRule(world.db, rule.id, world.clock.now());
      expect(await works("c", 2)).toEqual([]);
      expect(await works("d", 2)).toEqual([[4, 16]]);
    }));

  it("is not broken by a call that was refused: a rule that denies keeps its confidence", () =>
    inMind(async (world) => {
      const rule = await owned(world, { origin: "tool", level: "deny" });
      expect((await adviseCall(world, "stubborn"))?.decision?.kind).toBe("deny");
      for (const uid of ["d1", "d2", "d3"])
        await say(
          world,
          aFailure(uid, "npm", {
            session: "stubborn",
            at: world.clock.now() + 1,
            outcome: "denied",
          }),
        );
      world.clock.advance(2 * HOUR);
      await digest(world.db);
      expect((await runMaintenanceTask(world, "reinforce", { write: true })).steps).toEqual([]);
      expect((await getRule(world.db, rule.id))?.confidence).toBe(rule.confidence);
    }));

  it("stays approved where its owner approved it, however often it is wrong", () =>
    inMind(async (world) => {
      const rule = await owned(world, { origin: "tool", confidence: 0.31 });
      await put(world.db, ruleNoun, { ...rule, status: "candidate" }, { at: world.clock.now() });
      await put(world.db, ruleNoun, rule, { at: world.clock.now() });
      for (const session of ["x", "y"]) {
        await adviseCall(world, session);
        for (const n of [1, 2])
          await say(world, anEvent(`${session}${n}`, { session, at: world.clock.now() + n, ...npm }));
      }
      world.clock.advance(2 * HOUR);
      await digest(world.db);
      const { steps } = await runMaintenanceTask(world, "reinforce", { write: true });
      expect(steps[0]?.reason).toContain("(2 sessions)");
      expect(await getRule(world.db, rule.id)).toMatchObject({ status: "approved" });
    }));

  it("from outside and wrong until it becomes a candidate again, it is silent, also before a call", () =>
    inMind(async (world) => {
      const floor = defaultPolicy.distil.confidenceFloor;
      const rule = await owned(world, { origin: "external", level: "deny", confidence: floor + 0.05 });
      expect((await adviseCall(world, "wrong"))?.decision?.kind).toBe("deny");
      for (const uid of ["b1", "b2"])
        await say(world, anEvent(uid, { session: "wrong", at: world.clock.now() + 1, ...npm }));
      world.clock.advance(2 * HOUR);
      await digest(world.db);
      await runMaintenanceTask(world, "reinforce", { write: true });
      expect(await getRule(world.db, rule.id)).toMatchObject({ status: "candidate", level: "deny" });
      expect(await adviseCall(world, "next")).toBeNull();
    }));

  it("insists harder once three sessions were told and did it all the same, as far as its evidence allows", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 12, each: 3 });
      const rule = await owned(world, { origin: "tool", level: "nudge" });
      world.clock.advance(DAY);
      for (const session of ["x", "y", "z"]) {
        await adviseCall(world, session);
        for (const n of [1, 2])
          await say(world, aFailure(`${session}${n}`, "npm", { session, at: world.clock.now() + n }));
      }
      world.clock.advance(2 * HOUR);
      await digest(world.db);
      const { steps } = await runMaintenanceTask(world, "reinforce", { write: true });
      expect(steps.find((one) => one.step === "escalate")?.reason).toContain("from nudge to ask");
      const now = await getRule(world.db, rule.id);
      expect(now?.level).toBe("ask");
      expect(now?.text).toContain("Broken 3 times so far");
    }));

  it("fades, sleeps and retires when nobody meets it any more, and wakes when its situation returns", () =>
    inMind(async (world) => {
      const rule = await owned(world, { origin: "tool", confidence: 0.9 });
      await say(world, anEvent("e1", { session: "later", at: world.clock.now() + 70 * DAY, ...other }));
      world.clock.advance(70 * DAY);
      await digest(world.db);
      await runMaintenanceTask(world, "decay", { write: true });
      expect(await getRule(world.db, rule.id)).toMatchObject({ status: "dormant" });
      await say(world, aFailure("e2", "npm", { session: "again", at: world.clock.now() }));
      await digest(world.db);
      expect((await runMaintenanceTask(world, "decay", { write: true })).steps).toMatchObject([{ step: "revive" }]);
      expect(await getRule(world.db, rule.id)).toMatchObject({ status: "approved" });
    }));

  it("wakes where the owner wrote it, and the journal says why", () =>
    inMind(async (world) => {
      const asleep = await owned(world, { origin: "owner", status: "dormant", confidence: 0.2 });
      await say(world, anEvent("e1", { session: "later", at: world.clock.now() + 400 * DAY, ...other }));
      world.clock.advance(400 * DAY);
      await digest(world.db);
      const { steps } = await runMaintenanceTask(world, "decay", { write: true });
      expect(steps).toMatchObject([{ step: "revive", reason: "rules of the owner do not decay" }]);
      expect(await getRule(world.db, asleep.id)).toMatchObject({ status: "approved" });
    }));

  it("stays in force where the owner wrote it, or made it deny, however long nobody meets it", () =>
    inMind(async (world) => {
      const written = await owned(world, { origin: "owner", level: "deny" });
      const raised = aRule("r_raised", { origin: "tool", level: "deny", status: "approved", confidence: 0.9 });
      await put(world.db, ruleNoun, raised, { at: world.clock.now() });
      await say(world, anEvent("e1", { session: "later", at: world.clock.now() + 400 * DAY, ...other }));
      world.clock.advance(400 * DAY);
      await digest(world.db);
      await runMaintenanceTask(world, "decay", { write: true });
      for (const { id } of [written, raised])
        expect(await getRule(world.db, id)).toMatchObject({ status: "approved", level: "deny" });
    }));

  it("counts opportunities and attempts once, however often it is asked", () =>
    inMind(async (world) => {
      const rule = await owned(world, {});
      await say(world, aFailure("a", "npm", { session: "s" }), anEvent("b", { session: "s", ...pnpm }));
      await digest(world.db);
      await runMaintenanceTask(world, "promote", { write: true });
      await runMaintenanceTask(world, "promote", { write: true });
      expect(await listRuleSessions(world.db, rule.id)).toMatchObject([{ opportunities: 2, attempts: 1, failed: 1 }]);
    }));

  it.each([
    ["a mined rule", "tool", 3, 16],
    ["its owner's rule", "owner", 8, 15],
  ] as const)("counts first attempts as chances, and of %s as many mistakes", (_whose, origin, mistakes, chances) =>
    inMind(async (world) => {
      const made = await owned(world, { origin });
      const at = world.clock.now() + DAY;
      // Three calls fail and are corrected; five work in the same words, then eight in others.
      for (let n = 0; n < 3; n++) await say(world, ...attempt("s", n, { at, wrong: true }));
      for (let n = 3; n < 16; n++) {
        const command = `${n < 8 ? "npm" : "pnpm"} test t${n}`;
        const { head } = n < 8 ? npm : pnpm;
        await say(world, anEvent(`${n}`, { session: "s", at, head, input: { command } }));
      }
      world.clock.advance(2 * DAY);
      await digest(world.db);
      await runMaintenanceTask(world, "promote", { write: true });
      const [effect] = await listRuleEffects(world, [made]);
      expect(effect?.proof.arms.treated).toMatchObject({ opportunities: chances, attempts: mistakes });
    }),
  );

  it("against a program it counts each of its subcommands, and a line that has two of them once", () =>
    inMind(async (world) => {
      const rule = await owned(world, { matcher: { tool: "shell", head: "npm", has: ["with any subcommand"] } });
      const ran = (uid: string, command: string, head: string) =>
        anEvent(uid, { session: "s", head, input: { command } });
      await say(
        world,
        ran("a", "npm install && npm run build", "npm run build"),
        ran("b", "npm test", "npm test"),
        ran("c", "pnpm test", "pnpm test"),
        ran("d", "npmx test", "npmx test"),
      );
      await digest(world.db);
      await runMaintenanceTask(world, "promote", { write: true });
      expect(await listRuleSessions(world.db, rule.id)).toMatchObject([{ attempts: 2, worked: 2 }]);
    }));

  it("sleeps at once when it does harm, says why, and is not woken by its situation", () =>
    inMind(async (world) => {
      const day = async (session: string, wrong: boolean) => {
        world.clock.advance(DAY);
        const at = world.clock.now();
        for (let n = 0; n < 8; n++) await say(world, ...attempt(session, n, { at, wrong: wrong || n === 0 }));
      };
      for (let n = 0; n < 25; n++) await day(`before${n}`, false);
      const rule = await owned(world, { origin: "tool" });
      for (let n = 0; n < 25; n++) await day(`after${n}`, true);
      await digest(world.db);
      const { steps } = await runMaintenance(world, { write: true, force: true });
      const proven = steps.find((one) => one.step === "prove" && one.after.id === rule.id);
      expect(proven).toMatchObject({ after: { status: "dormant" } });
      expect((await listChangesOf(world.db, "rule", rule.id)).at(-1)?.cause.note).toContain("harmful");
      await runMaintenance(world, { write: true, force: true });
      expect((await getRule(world.db, rule.id))?.status).toBe("dormant");
    }));

  it.each([
    ["harmful", 1, 4],
    ["works", 4, 0],
  ])("is judged by how much is done where only the mistake shows that it could be made: %s", (verdict, before, after) =>
    inMind(async (world) => {
      const day = async (session: string, times: number) => {
        world.clock.advance(DAY);
        const at = world.clock.now();
        const rake = { head: "rake", input: { command: "rake db:migrate" } };
        for (let n = 0; n < 20; n++)
          await say(
            world,
            n < times
              ? aFailure(`${session}${n}`, "rake", { session, at, ...rake })
              : anEvent(`${session}${n}`, { session, at, ...other }),
          );
      };
      for (let n = 0; n < 25; n++) await day(`before${n}`, before);
      const rule = await owned(world, { origin: "tool", matcher: { tool: "shell", command: "rake db:migrate" } });
      for (let n = 0; n < 25; n++) await day(`after${n}`, after);
      await digest(world.db);
      await runMaintenanceTask(world, "promote", { write: true });
      const [found] = await listRuleEffects(world, [rule]);
      expect(found).toMatchObject({ verdict, callsPerOpportunity: before === 1 ? 4 : 1 });
      const sampled = "one chance is counted for every 4 calls of a session";
      expect(found?.reason?.includes(sampled)).toBe(before === 1);
    }),
  );

  it("works, where attempts fell with it", () =>
    inMind(async (world) => {
      const session = async (name: string, wrong: number) => {
        world.clock.advance(DAY / 2);
        const at = world.clock.now();
        for (let n = 0; n < 10; n++) await say(world, ...attempt(name, n, { at, wrong: n < wrong }));
      };
      for (let n = 0; n < 30; n++) await session(`before${n}`, 8);
      const rule = await owned(world, { origin: "tool" });
      for (let n = 0; n < 30; n++) await session(`after${n}`, 1);
      await digest(world.db);
      await runMaintenanceTask(world, "promote", { write: false });
      const [effect] = await listRuleEffects(world, [rule]);
      expect(effect?.verdict).toBe("works");
      expect(effect?.proof.effect?.ratio).toBeLessThan(0.3);
    }));

  it("has one verdict, whoever asks and of how many rules, and says on whose evidence", () =>
    inMind(async (world) => {
      const scripts = ["a", "b", "c", "d", "e", "f"];
      const days = async (name: string, wrong: number) => {
        for (const script of scripts)
          for (let n = 0; n < 3; n++) {
            world.clock.advance(HOUR);
            const session = `${name} ${script}${n}`;
            for (let call = 0; call < 4; call++) {
              const head = `${call < wrong ? "npm" : "pnpm"} run ${script}`;
              const fields = { session, at: world.clock.now(), head, input: { command: head } };
              const uid = `${session}-${call}`;
              await say(world, call < wrong ? aFailure(uid, "npm", fields) : anEvent(uid, fields));
            }
          }
      };
      await days("before", 2);
      const rules: Rule[] = [];
      for (const script of scripts) {
        const matcher = { tool: "shell", head: `npm run ${script}` };
        rules.push(await owned(world, { id: `r_${script}`, origin: "tool", matcher }));
      }
      await days("after", 0);
      await digest(world.db);
      await runMaintenanceTask(world, "promote", { write: false });
      const [first] = rules;
      const [alone] = await listRuleEffects(world, [first as Rule]);
      const [together] = await listRuleEffects(world, rules);
      expect(alone).toEqual(together);
      expect(alone).toMatchObject({ verdict: "works", byFamily: true });
      expect(alone?.proof.verdict).toBe("not enough data");
      await put(world.db, ruleNoun, { ...(rules[1] as Rule), status: "retired" });
      expect((await listRuleEffects(world, [first as Rule]))[0]?.verdict).toBe("works");
      const said = await Promise.all([
        resultOf(world, "rules effect", { id: "r_a" }),
        resultOf(world, "rules show", { id: "r_a" }),
        resultOf(world, "rules why", { id: "r_a" }),
        resultOf(world, "rules list", { status: "approved" }),
      ]);
      for (const { text } of said.slice(0, 3))
        expect(text).toContain(
          "works, judged with other rules of its kind: its own sessions are too few to judge; with 5 other rules of its kind ",
        );
      expect(said[3]?.result).toMatchObject([
        { id: "r_a", effect: { verdict: "works", byFamily: true } },
        {},
        {},
        {},
        {},
      ]);
    }));

  it("gives way to a better condition while nobody has decided on it; pinned, it stays as it is", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 5, each: 2 });
      const better = await mined(world);
      const worse = { ...better, matcher: { tool: "shell", head: "npm test", has: ["flag --silent"] } };
      await put(world.db, ruleNoun, { ...worse, pinned: true });
      await fail(world, { sessions: 5, each: 2, name: "again" });
      expect((await distil(world, { write: true })).proposals).toMatchObject([{ id: better.id, standing: "known" }]);
      expect(await getRule(world.db, better.id)).toEqual({ ...worse, pinned: true });
      await put(world.db, ruleNoun, worse);
      await fail(world, { sessions: 5, each: 2, name: "anew" });
      expect((await distil(world, { write: true })).proposals).toMatchObject([{ id: better.id, standing: "renewed" }]);
      expect((await getRule(world.db, better.id))?.matcher).toEqual(better.matcher);
    }));

  it("tells of what has come since, while nobody has decided on it; what its owner wrote stays", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 3, each: 1 });
      const first = await mined(world);
      expect(first).toMatchObject({ level: "advise", evidence: { observations: 3 } });
      world.clock.advance(DAY);
      await fail(world, { sessions: 4, each: 1, name: "later" });
      expect((await distil(world, { write: true })).proposals).toMatchObject([{ id: first.id, standing: "renewed" }]);
      const renewed = await getRule(world.db, first.id);
      expect(renewed).toMatchObject({ level: "nudge", evidence: { observations: 7 }, createdAt: first.createdAt });
      expect(renewed?.text).toContain("7 of 7");
      await put(world.db, ruleNoun, { ...(renewed as Rule), text: "mine" });
      await fail(world, { sessions: 9, each: 1, name: "yet later" });
      expect((await distil(world, { write: true })).proposals).toMatchObject([{ standing: "known" }]);
      expect((await getRule(world.db, first.id))?.text).toBe("mine");
    }));

  it("comes back as a candidate when it was retired by time alone and the mistake returns", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 5, each: 2 });
      const { id } = await mined(world);
      world.clock.advance(200 * DAY);
      await say(world, anEvent("much later", { session: "later", at: world.clock.now(), ...other }));
      await digest(world.db);
      await runMaintenanceTask(world, "decay", { write: true });
      expect((await getRule(world.db, id))?.status).toBe("retired");
      world.clock.advance(DAY);
      await fail(world, { sessions: 5, each: 2, name: "again" });
      expect((await distil(world, { write: true })).proposals).toMatchObject([{ id, standing: "renewed" }]);
      expect((await getRule(world.db, id))?.status).toBe("candidate");
    }));

  it("does not come back once it was forgotten, however often the mistake is seen", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 5, each: 2 });
      const { id } = await mined(world);
      await fail(world, { sessions: 1, each: 2, name: "again" });
      expect((await distil(world, { write: true })).proposals).toMatchObject([{ id, standing: "known" }]);
      await fail(world, { sessions: 5, each: 2, name: "anew" });
      await forgetSubject(world.db, { noun: ruleNoun, id }, byOwner(world.clock.now()));
      expect((await distil(world, { write: true })).proposals).toEqual([]);
      expect(await listRules(world.db)).toEqual([]);
    }));

  it("keeps what its owner decided while it was being judged", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 5, each: 2 });
      const rule = await mined(world);
      world.clock.advance(8 * DAY);
      await fail(world, { sessions: 1, each: 1, name: "later" });
      const [step] = (await runMaintenanceTask(world, "promote", { write: false })).steps;
      expect(step).toMatchObject({ step: "promote", before: rule });
      const other = await openStore({ database: world.database, busyMs: 10_000 });
      await Promise.all([
        runMaintenanceTask(world, "promote", { write: true }),
        applyChange(other.db, { noun: ruleNoun, id: rule.id }, byOwner(1), (now) => now && { ...now, text: "mine" }),
      ]);
      expect(await getRule(world.db, rule.id)).toMatchObject({ text: "mine", status: "approved" });
      await other.close();
    }));

  it("is kept up by slices that may stop after any stage, once in twenty hours, with nobody asking", () =>
    inMind(async (world) => {
      await fail(world, { sessions: 5, each: 2 });
      const rule = await mined(world);
      world.clock.advance(8 * DAY);
      await fail(world, { sessions: 1, each: 1, name: "later" });
      let slices = 0;
      for (let looks = 1; (await readLastMaintenance(world.db)) === 0; looks++, slices++)
        await runMaintenanceSlice(world, stopAfterLooks(looks));
      expect(slices).toBeGreaterThan(2);
      expect((await getRule(world.db, rule.id))?.status).toBe("approved");
      const changes = await listChangesOf(world.db, "rule", rule.id);
      expect(changes.filter((one) => one.actor === "maintenance")).toHaveLength(1);
      const before = await listChanges(world.db, { limit: 100 });
      world.clock.advance(19 * HOUR);
      await runMaintenanceSlice(world, { aborted: false });
      expect(await listChanges(world.db, { limit: 100 })).toEqual(before);
    }));

  it("is kept up at most once in twenty hours", () =>
    inMind(async (world) => {
      await say(world, anEvent("a"));
      await digest(world.db);
      expect((await runMaintenance(world, { write: true, force: false })).skipped).toBeNull();
      world.clock.advance(19 * HOUR);
      expect((await runMaintenance(world, { write: true, force: false })).skipped).toContain("19 hours ago");
      world.clock.advance(2 * HOUR);
      expect((await runMaintenance(world, { write: true, force: false })).skipped).toBeNull();
    }));

  it("is found again under the same name, byte for byte, by whoever has seen the same", () =>
    inMind(async (one) => {
      await fail(one, { sessions: 4, each: 2 });
      await mined(one);
      const first = JSON.stringify(await listRules(one.db));
      await inMind(async (another) => {
        await fail(another, { sessions: 4, each: 2 });
        await mined(another);
        expect(JSON.stringify(await listRules(another.db))).toBe(first);
      });
    }));
});

function stopAfterLooks(looks: number): Stoppable {
  let left = looks;
  return {
    get aborted() {
      return left-- <= 0;
    },
  };
}

type World = ReturnType<typeof worldOf> & {
  readonly clock: ReturnType<typeof fixedClock>;
  readonly database: string;
};

function worldOf(store: Store, clock: ReturnType<typeof fixedClock>) {
  return { store, db: store.db, config, clock, actor: owner, ...quiet };
}

const npm = { head: "npm test", input: { command: "npm test" } };
const pnpm = { head: "pnpm test", input: { command: "pnpm test" } };
const other = { head: "ls", input: { command: "ls" } };

/** One thing that a session does with `pnpm test`; if `wrong`, it fails first with `npm test`. */
function attempt(session: string, n: number, { at, wrong }: { readonly at: number; readonly wrong: boolean }) {
  const [mistake, right] = [npm, pnpm].map(({ head }) => ({ head, input: { command: `${head} t${n}` } }));
  const done = anEvent(`${session} right ${n}`, { session, at, ...right });
  return wrong ? [aFailure(`${session} wrong ${n}`, "npm", { session, at, ...mistake }), done] : [done];
}

async function say(world: World, ...events: readonly NewEvent[]): Promise<void> {
  await appendEvents(world.db, events);
}

/** `npm test` fails in `sessions` sessions; `git status` works in between. */
async function fail(
  world: World,
  of: { readonly sessions: number; readonly each: number; readonly name?: string; readonly at?: number },
): Promise<void> {
  const { sessions, each, name = "", at: last = world.clock.now() - 1_000 } = of;
  for (let s = 0; s < sessions; s++)
    for (let n = 0; n < each; n++) {
      const at = last + s;
      await say(
        world,
        aFailure(`f${name}${s}-${n}`, "npm", { session: `s${name}${s}`, at, error: "npm: not logged in" }),
        anEvent(`w${name}${s}-${n}`, {
          session: `s${name}${s}`,
          at,
          head: "git status",
          input: { command: "git status" },
        }),
      );
    }
  await digest(world.db);
}

async function mined(world: World): Promise<Rule> {
  await distil(world, { write: true });
  const [rule] = await listRules(world.db);
  expect(rule).toBeDefined();
  return rule as Rule;
}

/** A rule against `npm test`, in force from now on. */
async function owned(world: World, over: Partial<Rule>): Promise<Rule> {
  const rule = aRule("r_1", {
    status: "approved",
    level: "nudge",
    confidence: 0.8,
    matcher: { tool: "shell", head: "npm test" },
    createdAt: world.clock.now(),
    evidence: { observations: 5, sessions: 2, first: world.clock.now(), last: world.clock.now(), refs: [] },
    ...over,
  });
  const approvedByLaw = { kind: "operation", id: "promote", note: null } as const;
  await put(world.db, ruleNoun, rule, { at: world.clock.now(), cause: approvedByLaw });
  return rule;
}

/** An operation's result, and its printed form. */
async function resultOf(world: World, name: string, input: object) {
  const one = operations.find((operation) => operation.name === name);
  if (one === undefined) throw new Error(`there is no ${name}`);
  const result: unknown = await invoke(world as unknown as Context, one, input, "");
  return { result, text: (one.render as (result: unknown) => string)(result) };
}

function adviseCall(world: World, session: string): Promise<CallAdvice | null> {
  return adviseBeforeCall(
    world,
    {
      host: "claude-code",
      session,
      workspace: HERE,
      cwd: HERE,
      tool: "Bash",
      input: { command: "npm test" },
      agent: null,
    },
    { takes: "both", control: takesAll },
  );
}
