import { describe, expect, it } from "vitest";
import { addReinforcements } from "../../src/store/shown/reinforcements.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { listShownRules, recordShownParts } from "../../src/store/shown/shown.ts";
import { stores, withStore } from "../stores.ts";
import { aRule, put } from "./samples.ts";

describe.each(stores)("what was shown, on $name", (kind) => {
  it("is told newest first, by rule and by session, with what came of it", () =>
    withStore(kind, async ({ db }) => {
      await put(db, ruleNoun, aRule("r1", { text: "run pnpm test" }));
      const to = { host: "codex", session: "s1", moment: "before-call" } as const;
      const part = { kind: "rule", subject: "r1", level: "nudge", tokens: 4 } as const;
      await recordShownParts(db, { ...to, at: 10 }, [part]);
      await recordShownParts(db, { ...to, at: 20, session: "s2" }, [part]);
      await recordShownParts(db, { ...to, at: 30 }, [{ ...part, subject: "gone", delivery: "hold" }]);
      await addReinforcements(db, [
        { rule: "r1", host: "codex", session: "s2", at: 20, broken: true, delivery: "note" },
      ]);
      const listRows = async (wanted: { rule?: string; session?: string; limit?: number }) =>
        (await listShownRules(db, { limit: 10, ...wanted })).map(({ at, text, broken }) => ({ at, text, broken }));
      const [first, second, third] = [
        { at: 30, text: null, broken: null },
        { at: 20, text: "run pnpm test", broken: true },
        { at: 10, text: "run pnpm test", broken: null },
      ];
      expect(await listRows({})).toEqual([first, second, third]);
      expect((await listShownRules(db, { limit: 2 })).map((one) => one.delivery)).toEqual(["hold", "note"]);
      expect(await listRows({ limit: 1 })).toEqual([first]);
      expect(await listRows({ rule: "r1" })).toEqual([second, third]);
      expect(await listRows({ session: "s1" })).toEqual([first, third]);
      expect(await listRows({ rule: "r1", session: "s1" })).toEqual([third]);
    }));
});
