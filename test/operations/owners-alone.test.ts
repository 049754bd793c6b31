import { expect, it } from "vitest";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { invoke } from "../../src/invoke.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { operationNamed } from "../../src/operations.ts";
import { getRule, ruleNoun } from "../../src/store/rules.ts";
import { quiet } from "../context.ts";
import { aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

it.each(stores)("an agent approves no rule, whichever way it comes in, on $name", (kind) =>
  withStore(kind, async (store) => {
    await put(store.db, ruleNoun, aRule("r1", { status: "candidate" }));
    const config = {
      home: "/nowhere",
      database: "",
      off: { everywhere: false, workspaces: [] },
      policy: defaultPolicy,
    };
    const ctx = { ...quiet, store, db: store.db, config, clock: fixedClock(0) };
    const actor = { kind: "agent", name: "codex" } as const;
    const approving = invoke({ ...ctx, actor }, operationNamed("rules approve"), { id: "r1" }, "");
    await expect(approving).rejects.toThrow("only the owner may run this command");
    expect(await getRule(store.db, "r1")).toMatchObject({ status: "candidate" });
  }),
);
