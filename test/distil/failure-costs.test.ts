import { describe, expect, it } from "vitest";
import { countRules } from "../../src/distil/counting/count-rules.ts";
import { countNewTries } from "../../src/distil/counting/count-new-events.ts";
import { loadConfig } from "../../src/config.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { addReinforcements } from "../../src/store/shown/reinforcements.ts";
import { readHoldEvidence } from "../../src/store/shown/rule-sessions.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { quiet } from "../context.ts";
import { aFailure, anEvent, aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const matcher = { tool: "shell", head: "npm test" };
const config = loadConfig({ home: "/nowhere", env: {} });

describe.each(stores)("what a rule's failures cost, on $name", (kind) => {
  it("is added up from what was recorded: what they printed, how long they ran, how many calls they led to", () =>
    withStore(kind, async ({ db }) => {
      const ctx = { ...quiet, db, config, clock: fixedClock(1_000) };
      const at = (n: number) => ({ session: "s1", seq: n, at: n, workspace: "/w" });
      await put(db, ruleNoun, aRule("r1", { status: "approved", level: "nudge", matcher }));
      await appendEvents(db, [
        aFailure("a", "npm", { ...at(1), input: { command: "npm test" }, error: "x".repeat(400), durationMs: 3_000 }),
        anEvent("b", { ...at(2), head: "cat", input: { command: "cat package.json" } }),
        anEvent("c", { ...at(3), head: "ls", input: { command: "ls" } }),
        anEvent("d", { ...at(4), head: "pnpm test", input: { command: "pnpm test" } }),
        aFailure("e", "npm", { ...at(5), input: { command: "npm test" }, error: "y".repeat(100), durationMs: null }),
        anEvent("f", { ...at(6), input: { command: "npm test" }, durationMs: 90_000, text: "z".repeat(900) }),
      ]);
      await digest(db);
      await countNewTries(ctx);
      await countRules(ctx);
      const cost = { failures: 2, characters: 500, ms: 3_000, calls: 2 };
      expect(await readHoldEvidence(db, "r1")).toMatchObject({ failed: 2, worked: 1, cost, deliveries: [] });

      await appendEvents(db, [
        aFailure("g", "npm", { ...at(7), input: { command: "npm test" }, error: "x".repeat(40), durationMs: 50 }),
      ]);
      await digest(db);
      await countNewTries(ctx);
      await countRules(ctx);
      expect((await readHoldEvidence(db, "r1")).cost).toEqual({ failures: 3, characters: 540, ms: 3_050, calls: 2 });
    }));

  it("comes with what sessions did that were told in each way", () =>
    withStore(kind, async ({ db }) => {
      await put(db, ruleNoun, aRule("r1", { status: "approved", level: "nudge", matcher }));
      const of = { rule: "r1", host: "h", at: 1 };
      await addReinforcements(db, [
        { ...of, session: "a", broken: false, delivery: "hold" },
        { ...of, session: "b", broken: true, delivery: "hold" },
        { ...of, session: "c", broken: false, delivery: "note" },
      ]);
      const { deliveries, cost } = await readHoldEvidence(db, "r1");
      expect(deliveries.toSorted((a, b) => (a.delivery < b.delivery ? -1 : 1))).toEqual([
        { delivery: "hold", sessions: 2, kept: 1 },
        { delivery: "note", sessions: 1, kept: 1 },
      ]);
      expect(cost).toEqual({ failures: 0, characters: 0, ms: 0, calls: 0 });
    }));
});
