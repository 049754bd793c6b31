import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { runMaintenance } from "../../src/distil/maintenance/maintenance.ts";
import { owner } from "../../src/domain/actor.ts";
import { DAY } from "../../src/lib/clock.ts";
import { operationNamed, type OperationMap } from "../../src/operations.ts";
import type { Store } from "../../src/store/engine/db.ts";
import { listActiveRules, getRule, ruleNoun } from "../../src/store/nouns/rules.ts";
import { quiet } from "../context.ts";
import { aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const NOW = Date.UTC(2026, 10, 17, 12);

function contextOf(store: Store): Context {
  const config = loadConfig({ home: "/nowhere/oldhand" });
  return { ...quiet, db: store.db, store, config, clock: { now: () => NOW }, actor: owner };
}

type Used = "rules mute" | "rules list" | "rules why" | "status" | "undo";

async function run<Name extends Used>(
  ctx: Context,
  name: Name,
  input: OperationMap[Name]["input"],
): Promise<OperationMap[Name]["output"]> {
  const found = operationNamed<Used>(name);
  return (await found.run(ctx, found.input.parse(input))) as OperationMap[Name]["output"];
}

const seen = { observations: 9, sessions: 5, first: NOW - 30 * DAY, last: NOW, refs: [] };

describe.each(stores)("a muted rule, on $name", (kind) => {
  it("is not approved, is silent, does not wait, and reads as muted in the list, in its history and in status", () =>
    withStore(kind, async (store) => {
      const ctx = contextOf(store);
      await put(store.db, ruleNoun, aRule("r1", { status: "candidate", level: "nudge", evidence: seen }));
      expect((await run(ctx, "status", {})).waiting).toBe(1);
      const made = await run(ctx, "rules mute", { id: "r1" });
      expect(made.rule).toMatchObject({ status: "muted", level: "watch" });
      expect(await listActiveRules(store.db, null)).toEqual([]);
      expect((await run(ctx, "status", {})).waiting).toBe(0);
      expect(await run(ctx, "rules list", { status: "approved" })).toEqual([]);
      expect(await run(ctx, "rules list", { status: "muted" })).toMatchObject([{ id: "r1" }]);
      const { changes } = await run(ctx, "rules why", { id: "r1" });
      expect(changes.at(-1)?.summary).toBe("rule r1: candidate → muted, nudge → watch");
    }));

  it("is again what it was when the muting is undone", () =>
    withStore(kind, async (store) => {
      const ctx = contextOf(store);
      for (const [id, status] of [
        ["r1", "candidate"],
        ["r2", "approved"],
      ] as const) {
        await put(store.db, ruleNoun, aRule(id, { status, level: "ask" }));
        const { change } = await run(ctx, "rules mute", { id });
        await run(ctx, "undo", { id: change?.id ?? 0 });
        expect(await getRule(store.db, id)).toMatchObject({ status, level: "ask" });
      }
    }));

  it("stays muted, whatever evidence maintenance finds and however old it is", () =>
    withStore(kind, async (store) => {
      const ctx = contextOf(store);
      await put(
        store.db,
        ruleNoun,
        aRule("r1", { status: "candidate", confidence: 0.9, origin: "tool", evidence: seen }),
      );
      await run(ctx, "rules mute", { id: "r1" });
      for (const now of [NOW + DAY, NOW + 900 * DAY]) {
        const { steps } = await runMaintenance({ ...ctx, clock: { now: () => now } }, { write: false, force: true });
        expect(steps.filter(({ before }) => before.id === "r1")).toEqual([]);
      }
    }));
});
