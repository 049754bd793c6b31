import { describe, expect, it } from "vitest";
import { currentProcess, formatProcessRef } from "../../../src/lib/process-ref.ts";
import { reserve } from "../../../src/store/models/reservations.ts";
import { changeBreaker } from "../../../src/store/models/breakers.ts";
import { stores } from "../../stores.ts";
import { CLAUDE } from "./lab.ts";
import { LLAMA, type ModelMind, withModelMind } from "./mind.ts";

const ask = ({ run }: ModelMind, more: object = {}) =>
  run("agents complete", { agent: "clerk", prompt: "hello", cache: false, ...more });
const setDay = ({ run }: ModelMind, amount: string, more: object = {}) =>
  run("models caps set", { kind: "day", amount, ...more });
const unknownModel = { error: { status: 404, type: "not_found_error", message: "model: claude-sonnet-4-5" } };

/** An amount that a call under way holds. */
const hold = ({ mind, clock }: ModelMind, amount: number, leaseMs = 60_000) =>
  reserve(mind.db, {
    call: "mc_held",
    attempt: 1,
    spender: { agent: "other", job: null, goal: null },
    amount,
    leaseMs,
    now: clock.now(),
  });

describe.each(stores)("a call at the cap, on $name", (kind) => {
  it("goes on to a model that is free, and its route says why", () =>
    withModelMind(kind, { use: [CLAUDE, LLAMA], models: { default: CLAUDE } }, async (of) => {
      await setDay(of, "0");
      const answer = await ask(of);
      expect(answer).toMatchObject({ response: "free", provider: "ollama", cost: 0 });
      expect((answer["route"] as string[]).join("\n")).toContain(`${CLAUDE} is skipped: the cap day is $0: $0 spent`);
      expect(of.claude.requests).toEqual([]);
    }));

  it("stops with the command that extends the cap if the free model does not answer", () => {
    const down = { error: { status: 500, type: "api_error", message: "broken" } };
    return withModelMind(
      kind,
      { use: [CLAUDE, LLAMA], models: { default: CLAUDE, retries: 0 }, llama: () => down },
      async (of) => {
        await setDay(of, "0");
        await expect(ask(of)).rejects.toMatchObject({
          code: "capped",
          hint: expect.stringContaining("oldhand models caps extend day") as string,
        });
      },
    );
  });

  it("names every part of the sum that stopped it", () =>
    withModelMind(kind, {}, async (of) => {
      await setDay(of, "0.02", { strict: true });
      await hold(of, 0.004, 1_000);
      of.clock.advance(2_000);
      await hold(of, 0.005);
      await expect(ask(of)).rejects.toMatchObject({
        message: expect.stringMatching(
          /^the cap day is \$0\.020: \$0 spent, \$0\.0050 reserved by calls under way, up to \$0\.0040 lost with processes that ended, and this call may cost up to \$0\.01\d$/,
        ) as string,
        hint: expect.stringMatching(/^oldhand models caps extend day [\d.]+$/) as string,
      });
    }));

  it("says that the price of the model is unknown", () =>
    withModelMind(kind, { use: ["anthropic/brand-new"] }, async (of) => {
      await setDay(of, "0.01");
      await expect(ask(of)).rejects.toMatchObject({
        message: expect.stringContaining(
          "the price of anthropic/brand-new is unknown, so it counts at the highest known price; check its name",
        ) as string,
      });
    }));
});

describe.each(stores)("the health of an agent, on $name", (kind) => {
  const health = ({ run }: ModelMind) => run("agents health", { agent: "clerk" });

  it("is not ready if its only model is left out", () =>
    withModelMind(kind, { claude: () => unknownModel }, async (of) => {
      expect(await health(of)).toMatchObject({ ok: true });
      await expect(ask(of)).rejects.toThrow("no model answered");
      expect(await health(of)).toMatchObject({
        ok: false,
        providers: [{ name: "anthropic", usable: false, why: expect.stringContaining("left out since") as string }],
      });
    }));

  it("is not ready if the price of its only model is unknown and such models are refused", () =>
    withModelMind(kind, { use: ["anthropic/brand-new"], models: { unknownPrice: "refuse" } }, async (of) => {
      expect(await health(of)).toMatchObject({
        ok: false,
        providers: [{ usable: false, why: expect.stringContaining("its price is unknown") as string }],
      });
    }));

  it("is ready at the cap if a free model can answer, and not ready without one", () =>
    withModelMind(kind, { use: [CLAUDE, LLAMA] }, async (of) => {
      await setDay(of, "0");
      expect(await health(of)).toMatchObject({
        ok: true,
        providers: [
          { name: "anthropic", usable: false, why: expect.stringContaining("the cap day is $0") as string },
          { name: "ollama", usable: true, why: null },
        ],
      });
      await changeBreaker(of.mind.db, "ollama", (before) => ({
        ...before,
        failures: 5,
        until: of.clock.now() + 60_000,
        why: "unreachable",
      }));
      expect(await health(of)).toMatchObject({ ok: false });
      const stats = await of.print("models stats");
      expect(stats).toContain("ollama failed 5 times in a row: not called until 2026-11-17T12:01:00");
    }));

  it("shows until when a provider is not called while another call tries it", () =>
    withModelMind(kind, { use: [CLAUDE] }, async (of) => {
      const now = of.clock.now();
      const probeBy = formatProcessRef(currentProcess());
      await changeBreaker(of.mind.db, "anthropic", (before) => {
        return { ...before, failures: 5, until: now - 60_000, probeBy, probeUntil: now + 30_000, why: "overloaded" };
      });
      expect(await of.print("models stats")).toContain("not called until 2026-11-17T12:00:30");
      expect(await health(of)).toMatchObject({ ok: false, providers: [{ openUntil: "2026-11-17T12:00:30.000Z" }] });
    }));
});
