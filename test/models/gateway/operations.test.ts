import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeSettings } from "../../../src/config.ts";
import { noUsage } from "../../../src/domain/model/usage.ts";
import { invoke } from "../../../src/invoke.ts";
import { DAY, fixedClock } from "../../../src/lib/clock.ts";
import { chooseModels } from "../../../src/models/gateway/choose-models.ts";
import { openPricesOf } from "../../../src/models/prices/open-prices-of.ts";
import { openContext, type OpenMind } from "../../../src/mind.ts";
import { operationNamed } from "../../../src/operations.ts";
import { findDisagreements, undoChange } from "../../../src/store/journal/journal.ts";
import { storeCall, storeQuality } from "../../../src/store/models/calls.ts";
import { storeRoute } from "../../../src/store/models/routes.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, GPT, ref, requestTo, START } from "./lab.ts";

const SMALL = "openai/gpt-5-nano";

async function withMind(kind: (typeof stores)[number], act: (mind: OpenMind) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-routes-"));
  const place = await kind.migrated();
  try {
    writeSettings(home, [["models.use", [CLAUDE, GPT, SMALL]]]);
    const env = { ANTHROPIC_API_KEY: "one", OPENAI_API_KEY: "two" };
    const mind = await openContext({ home, env, database: place.database, clock: fixedClock(START) });
    try {
      await act(mind);
    } finally {
      await mind.close();
    }
  } finally {
    await place.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Calls of one kind of task, an hour apart, with what a check said of them. */
async function storeCalls(
  { db }: OpenMind,
  count: number,
  of: (n: number) => { readonly model: string; readonly cost: number; readonly quality: number },
): Promise<void> {
  await db.tx(async (tx) => {
    for (let n = 0; n < count; n++) {
      const { model, cost, quality } = of(n);
      const at = START - DAY * 30 + n * 3_600_000;
      const id = `mc_${String(n).padStart(5, "0")}`;
      const kind = { agent: `agent-${n % 3}`, session: null, taskType: "triage", complexity: "simple" } as const;
      await storeCall(tx, {
        ...kind,
        ...ref(model),
        id,
        at,
        way: "gateway",
        job: null,
        goal: null,
        outcome: "ok",
        failure: null,
        ms: 900,
        firstTokenMs: 200,
        usage: noUsage,
        cost,
        priceKnown: true,
        listPrice: false,
        healed: false,
        explored: false,
        route: [],
        attempts: [],
      });
      await storeRoute(tx, {
        ...kind,
        call: id,
        at,
        model,
        best: model,
        attempt: "first",
        explored: false,
        cachedTokens: 0,
      });
      await storeQuality(tx, { call: id, at, quality, source: "verified", note: null });
    }
  });
}

describe.each(stores)("models evolve, on $name", (kind) => {
  it("proposes changes, applies them for the owner, and they can be undone", () =>
    withMind(kind, async (mind) => {
      await storeCalls(mind, 240, (n) => ({ model: GPT, cost: n < 120 ? 0.01 : 0.02, quality: n % 5 === 0 ? 0 : 1 }));
      const evolve = operationNamed("models evolve");
      const shown = await invoke(mind, evolve, {}, "");
      expect(shown).toMatchObject({
        calls: 240,
        judged: 240,
        written: false,
        proposals: [{ kind: "cheaper", from: GPT, to: SMALL, taskType: "triage", change: null }],
      });
      const prices = await openPricesOf(mind.config);
      const choose = () => chooseModels({ ...mind, prices }, requestTo(null), START);
      const before = await choose();

      const [applied] = (await invoke(mind, evolve, { write: true }, "")).proposals;
      expect(applied?.change).toBeGreaterThan(0);
      const after = await choose();
      expect(after.targets[0]).toEqual(ref(SMALL));
      expect(after.why[0]).toMatch(
        /goes first for simple triage tasks, because the owner decided so: the median cost of openai\/gpt-5 rose.*openai\/gpt-5-nano is untried/,
      );
      // An applied change is not proposed again.
      expect((await invoke(mind, evolve, {}, "")).proposals).toEqual([]);

      await undoChange(mind.db, applied?.change ?? 0, { actor: mind.actor, at: START });
      expect((await choose()).targets).toEqual(before.targets);
      expect(await findDisagreements(mind.db)).toEqual([]);
    }));
});

describe("models route", () => {
  it("says which model would be chosen, and why, without calling any", () =>
    withMind(stores[0] as (typeof stores)[number], async (mind) => {
      const route = operationNamed("models route");
      const simple = await invoke(mind, route, { taskType: "triage" }, "");
      expect(simple).toMatchObject({ complexity: "simple", explores: false });
      const complex = await invoke(mind, route, { taskType: "code_generation" }, "");
      expect(complex).toMatchObject({ complexity: "complex", model: CLAUDE });
      expect(complex.chain.toSorted()).toEqual([GPT, SMALL].toSorted());
      expect(complex.why.join("\n")).toMatch(
        /anthropic\/claude-sonnet-4-5: expected quality 0\.\d+ .*no outcome yet.*, cost \$/,
      );
      expect(route.render(complex, { why: true })).toContain(complex.why.at(-1));
    }));

  it("is answered by the default model while nobody has judged a kind of task", () =>
    withMind(stores[0] as (typeof stores)[number], async (mind) => {
      const config = { ...mind.config, providers: { ...mind.config.providers, defaultModel: ref(SMALL) } };
      const found = await invoke(
        { ...mind, config },
        operationNamed("models route"),
        { taskType: "code_generation" },
        "",
      );
      expect(found.model).toBe(SMALL);
      expect(found.why[0]).toMatch(/is the default model, and nobody has judged a call of this kind of task yet/);
    }));
});
