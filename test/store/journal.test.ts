import { describe, expect, it } from "vitest";
import type { Db } from "../../src/store/engine/db.ts";
import { owner } from "../../src/domain/actor.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { readPendingScrub } from "../../src/store/state/scrub-forgotten.ts";
import { identityNoun } from "../../src/store/nouns/identities.ts";
import {
  makeProvenance,
  applyChange,
  applyAllChanges,
  listChangesOf,
  findDisagreements,
  filterEverKnown,
  forgetSubject,
  filterForgotten,
  getChange,
  listChanges,
  findLastStandingChange,
  planChange,
  readStateAt,
  undoChange,
} from "../../src/store/journal/journal.ts";
import { getRule, ruleNoun } from "../../src/store/nouns/rules.ts";
import { stores, withStore } from "../stores.ts";
import { aRule, byHand, byOwner, put } from "./samples.ts";

describe.each(stores)("the journal on $name", (kind) => {
  const remove = (db: Db, id: string, at: number) => applyChange(db, { noun: ruleNoun, id }, byOwner(at), () => null);

  it("writes the change and its entry together, with what was before and after", () =>
    withStore(kind, async ({ db }) => {
      const made = await put(db, ruleNoun, aRule("r1"), { at: 10 });
      expect(made).toMatchObject({ noun: "rule", subject: "r1", before: null, at: 10 });
      const edited = await put(db, ruleNoun, aRule("r1", { text: "use pnpm" }), { at: 20 });
      expect(edited?.before).toMatchObject({ text: "run pnpm, not npm" });
      expect((await getRule(db, "r1"))?.text).toBe("use pnpm");
      expect(await put(db, ruleNoun, aRule("r1", { text: "use pnpm" }), { at: 30 })).toBeNull();
      expect((await listChanges(db, { limit: 10 })).map((one) => one.at)).toEqual([20, 10]);
    }));

  it("tells what was stored, also of a text or a fraction no column can hold", () =>
    withStore(kind, async ({ db }) => {
      const odd = aRule("r1", { text: "a\0b \ud800", confidence: 0.1 + 0.2, salience: 1e-300, signature: "x\0" });
      const made = await put(db, ruleNoun, odd, { at: 10 });
      expect(made?.after).toMatchObject({ text: "a␀b \ufffd", signature: "x␀", confidence: 0.1 + 0.2 });
      expect(await findDisagreements(db)).toEqual([]);
      expect(await put(db, ruleNoun, odd, { at: 20 })).toBeNull();
      expect(await listChanges(db, { limit: 9 })).toHaveLength(1);
    }));

  it("undoes a change, and undoes the undoing", () =>
    withStore(kind, async ({ db }) => {
      await put(db, ruleNoun, aRule("r1"), { at: 10 });
      const edit = await put(db, ruleNoun, aRule("r1", { text: "use pnpm" }), { at: 20 });
      const back = await undoChange(db, edit?.id ?? 0, byOwner(30));
      expect((await getRule(db, "r1"))?.text).toBe("run pnpm, not npm");
      await expect(undoChange(db, edit?.id ?? 0, byOwner(31))).rejects.toThrow("already undone");
      await undoChange(db, back.id, byOwner(40));
      expect((await getRule(db, "r1"))?.text).toBe("use pnpm");
      await undoChange(db, edit?.id ?? 0, byOwner(50));
      expect((await getRule(db, "r1"))?.text).toBe("run pnpm, not npm");
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("refuses to undo what later changes or other rules build on, and names them", () =>
    withStore(kind, async ({ db }) => {
      const made = await put(db, ruleNoun, aRule("r1"), { at: 10 });
      const edit = await put(db, ruleNoun, aRule("r1", { text: "use pnpm" }), { at: 20 });
      await expect(undoChange(db, made?.id ?? 0, byOwner(30))).rejects.toThrow(`change ${edit?.id}`);
      await undoChange(db, edit?.id ?? 0, byOwner(30));
      await put(db, ruleNoun, aRule("r2", { status: "merged", mergedInto: "r1" }), { at: 40 });
      await expect(undoChange(db, made?.id ?? 0, byOwner(50))).rejects.toThrow("rule r2");
    }));

  it("puts back what a change changed on top of later ones that give way, and nothing else", () =>
    withStore(kind, async ({ db }) => {
      const law = { kind: "operation", id: "distil", note: null } as const;
      const givesWay = (later: { readonly cause: { readonly id: string | null } }) => later.cause.id === "distil";
      const made = await put(db, ruleNoun, aRule("r1", { status: "candidate", level: "nudge" }), { at: 10 });
      const approved = aRule("r1", { status: "approved", level: "ask" });
      const decided = await put(db, ruleNoun, approved, { at: 20 });
      const counted = await put(
        db,
        ruleNoun,
        { ...approved, level: "hold", text: "counted", confidence: 0.7 },
        { at: 30, cause: law },
      );
      await expect(undoChange(db, decided?.id ?? 0, byOwner(40))).rejects.toThrow(`change ${counted?.id}`);
      const back = await undoChange(db, decided?.id ?? 0, byOwner(40), givesWay);
      expect(back.cause.note).toBe(`later counts stay with the other rule: ${counted?.id}`);
      const now = { status: "candidate", level: "nudge", text: "counted", confidence: 0.7 };
      expect(await getRule(db, "r1")).toMatchObject(now);
      // An undo can be undone, and so can the change before it.
      const again = await undoChange(db, back.id, byOwner(50), givesWay);
      expect(await getRule(db, "r1")).toMatchObject({ status: "approved", level: "hold", text: "counted" });
      await undoChange(db, again.id, byOwner(60), givesWay);
      await undoChange(db, made?.id ?? 0, byOwner(70), givesWay);
      expect(await getRule(db, "r1")).toBeNull();
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("tells the mind as of a time, even when the clock jumped back", () =>
    withStore(kind, async ({ db }) => {
      await put(db, ruleNoun, aRule("r1"), { at: 100 });
      await put(db, ruleNoun, aRule("r1", { text: "second" }), { at: 50 });
      await remove(db, "r1", 200);
      expect((await readStateAt(db, 99)).size).toBe(0);
      expect((await readStateAt(db, 100)).get("rule r1")).toMatchObject({ text: "second" });
      expect((await readStateAt(db, 200)).size).toBe(0);
    }));

  it("forgets for good: the words are gone from the journal, a tombstone stays, and nothing brings it back", () =>
    withStore(kind, async ({ db }) => {
      const cause = { ...byHand, note: "because of the secret plan" };
      const made = await put(db, ruleNoun, aRule("r1", { text: "a secret plan" }), { at: 10, cause });
      await forgetSubject(db, { noun: ruleNoun, id: "r1" }, byOwner(20));
      expect(await getRule(db, "r1")).toBeNull();
      const past = await listChangesOf(db, "rule", "r1");
      expect(past).toHaveLength(2);
      expect(JSON.stringify(past)).not.toContain("secret plan");
      await expect(undoChange(db, made?.id ?? 0, byOwner(30))).rejects.toThrow("cannot be restored");
      expect(await findDisagreements(db)).toEqual([]);
    }));

  it("keeps secrets out of the mind and of its history, whoever brings them", () =>
    withStore(kind, async ({ db }) => {
      const token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
      await put(db, ruleNoun, aRule("r1", { text: `push with ${token}` }), { at: 10 });
      expect((await getRule(db, "r1"))?.text).toMatch(/^push with \[redacted:/);
      expect(JSON.stringify(await listChanges(db, { limit: 10 }))).not.toContain(token);
    }));

  const agent = { kind: "agent", name: "codex" } as const;
  const job = { kind: "job", id: "maintain" } as const;

  it("says who changed something, why and when; a cause that is a name is an operation's", () => {
    const maker = { actor: owner, clock: fixedClock(7) };
    expect(makeProvenance(maker, "pin")).toEqual({
      actor: owner,
      cause: { kind: "operation", id: "pin", note: null },
      at: 7,
    });
    expect(makeProvenance(maker, job, "why")).toEqual({ actor: owner, cause: { ...job, note: "why" }, at: 7 });
  });

  it("reads a change as it was made", () =>
    withStore(kind, async ({ db }) => {
      const cause = { ...job, note: "why" };
      const made = await put(db, ruleNoun, aRule("r1"), { at: 10, actor: agent, cause });
      const whole = {
        id: made?.id,
        at: 10,
        actor: "codex",
        cause,
        noun: "rule",
        subject: "r1",
        before: null,
        after: aRule("r1"),
        undoes: null,
        undoneBy: null,
        scrubbed: false,
      };
      expect(made).toEqual(whole);
      expect(await getChange(db, made?.id ?? 0)).toEqual(whole);
      expect(await getChange(db, 99)).toBeNull();
      expect(await listChangesOf(db, ruleNoun, "r1")).toEqual([whole]);
      expect(await listChangesOf(db, "rule", "r1", made?.id)).toEqual([]);
      expect(await listChangesOf(db, "memory", "r1")).toEqual([]);
    }));

  it("makes many changes as one, each on top of those before it, and tells those that changed something", () =>
    withStore(kind, async ({ db }) => {
      const said = (text: string) =>
        planChange(ruleNoun, "r1", byOwner(10), (before) => aRule("r1", { text: `${before?.text ?? ""}${text}` }));
      const same = planChange(ruleNoun, "r1", byOwner(10), (before) => before);
      const made = await applyAllChanges(db, [said("a"), same, said("b")]);
      expect(made.map((one) => one.after)).toMatchObject([{ text: "a" }, { text: "ab" }]);
      const fails = () => Promise.reject(new Error("no"));
      await expect(applyAllChanges(db, [said("c"), fails])).rejects.toThrow("no");
      expect((await getRule(db, "r1"))?.text).toBe("ab");
    }));

  it("is read a page at a time, the newest first", () =>
    withStore(kind, async ({ db }) => {
      for (const text of ["a", "b", "c"]) await put(db, ruleNoun, aRule("r1", { text }), { at: 10 });
      const first = await listChanges(db, { limit: 2 });
      expect(first.map((one) => one.after?.["text"])).toEqual(["c", "b"]);
      const rest = await listChanges(db, { before: first[1]?.id, limit: 2 });
      expect(rest.map((one) => one.after?.["text"])).toEqual(["a"]);
    }));

  it("knows what was ever in the mind, and what was forgotten of it", () =>
    withStore(kind, async ({ db }) => {
      for (const id of ["r1", "r2"]) await put(db, ruleNoun, aRule(id), { at: 10 });
      await remove(db, "r1", 20);
      await forgetSubject(db, { noun: ruleNoun, id: "r2" }, byOwner(20));
      const ids = ["r1", "r2", "r3"];
      expect([...(await filterEverKnown(db, "rule", ids))].toSorted()).toEqual(["r1", "r2"]);
      expect([...(await filterEverKnown(db, "memory", ids))]).toEqual([]);
      expect([...(await filterEverKnown(db, "rule", []))]).toEqual([]);
      expect([...(await filterForgotten(db, "rule", ids))]).toEqual(["r2"]);
      expect([...(await filterForgotten(db, "rule", ["r1"]))]).toEqual([]);
      expect([...(await filterForgotten(db, "memory", ids))]).toEqual([]);
      expect([...(await filterForgotten(db, "rule", []))]).toEqual([]);
    }));

  it("forgets only what is there, what nobody names, and what the actor may remove", () =>
    withStore(kind, async ({ db }) => {
      const forgets = (id: string) => forgetSubject(db, { noun: ruleNoun, id }, byOwner(20));
      await expect(forgets("r1")).rejects.toMatchObject({
        code: "not-found",
        message: "there is no rule r1",
        hint: "ids are case-sensitive",
      });
      await put(db, ruleNoun, aRule("r1"), { at: 10 });
      await put(db, ruleNoun, aRule("r2", { status: "merged", mergedInto: "r1" }), { at: 10 });
      await expect(forgets("r1")).rejects.toMatchObject({
        code: "refused",
        message: "rule r1 is named by rule r2",
        hint: "forget those first",
      });
      await put(db, identityNoun, { id: "SOUL.md", text: "name\n" }, { at: 10 });
      const file = { noun: identityNoun, id: "SOUL.md" };
      await expect(forgetSubject(db, file, { ...byOwner(20), actor: agent })).rejects.toMatchObject({
        code: "refused",
      });
      expect(await identityNoun.read(db, "SOUL.md")).not.toBeNull();
    }));

  it("forgets what was derived of it too, and notes that its bytes are still to go", () =>
    withStore(kind, async ({ db }) => {
      for (const id of ["r1", "r2"]) {
        await put(db, ruleNoun, aRule(id, { text: `secret ${id}` }), { at: 10 });
        await db.run("insert into reinforced (rule, session, host, at, broken) values (?, 's1', 'codex', 1, 0)", [id]);
      }
      expect(await readPendingScrub(db)).toBeNull();
      const gone = await forgetSubject(db, { noun: ruleNoun, id: "r1" }, byOwner(20));
      expect(gone).toMatchObject({ before: null, after: null, undoes: null, scrubbed: true });
      expect(await db.all("select rule from reinforced")).toEqual([{ rule: "r2" }]);
      expect(await readPendingScrub(db)).toBe("spoken");
      expect(JSON.stringify(await listChangesOf(db, "rule", "r2"))).toContain("secret r2");
      expect((await getChange(db, gone.id))?.scrubbed).toBe(true);
    }));

  it("names in a refusal who may not change what, and changes nothing", () =>
    withStore(kind, async ({ db }) => {
      const mine = put(db, identityNoun, { id: "SOUL.md", text: "mine\n" }, { at: 20, actor: agent });
      await expect(mine).rejects.toMatchObject({
        code: "refused",
        message: "codex may not change identity SOUL.md: only the owner creates or removes it",
        hint: "nothing was changed",
      });
      expect(await listChanges(db, { limit: 9 })).toEqual([]);
      expect(await identityNoun.read(db, "SOUL.md")).toBeNull();
    }));

  it("says why an undo is refused, and what would help", () =>
    withStore(kind, async ({ db }) => {
      await expect(undoChange(db, 99, byOwner(1))).rejects.toMatchObject({
        code: "not-found",
        message: "there is no change 99",
        hint: "oldhand history lists them",
      });
      const made = await put(db, ruleNoun, aRule("r1"), { at: 10 });
      const edit = await put(db, ruleNoun, aRule("r1", { text: "b" }), { at: 20 });
      await expect(undoChange(db, made?.id ?? 0, byOwner(30))).rejects.toMatchObject({
        code: "refused",
        message: `change ${made?.id} cannot be undone: later changes depend on it (change ${edit?.id})`,
        hint: `oldhand undo ${edit?.id}, then oldhand undo ${made?.id}`,
      });
      await forgetSubject(db, { noun: ruleNoun, id: "r1" }, byOwner(40));
      await expect(undoChange(db, edit?.id ?? 0, byOwner(50))).rejects.toMatchObject({
        message: `change ${edit?.id} cannot be undone: its contents were forgotten and cannot be restored`,
        hint: "nothing was changed",
      });
    }));

  it("says of an undo what it undoes, and what went with it", () =>
    withStore(kind, async ({ db }) => {
      const made = await put(db, ruleNoun, aRule("r1"), { at: 10 });
      const edit = await put(db, ruleNoun, aRule("r1", { text: "b" }), { at: 20 });
      const back = await undoChange(db, made?.id ?? 0, byOwner(30), () => true);
      expect(back).toMatchObject({
        undoes: made?.id,
        cause: { kind: "undo", id: String(made?.id), note: `and with it what followed from it: ${edit?.id}` },
      });
      expect((await getChange(db, made?.id ?? 0))?.undoneBy).toBe(back.id);
      const again = await undoChange(db, back.id, byOwner(40));
      expect(again.cause).toEqual({ kind: "undo", id: String(back.id), note: null });
      expect((await getChange(db, made?.id ?? 0))?.undoneBy).toBeNull();
    }));

  it("knows the newest change of somebody that still stands", () =>
    withStore(kind, async ({ db }) => {
      expect(await findLastStandingChange(db, owner)).toBeNull();
      const made = await put(db, ruleNoun, aRule("r1"), { at: 10 });
      const edit = await put(db, ruleNoun, aRule("r1", { text: "b" }), { at: 20 });
      await put(db, ruleNoun, aRule("r2"), { at: 20, actor: agent });
      expect(await findLastStandingChange(db, owner)).toBe(edit?.id);
      await undoChange(db, edit?.id ?? 0, byOwner(30));
      expect(await findLastStandingChange(db, owner)).toBe(made?.id);
      await forgetSubject(db, { noun: ruleNoun, id: "r1" }, byOwner(40));
      expect(await findLastStandingChange(db, owner)).toBeNull();
    }));

  it("tells where it and the mind disagree", () =>
    withStore(kind, async ({ db }) => {
      for (const id of ["r1", "r2"]) await put(db, ruleNoun, aRule(id), { at: 10 });
      await db.run("update rules set text = 'other' where id = 'r1'");
      await db.run("delete from rules where id = 'r2'");
      expect(await findDisagreements(db)).toEqual([
        "rule r1 differs from its journal",
        "rule r2 is in the journal but not in the mind",
      ]);
    }));
});
