import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { invoke } from "../../src/invoke.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { operationNamed } from "../../src/operations.ts";
import type { Memory } from "../../src/domain/memory/memory.ts";
import { getMemory, memoryNoun } from "../../src/store/nouns/memories.ts";
import { getRule, ruleNoun } from "../../src/store/nouns/rules.ts";
import { quiet } from "../context.ts";
import { aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const home = mkdtempSync(join(tmpdir(), "oldhand-owners-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const config = {
  home,
  database: "",
  off: { everywhere: false, workspaces: [] },
  policy: defaultPolicy,
  providers: noProviders,
};
const actor = { kind: "agent", name: "codex" } as const;

it.each(stores)("an agent approves no rule, whichever way it comes in, on $name", (kind) =>
  withStore(kind, async (store) => {
    await put(store.db, ruleNoun, aRule("r1", { status: "candidate" }));
    const ctx = { ...quiet, store, db: store.db, config, clock: fixedClock(0) };
    const approving = invoke({ ...ctx, actor }, operationNamed("rules approve"), { id: "r1" }, "");
    await expect(approving).rejects.toThrow("only the owner may run this command");
    expect(await getRule(store.db, "r1")).toMatchObject({ status: "candidate" });
  }),
);

it.each(stores)("an agent silences no word of the owner, and may change what is not the owner's, on $name", (kind) =>
  withStore(kind, async (store) => {
    const ctx = { ...quiet, store, db: store.db, config, clock: fixedClock(0), actor };
    await put(store.db, memoryNoun, aMemory("m_said", { origin: "owner", trust: "owner" }));
    await put(store.db, memoryNoun, aMemory("m_vouched", { origin: "agent", trust: "owner" }));
    await put(store.db, memoryNoun, aMemory("m_agents", { origin: "agent", trust: "agent" }));
    const verbs = ["pin", "unpin", "contradict", "archive"] as const;
    for (const id of ["m_said", "m_vouched"]) {
      const before = await getMemory(store.db, id);
      for (const verb of verbs)
        await expect(invoke(ctx, operationNamed(`memories ${verb}`), { id }, ""), verb).rejects.toThrow(
          "only the owner changes it",
        );
      const edit = invoke(ctx, operationNamed("memories edit"), { id, text: "Other words." }, "");
      await expect(edit).rejects.toThrow("only the owner edits a memory");
      expect(await getMemory(store.db, id)).toEqual(before);
    }
    for (const verb of verbs) await invoke(ctx, operationNamed(`memories ${verb}`), { id: "m_agents" }, "");
    expect(await getMemory(store.db, "m_agents")).toMatchObject({ status: "archived", pinned: false });
  }),
);

function aMemory(id: string, whose: Pick<Memory, "origin" | "trust">): Memory {
  return {
    ...{ id, key: id, text: "Tests need docker.", kind: "fact", category: null, importance: 50, confidence: 0.5 },
    ...{ tags: [], scope: { kind: "global" }, supersedes: [], pinned: false, status: "active", createdAt: 0 },
    ...whose,
  };
}
