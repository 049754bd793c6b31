import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeSettings } from "../../../src/config.ts";
import { invoke } from "../../../src/invoke.ts";
import { fixedClock } from "../../../src/lib/clock.ts";
import { openContext, type OpenMind } from "../../../src/mind.ts";
import { operationNamed } from "../../../src/operations.ts";
import { getBreakerState } from "../../../src/domain/model/breaker.ts";
import { changeBreaker, listBreakers } from "../../../src/store/models/breakers.ts";
import { listTallies } from "../../../src/store/models/tallies.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { Script, ScriptedServer } from "../../../src/testing/scripted-server.ts";
import { stores, type TestStore } from "../../stores.ts";
import { CLAUDE, GPT, KEYS, listAttempts, listHeld, listRows, START } from "./lab.ts";

const busy = { error: { status: 529, type: "overloaded_error", message: "busy" } };

async function withMind(
  kind: TestStore,
  claudeScript: Script,
  act: (of: {
    readonly mind: OpenMind;
    readonly claude: ScriptedServer;
    readonly gpt: ScriptedServer;
  }) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-try-"));
  const place = await kind.migrated();
  const claude = await fakeAnthropic(claudeScript, { everyRequest: true });
  const gpt = await fakeOpenAi(() => ({ text: "ok" }), { everyRequest: true });
  try {
    writeSettings(home, [["models.use", [CLAUDE, GPT]]]);
    const env = {
      ANTHROPIC_BASE_URL: claude.url,
      ANTHROPIC_API_KEY: KEYS.anthropic,
      OPENAI_BASE_URL: gpt.url,
      OPENAI_API_KEY: KEYS.openai,
    };
    const mind = await openContext({ home, env, database: place.database, clock: fixedClock(START) });
    try {
      await act({ mind, claude, gpt });
    } finally {
      await mind.close();
    }
  } finally {
    await claude.close();
    await gpt.close();
    await place.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

const testModel = (mind: OpenMind) => invoke(mind, operationNamed("models test"), { model: CLAUDE }, "");

describe.each(stores)("models test, on $name", (kind) => {
  it("is a call with a row and a cost like any other, and nothing stays reserved", () =>
    withMind(kind, [{ text: "ok", usage: { in: 12, out: 3 } }], async ({ mind }) => {
      const tested = await testModel(mind);
      expect(tested).toMatchObject({ model: CLAUDE, failure: null, text: "ok", usage: { in: 12, out: 3 } });
      expect(tested.cost).toBeCloseTo((12 * 3 + 3 * 15) / 1_000_000, 12);
      expect(await listRows(mind.db)).toMatchObject([{ id: tested.call, outcome: "ok", cost_nanos: 81_000 }]);
      expect(await mind.db.all("select agent, task_type from model_calls")).toEqual([
        { agent: "owner", task_type: "test" },
      ]);
      expect(await listHeld(mind.db)).toEqual([]);
    }));

  it("is refused at a cap before anything is sent, with the command that extends it", () =>
    withMind(kind, [{ text: "ok" }], async ({ mind, claude }) => {
      await invoke(mind, operationNamed("models caps set"), { kind: "day", amount: "0.000001" }, "");
      await expect(testModel(mind)).rejects.toMatchObject({
        code: "capped",
        message: expect.stringContaining("the cap day is") as string,
        hint: expect.stringMatching(/^oldhand models caps extend day \d/) as string,
      });
      expect(claude.requests).toHaveLength(0);
      expect(await listRows(mind.db)).toMatchObject([{ outcome: "capped", cost_nanos: 0 }]);
    }));

  it("asks the named model once, and no other one after a failure", () =>
    withMind(kind, [busy, { text: "ok" }], async ({ mind, claude, gpt }) => {
      expect(await testModel(mind)).toMatchObject({ failure: { kind: "overloaded" }, text: "" });
      expect(claude.requests).toHaveLength(1);
      expect(gpt.requests).toHaveLength(0);
      expect(await listRows(mind.db)).toMatchObject([{ outcome: "failed", failure: "overloaded" }]);
      expect(await listAttempts(mind.db)).toHaveLength(1);
    }));

  it("is never answered from the cache, and teaches the router nothing", () =>
    withMind(kind, [{ text: "one" }, { text: "two" }], async ({ mind }) => {
      expect([(await testModel(mind)).text, (await testModel(mind)).text]).toEqual(["one", "two"]);
      expect(await listTallies(mind.db)).toEqual([]);
      for (const table of ["routes", "model_quality", "response_cache"])
        expect(await mind.db.all(`select * from ${table}`)).toEqual([]);
    }));

  it("is sent to a provider that is not called for a while, and an answer ends that", () =>
    withMind(kind, [{ text: "ok" }], async ({ mind }) => {
      const until = START + 60_000;
      await changeBreaker(mind.db, "anthropic", (one) => ({ ...one, failures: 1, opened: 1, until, why: "auth" }));
      expect(await testModel(mind)).toMatchObject({ failure: null, text: "ok" });
      const after = (await listBreakers(mind.db)).map((one) => getBreakerState(one, START));
      expect(after.filter((state) => state !== "closed")).toEqual([]);
    }));
});
