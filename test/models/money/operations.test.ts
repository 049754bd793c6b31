import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Context } from "../../../src/context.ts";
import { owner } from "../../../src/domain/actor.ts";
import { defaultPolicy } from "../../../src/domain/policy.ts";
import { invoke } from "../../../src/invoke.ts";
import { fixedClock } from "../../../src/lib/clock.ts";
import { operationNamed } from "../../../src/operations.ts";
import type { Store } from "../../../src/store/engine/db.ts";
import { applyChange, undoChange } from "../../../src/store/journal/journal.ts";
import { storeCall } from "../../../src/store/models/calls.ts";
import { settle } from "../../../src/store/models/reservations.ts";
import { capNoun, listCaps } from "../../../src/store/nouns/caps.ts";
import { quiet } from "../../context.ts";
import { byOwner } from "../../store/samples.ts";
import { stores, withStore } from "../../stores.ts";
import { aCall } from "./calls.ts";
import { LEASE_MS, mustReserve, noon, tryReserve } from "./lab.ts";

const home = mkdtempSync(join(tmpdir(), "oldhand-money-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const providers = { env: {}, endpoints: [], models: [], defaultModel: null };
const config = { home, database: "", off: { everywhere: false, workspaces: [] }, policy: defaultPolicy, providers };
const agent = { kind: "agent", name: "codex" } as const;

function contextOf(store: Store, over: Partial<Context> = {}): Context {
  return { ...quiet, store, db: store.db, config, clock: fixedClock(noon), actor: owner, ...over };
}

/** What a command prints. */
async function say(ctx: Context, name: Parameters<typeof operationNamed>[0], input: object = {}): Promise<string> {
  const operation = operationNamed(name);
  return operation.render(await invoke(ctx, operation, input, ""), input);
}

describe.each(stores)("models caps, on $name", (kind) => {
  it("warn that a goal's cap counts only calls that name the goal", () =>
    withStore(kind, async (store) => {
      const made = await invoke(
        contextOf(store),
        operationNamed("models caps set"),
        { kind: "goal", name: "g1", amount: "1" },
        "",
      );
      expect(made).toMatchObject({
        warning:
          "oldhand has no goals yet, so this cap counts only calls that a client sends with the header x-oldhand-goal: g1",
      });
    }));

  it("sets, extends for today and removes a cap, and each change can be undone", () =>
    withStore(kind, async (store) => {
      const ctx = contextOf(store);
      expect(await say(ctx, "models caps")).toContain(
        "day                    $20.00  $0 spent, $20.00 left (default; subscriptions not counted)",
      );
      // As typed: `day 5` has no name.
      await say(ctx, "models caps set", { kind: "day", name: "5" });
      await say(ctx, "models caps set", { kind: "agent", name: "ada", amount: "1.50", strict: true });
      expect(await say(ctx, "models caps extend", { kind: "day", name: "2.50" })).toContain(
        "day                     $7.50  $0 spent, $7.50 left ($2.50 more today)\n(change 3; oldhand undo 3 undoes it)",
      );
      await mustReserve(store.db, 7.5, { spender: { agent: "bob", job: null, goal: null } });
      const tomorrow = { now: noon + 86_400_000, spender: { agent: "bob", job: null, goal: null } };
      expect(await tryReserve(store.db, 7.5, tomorrow)).toMatchObject({ hit: { limit: 5 } });
      await undoChange(store.db, 3, byOwner(noon));
      expect(await listCaps(store.db)).toMatchObject([
        { id: "agent ada", limit: 1.5, isStrict: true },
        { id: "day", limit: 5, extension: null, counts: "all" },
      ]);
      await say(ctx, "models caps remove", { kind: "agent", name: "ada" });
      await say(ctx, "models caps set", { kind: "day", amount: "none" });
      expect(await say(ctx, "models caps")).toContain("day                  no limit  $0 spent, up to $7.50 lost");
    }));

  it("says that an extension ends with a new amount, and names the amounts in the history", () =>
    withStore(kind, async (store) => {
      const ctx = contextOf(store);
      await say(ctx, "models caps set", { kind: "day", amount: "0.1" });
      await say(ctx, "models caps extend", { kind: "day", amount: "0.1" });
      await say(ctx, "models caps extend", { kind: "day", amount: "0.2" });
      expect((await listCaps(store.db))[0]?.extension?.amount).toBe(0.3);
      const set = operationNamed("models caps set");
      expect(await invoke(ctx, set, { kind: "day", amount: "6" }, "")).toMatchObject({
        warning: "the extension by $0.30 for today ends with it",
        change: { summary: "cap day: $0.10 → $6.00, extension ended" },
      });
      expect(await invoke(ctx, set, { kind: "agent", name: "ada", amount: "2" }, "")).toMatchObject({
        warning: null,
        change: { summary: "cap agent ada: made, $2.00" },
      });
    }));

  it("extends a job permanently, with the command that a stopped call names", () =>
    withStore(kind, async (store) => {
      const ctx = contextOf(store);
      await say(ctx, "models caps set", { kind: "job", name: "nightly run", amount: "1" });
      const spender = { agent: "ada", job: "nightly run", goal: null };
      await settle(store.db, await mustReserve(store.db, 1, { spender }), { cost: 1, now: noon });
      const stopped = await tryReserve(store.db, 0.7, { spender });
      expect(stopped).toMatchObject({ hit: { extend: "oldhand models caps extend job 'nightly run' 3.50" } });
      await say(ctx, "models caps extend", { kind: "job", name: "nightly run", amount: "0.70" });
      await mustReserve(store.db, 0.7, { spender });
    }));

  it("refuses an agent on every interface", () =>
    withStore(kind, async (store) => {
      const ctx = contextOf(store, { actor: agent });
      for (const name of ["models caps set", "models caps extend", "models caps remove"] as const)
        await expect(say(ctx, name, { kind: "day", name: "50", amount: "50" }), name).rejects.toThrow("only the owner");
      const by = { ...byOwner(noon), actor: agent };
      await expect(
        applyChange(store.db, { noun: capNoun, id: "day" }, by, () => ({
          ...{ id: "day", kind: "day" as const, name: "", limit: 50, counts: "all" as const },
          ...{ isStrict: false, extension: null },
        })),
      ).rejects.toThrow("only the owner decides what models may cost");
      expect(await listCaps(store.db)).toEqual([]);
    }));

  it("reports what is wrong with the input", () =>
    withStore(kind, async (store) => {
      const ctx = contextOf(store);
      const set = (input: object) => say(ctx, "models caps set", input);
      await expect(set({ kind: "agent", name: "5" })).rejects.toThrow("the name of the agent is missing");
      await expect(set({ kind: "agent", amount: "5" })).rejects.toThrow("the name of the agent is missing");
      await expect(set({ kind: "day", name: "ada", amount: "5" })).rejects.toThrow('has no name, but "ada" was given');
      await expect(set({ kind: "day", name: "-5" })).rejects.toThrow('"-5" is not an amount');
      await expect(say(ctx, "models caps extend", { kind: "goal", name: "x", amount: "5" })).rejects.toThrow(
        "there is no cap for goal x to extend",
      );
    }));
});

describe.each(stores)("models costs, on $name", (kind) => {
  it("adds up by the chosen group, with what is reserved and what may be lost", () =>
    withStore(kind, async (store) => {
      await storeCall(store.db, aCall("mc_1"));
      await storeCall(store.db, aCall("mc_2", { agent: "codex", listPrice: true }));
      await mustReserve(store.db, 0.25, { now: noon - LEASE_MS });
      await mustReserve(store.db, 0.5);
      const said = await say(contextOf(store), "models costs", { by: "agent" });
      expect(said).toMatch(/^ada +\$0\.0034 +1 +0 +0 +0 +1000 +100 +400$/m);
      expect(said).toContain("Subscriptions paid for calls worth $0.0034 at list price");
      expect(said).toContain("$0.50 is reserved by calls under way.");
      expect(said).toContain("Up to $0.25 more may have been spent by processes that died during a call.");
    }));

  it("shows an agent its own calls only", () =>
    withStore(kind, async (store) => {
      await storeCall(store.db, aCall("mc_1"));
      await storeCall(store.db, aCall("mc_2", { agent: "codex" }));
      await mustReserve(store.db, 0.5);
      const ctx = contextOf(store, { actor: { kind: "agent", name: "codex s1" } });
      const operation = operationNamed("models costs");
      const seen = await invoke(ctx, operation, { by: "agent" }, "");
      expect(seen).toMatchObject({ sums: [{ of: "codex", calls: 1 }], total: { calls: 1 }, reserved: 0 });
      expect(await invoke(ctx, operationNamed("models caps"), {}, "")).toMatchObject({ caps: [] });
    }));
});

it.each(stores.slice(0, 1))("models prices shows the date, the file and what a model costs", (kind) =>
  withStore(kind, async (store) => {
    writeFileSync(join(home, "own.json"), JSON.stringify({ "openai/gpt-5": { in: 9, out: 9 } }));
    const models = { ...defaultPolicy.models, prices: "own.json" };
    const ctx = contextOf(store, { config: { ...config, policy: { ...defaultPolicy, models } } });
    expect(await say(ctx, "models prices")).toContain(`prices of 2026-09-23, overridden by ${join(home, "own.json")}`);
    expect(await say(ctx, "models prices", { model: "openai/gpt-5" })).toContain("from own.json\n  in 9, out 9");
    expect(await say(ctx, "models prices", { model: "anthropic/claude-sonnet-4-5" })).toContain(
      "prompts above 200000 tokens: in 6, out 22.5",
    );
    expect(await say(ctx, "models prices", { model: "nowhere/x" })).toContain("its own price is unknown");
    expect(await say(ctx, "models prices", { model: "ollama/x" })).toContain("from this machine\n  in 0, out 0");
    await expect(say(ctx, "models prices", { model: "gpt-5" })).rejects.toThrow('"gpt-5" is not the name of a model');
  }),
);

it.each(stores.slice(0, 1))(
  "models prices shows what the gateway counts with: a server on this machine is free",
  (kind) =>
    withStore(kind, async (store) => {
      const workshop = { name: "workshop", kind: "openai-compatible", keyEnv: [] } as const;
      const endpoints = [
        { ...workshop, url: "http://127.0.0.1:8000/v1", isLoopback: true },
        { ...workshop, name: "far", url: "https://models.example/v1", isLoopback: false },
      ];
      const env = { VLLM_BASE_URL: "https://models.example/v1" };
      const ctx = contextOf(store, { config: { ...config, providers: { ...providers, endpoints, env } } });
      const priceOf = async (model: string) =>
        (await invoke(ctx, operationNamed("models prices"), { model }, "")).model;
      expect(await priceOf("workshop/llama-4")).toMatchObject({
        known: true,
        from: "this machine",
        prices: { in: 0, out: 0 },
      });
      // A preset that usually runs here costs money elsewhere.
      for (const model of ["far/llama-4", "vllm/llama-4"]) expect(await priceOf(model)).toMatchObject({ known: false });
    }),
);
