import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import type { CallControl, Delivery } from "../../src/domain/rule/delivery/delivery.ts";
import { isInControlGroup } from "../../src/domain/rule/delivery/holdout.ts";
import type { RemedyOrigin, Rule } from "../../src/domain/rule/rule.ts";
import { isHeldByUs } from "../../src/domain/text/rule-message-text.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { adviseBeforeCall, type AcceptedReply } from "../../src/recall/calls/before-call.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { openStore } from "../../src/store/open.ts";
import { addRuleSessions, startHoldout } from "../../src/store/shown/rule-sessions.ts";
import { overrideNoun } from "../../src/store/nouns/overrides.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { closeHolds, listShownRules, recordShownParts } from "../../src/store/shown/shown.ts";
import { takesAll } from "../call-control.ts";
import { aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const config = loadConfig({ home: "/nowhere", env: {} });
const matcher = { tool: "shell", head: "npm test" };
const proven = { status: "approved", level: "nudge", origin: "tool", matcher, text: "Run pnpm test." } as const;

/** A mined rule that nobody has reviewed. */
function candidate(origin: RemedyOrigin | null, forms: readonly string[]) {
  const evidence = { observations: 9, sessions: 9, first: 1, last: 9, refs: [], remedy: { origin, forms } };
  return { status: "candidate", evidence } as const;
}

/** What is added to a note that the host takes before the call and shows with its result. */
const ifItWorked = "If the call worked all the same, ignore this.";

describe.each(stores)("a rule that holds a call, on $name", (kind) => {
  const inWorld = (act: (world: World) => Promise<void>) => withStore(kind, ({ db }) => act(new World(db)));

  it("holds the first that matches, says what to do and that the repeat passes, and lets the repeat pass", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      expect(await world.ask()).toEqual({
        context: null,
        decision: {
          kind: "deny",
          reason: "oldhand, held once by rule r1: Run pnpm test. Repeat the call if you mean it.",
          forPerson: "Held once by rule r1: Run pnpm test. If the agent repeats the call, it passes.",
        },
      });
      world.clock.advance(1_000);
      expect(await world.ask()).toBeNull();
      expect(await world.ask({ input: { command: "npm test --all" } })).toBeNull();
      expect(await world.shown()).toEqual(["hold"]);
    }));

  it.each([
    ["9 of 9", { failed: 9 }, {}, true],
    ["8 of 8", { failed: 8 }, {}, false],
    ["19 of 21", { failed: 19, worked: 2 }, {}, true],
    ["9 of 11", { failed: 9, worked: 2 }, {}, false],
    ["9 of 9, a candidate that was only mined", { failed: 9 }, { status: "candidate" }, false],
    ["9 of 9, a candidate that failed again since", { failed: 9, at: 99 }, candidate("named", [""]), true],
    ["9 of 9, a candidate that corrects the call", { failed: 9, at: 99 }, candidate("correction", [""]), true],
    ["9 of 9, a candidate of an earlier version", { failed: 9, at: 99 }, { status: "candidate" }, false],
    ["9 of 9, a candidate that adds an option", { failed: 9, at: 99 }, candidate("option", [""]), false],
    ["9 of 9, a candidate that only says what fails", { failed: 9, at: 99 }, candidate(null, [""]), false],
    ["9 of 9, a candidate about calls of another form", { failed: 9, at: 99 }, candidate("named", ["-b"]), false],
    ["9 of 9, but a failure costs less than a hold", { failed: 9, ms: 100 }, {}, false],
  ] as const)("is sure enough, and pays: %s", (_, counts, over, holds) =>
    inWorld(async (world) => {
      await world.rule({ ...over, createdAt: 50 }, counts);
      const advice = await world.ask();
      expect(isHeldByUs(advice?.decision?.reason ?? null)).toBe(holds);
      if (holds) return;
      const mark = "status" in over ? " (candidate; not yet reviewed)" : "";
      expect(advice).toEqual({ context: `oldhand, rule r1: Run pnpm test.${mark} ${ifItWorked}`, decision: null });
    }),
  );

  it("says nothing of a call where it only advises, however often the call failed", () =>
    inWorld(async (world) => {
      await world.rule({ level: "advise" }, { failed: 9 });
      expect(await world.ask()).toBeNull();
    }));

  it("holds once in each lane: a sub-agent has not read what its session was told", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      for (const over of [{}, { agent: "a1" }, { agent: "a2" }, { session: "s2" }]) {
        expect((await world.ask(over))?.decision?.kind).toBe("deny");
        world.clock.advance(1_000);
        expect(await world.ask(over)).toBeNull();
      }
    }));

  it("holds equal calls of one batch together, and no others with them", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      for (const _ of [1, 2, 3]) {
        expect((await world.ask())?.decision?.kind).toBe("deny");
        world.clock.advance(30);
      }
      expect(await world.ask({ input: { command: "npm test -- one" } })).toBeNull();
      world.clock.advance(1_000);
      expect(await world.ask()).toBeNull();
    }));

  it("lets a repeat pass, however quick, once the host reported the refused call", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      expect((await world.ask())?.decision?.kind).toBe("deny");
      await closeHolds(world.db, { host: "claude-code", session: "s1", agent: "another" });
      expect((await world.ask())?.decision?.kind).toBe("deny");
      await closeHolds(world.db, { host: "claude-code", session: "s1", agent: null });
      expect(await world.ask()).toBeNull();
    }));

  it("holds a call of a batch also where the busy machine gets to it late: its process started in time", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      const arrivedAt = world.clock.now();
      expect((await world.ask({ arrivedAt }))?.decision?.kind).toBe("deny");
      world.clock.advance(2_000);
      expect((await world.ask({ arrivedAt }))?.decision?.kind).toBe("deny");
      expect(await world.ask({ arrivedAt: world.clock.now() })).toBeNull();
    }));

  it("takes a call that comes after 300 ms for a repeat, where the host reports nothing", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      expect((await world.ask())?.decision?.kind).toBe("deny");
      world.clock.advance(299);
      expect((await world.ask())?.decision?.kind).toBe("deny");
      world.clock.advance(300);
      expect(await world.ask()).toBeNull();
    }));

  it("is spent when the context began anew; then the note may come again", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      await world.ask();
      world.clock.advance(1_000);
      const anew = { kind: "start", subject: "anew", level: "watch", tokens: 0 } as const;
      const to = { at: world.clock.now(), host: "claude-code", session: "s1", moment: "session-start" } as const;
      await recordShownParts(world.db, to, [anew]);
      expect(await world.ask()).toEqual({ context: `oldhand, rule r1: Run pnpm test. ${ifItWorked}`, decision: null });
    }));

  it("is silent in its control group", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 60 });
      await startHoldout(world.db, "r1", 1);
      const control = (session: string) => isInControlGroup({ id: "r1", ...proven }, session, config.policy.distil);
      const sessions = Array.from({ length: 40 }, (_, n) => `lot${n}`);
      expect(sessions.filter(control).length).toBeGreaterThan(0);
      for (const session of sessions) expect((await world.ask({ session })) === null).toBe(control(session));
    }));

  it("of two sure rules both hold, in one text, and the repeat passes both", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      await world.rule({ id: "r2", salience: 0.1, text: "Install first." }, { failed: 9 });
      for (const [session, takes] of [
        ["s1", "both"],
        ["s2", "decision"],
      ] as const) {
        expect(await world.ask({ session }, {}, {}, takes)).toEqual({
          context: null,
          decision: {
            kind: "deny",
            reason:
              "oldhand, held once by rule r1: Run pnpm test. oldhand, rule r2: Install first. Repeat the call if you mean it.",
            forPerson:
              "Held once by rule r1: Run pnpm test. oldhand, rule r2: Install first. If the agent repeats the call, it passes.",
          },
        });
        world.clock.advance(1_000);
        expect(await world.ask({ session }, {}, {}, takes)).toBeNull();
      }
      expect(await world.shown()).toEqual(["hold", "hold"]);
    }));

  it("of two rules of which one is sure, that one holds, and the other is said beside it", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      await world.rule({ id: "r2", salience: 0.1, text: "Install first." }, { failed: 4 });
      const advice = await world.ask();
      expect(advice?.decision?.reason).toBe(
        "oldhand, held once by rule r1: Run pnpm test. Repeat the call if you mean it.",
      );
      expect(advice?.context).toBe("oldhand, rule r2: Install first.");
      world.clock.advance(1_000);
      expect(await world.ask()).toBeNull();
      expect(await world.shown()).toEqual(["hold", "note"]);
    }));

  it.each([
    ["white space", { command: "npm   test " }],
    ["what is said about it", { command: "npm test", description: "the tests, once more" }],
    ["a prefix", { command: "cd /w && npm test" }],
    ["an argument", { command: "npm test -- --all" }],
  ])("the repeat passes also where it differs in %s", (_, input) =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      expect((await world.ask())?.decision?.kind).toBe("deny");
      world.clock.advance(1_000);
      expect(await world.ask({ input })).toBeNull();
      expect(await world.ask()).toBeNull();
    }),
  );

  it("calls of one batch that run the same are equal, whatever is said about them", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      for (const input of [{ command: "npm test", description: "first" }, { command: "npm  test" }])
        expect((await world.ask({ input }))?.decision?.kind).toBe("deny");
    }));

  it("never holds in a context that has read the rule as a note", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      expect((await world.ask({}, {}, { holdCalls: false }))?.decision).toBeNull();
      expect(await world.ask()).toBeNull();
      world.clock.advance(60_000);
      expect(await world.ask()).toBeNull();
      expect(await world.shown()).toEqual(["note"]);
    }));

  it("of two hooks that run at once, both hold equal calls, and one holds of two that differ", () =>
    withStore(kind, async ({ db }, database) => {
      const world = new World(db);
      await world.rule({}, { failed: 9 });
      const other = await openStore({ database, busyMs: 10_000 });
      const atOnce = async (session: string, commands: readonly [string, string]) => {
        const worlds = [world, new World(other.db)];
        const replies = await Promise.all(
          worlds.map((one, at) => one.ask({ session, input: { command: commands[at] } })),
        );
        return replies.filter((reply) => reply?.decision?.kind === "deny").length;
      };
      for (let round = 0; round < 20; round++) {
        expect(await atOnce(`equal${round}`, ["npm test", "npm test"])).toBe(2);
        expect(await atOnce(`differ${round}`, ["npm test", "npm test -- one"])).toBe(1);
      }
      await other.close();
    }));

  it("only speaks where a setting says so, where the note comes in time, and where a refusal ends the run", () =>
    inWorld(async (world) => {
      await world.rule({}, { failed: 9 });
      const inTime = "oldhand, rule r1: Run pnpm test.";
      const note = { context: `${inTime} ${ifItWorked}`, decision: null };
      expect(await world.ask({ session: "a" }, {}, { holdCalls: false })).toEqual(note);
      expect(await world.ask({ session: "b" }, { note: "in time", holds: false })).toEqual({
        ...note,
        context: inTime,
      });
      expect(await world.ask({ session: "c" }, { refusal: "the run", holds: false })).toEqual(note);
    }));

  describe("and an override", () => {
    const never = { id: "r2", level: "deny", origin: "owner", text: "Never." } as const;

    it("of a rule that denies the call: the next call is not held either, and only it passes", () =>
      inWorld(async (world) => {
        await world.rule({}, { failed: 9 });
        await world.rule(never, {});
        expect((await world.ask({}, {}, {}, "decision"))?.decision?.reason).toContain("Never.");
        await world.allow("r2");
        expect(await world.ask({}, {}, {}, "decision")).toBeNull();
        expect((await world.ask({}, {}, {}, "decision"))?.decision?.reason).toContain("Never.");
        await world.allow("r2");
        expect(await world.ask()).toEqual({
          context: `oldhand, rule r1: Run pnpm test. ${ifItWorked}`,
          decision: null,
        });
      }));

    it("of its own lets one call pass unheld", () =>
      inWorld(async (world) => {
        await world.rule({}, { failed: 9 });
        await world.rule({ id: "r2", salience: 0.1, text: "Install first." }, { failed: 9 });
        await world.allow("r1");
        expect(await world.ask()).toEqual({
          context: `oldhand, rule r2: Install first. ${ifItWorked}`,
          decision: null,
        });
        const reason = "oldhand, held once by rule r1: Run pnpm test. Repeat the call if you mean it.";
        expect((await world.ask())?.decision?.reason).toBe(reason);
      }));

    it("of its own is kept for a call that it would stop", () =>
      inWorld(async (world) => {
        await world.rule({}, { failed: 9 });
        await world.allow("r1");
        expect((await world.ask({}, {}, { holdCalls: false }))?.context).toContain("Run pnpm test.");
        expect(await world.ask({ session: "s2" })).toBeNull();
        expect((await world.ask({ session: "s2" }))?.decision?.kind).toBe("deny");
      }));
  });

  describe("a rule at ask", () => {
    const askRule = { level: "ask", status: "approved" } as const;

    it("asks where the host can", () =>
      inWorld(async (world) => {
        await world.rule({ ...askRule, origin: "owner" }, {});
        expect((await world.ask())?.decision).toEqual({ kind: "ask", reason: "oldhand, rule r1: Run pnpm test." });
        expect(await world.shown()).toEqual(["ask"]);
      }));

    it.each(["no", "hangs"] as const)("of its owner denies where asking is %j, and says how it is let pass", (asks) =>
      inWorld(async (world) => {
        await world.rule({ ...askRule, origin: "owner" }, {});
        for (const _ of [1, 2]) {
          const decision = (await world.ask({}, { asks }))?.decision;
          expect(decision?.kind).toBe("deny");
          expect(decision?.reason).toMatch(/Run pnpm test\. .*refused.*oldhand override r1$/);
          world.clock.advance(1_000);
        }
        expect(await world.shown()).toEqual(["deny", "deny"]);
      }),
    );

    it.each(["no", "hangs"] as const)("that was mined holds once where asking is %j", (asks) =>
      inWorld(async (world) => {
        await world.rule({ ...askRule, origin: "tool" }, {});
        expect(isHeldByUs((await world.ask({}, { asks }))?.decision?.reason ?? null)).toBe(true);
        world.clock.advance(1_000);
        expect(await world.ask({}, { asks })).toBeNull();
      }),
    );

    it("of its owner denies also beside a mined one that would hold the call", () =>
      inWorld(async (world) => {
        await world.rule({ ...askRule, origin: "tool", text: "Mined." }, {});
        await world.rule({ ...askRule, id: "r2", salience: 0.1, origin: "owner" }, {});
        for (const _ of [1, 2]) {
          expect((await world.ask({}, { asks: "no" }))?.decision?.reason).toContain("oldhand override r2");
          world.clock.advance(1_000);
        }
      }));

    it("only speaks where a refusal would end the run", () =>
      inWorld(async (world) => {
        await world.rule({ ...askRule, origin: "owner" }, {});
        expect((await world.ask({}, { refusal: "the run", asks: "no", holds: false }))?.decision).toBeNull();
      }));
  });
});

class World {
  readonly clock = fixedClock(1_000_000);
  readonly db: Db;

  constructor(db: Db) {
    this.db = db;
  }

  /** Its failures took a minute each by default. */
  async rule(
    over: Partial<Rule>,
    counts: { failed?: number; worked?: number; at?: number; ms?: number },
  ): Promise<void> {
    const rule = aRule(over.id ?? "r1", { ...proven, ...over });
    await put(this.db, ruleNoun, rule);
    const { failed = 0, worked = 0, at = 1, ms = 60_000 } = counts;
    const cost = { failures: failed, characters: 0, ms: failed * ms, calls: 0 };
    const met = { host: "h", session: "x", at, opportunities: 60, attempts: failed + worked, failed, worked, cost };
    await addRuleSessions(this.db, { id: rule.id, matcher }, { from: 0, upTo: 1, recentSince: 0, sessions: [met] });
  }

  /** The owner's permission for one call. */
  async allow(rule: string): Promise<void> {
    const createdAt = this.clock.now();
    this.clock.advance(1);
    await put(this.db, overrideNoun, { id: `o${createdAt}`, rule, reason: null, createdAt, used: null });
  }

  ask(over: object = {}, control: Partial<CallControl> = {}, recall: object = {}, takes: AcceptedReply = "both") {
    const policy = { ...config.policy, recall: { ...config.policy.recall, ...recall } };
    const call = { host: "claude-code", session: "s1", workspace: "/w", cwd: "/w", agent: null, tool: "Bash" };
    return adviseBeforeCall(
      { db: this.db, clock: this.clock, config: { ...config, policy } },
      { ...call, input: { command: "npm test" }, ...over },
      { takes, control: { ...takesAll, ...control } },
    );
  }

  /** The deliveries to the first session, oldest first. */
  async shown(): Promise<readonly Delivery[]> {
    return (await listShownRules(this.db, { session: "s1", limit: 9 })).map((one) => one.delivery).toReversed();
  }
}
