import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import type { Level } from "../../src/domain/rule.ts";
import { adviceBeforeCall } from "../../src/recall/before-call.ts";
import type { Store } from "../../src/store/db.ts";
import { change } from "../../src/store/journal.ts";
import { aRule } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const proposal = {
  host: "claude-code",
  session: "s1",
  workspace: "/w",
  cwd: "/w",
  agent: null,
  tool: "Bash",
  input: { command: "npm test" },
};

describe.each(stores)("before a call, on $name", (kind) => {
  const withRule = (level: Level, act: (store: Store) => Promise<void>) =>
    withStore(kind, async (store) => {
      const matcher = { tool: "shell", command: "npm test" };
      const rule = aRule("r1", { level, status: "approved", matcher, text: "run pnpm test" });
      await change(store.db, {
        noun: "rule",
        subject: "r1",
        after: { ...rule },
        actor: "owner",
        cause: { kind: "person", id: null, note: null },
        at: 1,
      });
      await act(store);
    });
  const ask = ({ db }: Store, takes: "both" | "decision" | "context" = "both", over = {}) =>
    adviceBeforeCall({ db, clock: fixedClock(5), policy: defaultPolicy }, { ...proposal, ...over }, takes);

  it("a nudge is said once a session, and decides nothing", () =>
    withRule("nudge", async (store) => {
      expect(await ask(store)).toEqual({ context: "oldhand, rule r1: run pnpm test", decision: null });
      expect(await ask(store)).toBeNull();
      expect(await ask(store, "both", { session: "s2" })).not.toBeNull();
    }));

  it("a rule at deny denies each time, with a reason the model can act on", () =>
    withRule("deny", async (store) => {
      const denied = { kind: "deny", reason: "oldhand, rule r1: run pnpm test" };
      expect((await ask(store))?.decision).toEqual(denied);
      expect(await ask(store)).toEqual({ context: null, decision: denied });
    }));

  it("where a host takes only a decision before the call, the nudge waits for the result", () =>
    withRule("nudge", async (store) => {
      expect(await ask(store, "decision")).toBeNull();
      expect((await ask(store, "context"))?.context).toContain("run pnpm test");
    }));

  it("another call, a rule that only watches, and a rejected rule get silence", () =>
    withRule("watch", async (store) => {
      expect(await ask(store)).toBeNull();
      expect(await ask(store, "both", { input: { command: "ls" } })).toBeNull();
    }));
});
