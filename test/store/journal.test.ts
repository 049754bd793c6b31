import { describe, expect, it } from "vitest";
import type { Db } from "../../src/store/engine/db.ts";
import { change, changesOf, disagreements, forget, history, stateAt, undo } from "../../src/store/journal.ts";
import { getRule, ruleNoun } from "../../src/store/rules.ts";
import { stores, withStore } from "../stores.ts";
import { aRule, byHand, byOwner, put } from "./samples.ts";

describe.each(stores)("the journal on $name", (kind) => {
  const remove = (db: Db, id: string, at: number) => change(db, { noun: ruleNoun, id }, byOwner(at), () => null);

  it("writes the change and its entry together, with what was before and after", () =>
    withStore(kind, async ({ db }) => {
      const made = await put(db, ruleNoun, aRule("r1"), { at: 10 });
      expect(made).toMatchObject({ noun: "rule", subject: "r1", before: null, at: 10 });
      const edited = await put(db, ruleNoun, aRule("r1", { text: "use pnpm" }), { at: 20 });
      expect(edited?.before).toMatchObject({ text: "run pnpm, not npm" });
      expect((await getRule(db, "r1"))?.text).toBe("use pnpm");
      expect(await put(db, ruleNoun, aRule("r1", { text: "use pnpm" }), { at: 30 })).toBeNull();
      expect((await history(db, { limit: 10 })).map((one) => one.at)).toEqual([20, 10]);
    }));

  it("tells what was stored, also of a text or a fraction no column can hold", () =>
    withStore(kind, async ({ db }) => {
      const odd = aRule("r1", { text: "a\0b \ud800", confidence: 0.1 + 0.2, salience: 1e-300, signature: "x\0" });
      const made = await put(db, ruleNoun, odd, { at: 10 });
      expect(made?.after).toMatchObject({ text: "a␀b \ufffd", signature: "x␀", confidence: 0.1 + 0.2 });
      expect(await disagreements(db)).toEqual([]);
      expect(await put(db, ruleNoun, odd, { at: 20 })).toBeNull();
      expect(await history(db, { limit: 9 })).toHaveLength(1);
    }));

  it("undoes a change, and undoes the undoing", () =>
    withStore(kind, async ({ db }) => {
      await put(db, ruleNoun, aRule("r1"), { at: 10 });
      const edit = await put(db, ruleNoun, aRule("r1", { text: "use pnpm" }), { at: 20 });
      const back = await undo(db, edit?.id ?? 0, byOwner(30));
      expect((await getRule(db, "r1"))?.text).toBe("run pnpm, not npm");
      await expect(undo(db, edit?.id ?? 0, byOwner(31))).rejects.toThrow("undone already");
      await undo(db, back.id, byOwner(40));
      expect((await getRule(db, "r1"))?.text).toBe("use pnpm");
      await undo(db, edit?.id ?? 0, byOwner(50));
      expect((await getRule(db, "r1"))?.text).toBe("run pnpm, not npm");
      expect(await disagreements(db)).toEqual([]);
    }));

  it("refuses to undo what later changes or other rules build on, and names them", () =>
    withStore(kind, async ({ db }) => {
      const made = await put(db, ruleNoun, aRule("r1"), { at: 10 });
      const edit = await put(db, ruleNoun, aRule("r1", { text: "use pnpm" }), { at: 20 });
      await expect(undo(db, made?.id ?? 0, byOwner(30))).rejects.toThrow(`change ${edit?.id}`);
      await undo(db, edit?.id ?? 0, byOwner(30));
      await put(db, ruleNoun, aRule("r2", { status: "merged", mergedInto: "r1" }), { at: 40 });
      await expect(undo(db, made?.id ?? 0, byOwner(50))).rejects.toThrow("rule r2");
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
      await expect(undo(db, decided?.id ?? 0, byOwner(40))).rejects.toThrow(`change ${counted?.id}`);
      const back = await undo(db, decided?.id ?? 0, byOwner(40), givesWay);
      expect(back.cause.note).toBe(`what was counted since stays elsewhere: ${counted?.id}`);
      const now = { status: "candidate", level: "nudge", text: "counted", confidence: 0.7 };
      expect(await getRule(db, "r1")).toMatchObject(now);
      // The undo itself can be undone, and what came before it, too.
      const again = await undo(db, back.id, byOwner(50), givesWay);
      expect(await getRule(db, "r1")).toMatchObject({ status: "approved", level: "hold", text: "counted" });
      await undo(db, again.id, byOwner(60), givesWay);
      await undo(db, made?.id ?? 0, byOwner(70), givesWay);
      expect(await getRule(db, "r1")).toBeNull();
      expect(await disagreements(db)).toEqual([]);
    }));

  it("tells the mind as of a time, even when the clock jumped back", () =>
    withStore(kind, async ({ db }) => {
      await put(db, ruleNoun, aRule("r1"), { at: 100 });
      await put(db, ruleNoun, aRule("r1", { text: "second" }), { at: 50 });
      await remove(db, "r1", 200);
      expect((await stateAt(db, 99)).size).toBe(0);
      expect((await stateAt(db, 100)).get("rule r1")).toMatchObject({ text: "second" });
      expect((await stateAt(db, 200)).size).toBe(0);
    }));

  it("forgets for good: the words are gone from the journal, a tombstone stays, and nothing brings it back", () =>
    withStore(kind, async ({ db }) => {
      const cause = { ...byHand, note: "because of the secret plan" };
      const made = await put(db, ruleNoun, aRule("r1", { text: "a secret plan" }), { at: 10, cause });
      await forget(db, { noun: ruleNoun, id: "r1" }, byOwner(20));
      expect(await getRule(db, "r1")).toBeNull();
      const past = await changesOf(db, "rule", "r1");
      expect(past).toHaveLength(2);
      expect(JSON.stringify(past)).not.toContain("secret plan");
      await expect(undo(db, made?.id ?? 0, byOwner(30))).rejects.toThrow("final");
      expect(await disagreements(db)).toEqual([]);
    }));

  it("keeps secrets out of the mind and of its history, whoever brings them", () =>
    withStore(kind, async ({ db }) => {
      const token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
      await put(db, ruleNoun, aRule("r1", { text: `push with ${token}` }), { at: 10 });
      expect((await getRule(db, "r1"))?.text).toMatch(/^push with \[redacted:/);
      expect(JSON.stringify(await history(db, { limit: 10 }))).not.toContain(token);
    }));
});
