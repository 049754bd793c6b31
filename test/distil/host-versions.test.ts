import { describe, expect, it } from "vitest";
import type { Context } from "../../src/context.ts";
import { runMaintenanceTask } from "../../src/distil/maintenance/maintenance.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { DAY, fixedClock } from "../../src/lib/clock.ts";
import type { Db, Store } from "../../src/store/engine/db.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { listChangesOf, undoChange } from "../../src/store/journal/journal.ts";
import { getRule, ruleNoun } from "../../src/store/nouns/rules.ts";
import { listRuleVersions } from "../../src/store/shown/rule-versions.ts";
import { aFailure, anEvent, aRule, byOwner, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";
import { owner } from "../../src/domain/actor.ts";
import { quiet } from "../context.ts";

const config = {
  home: "/nowhere",
  database: "",
  off: { everywhere: false, workspaces: [] },
  policy: defaultPolicy,
  providers: noProviders,
};

describe.each(stores)("a rule and the versions of its hosts on $name", (kind) => {
  const inMind = (act: (world: World) => Promise<void>) =>
    withStore(kind, async (store) => {
      const clock = fixedClock(100 * DAY);
      await act({ store, db: store.db, config, clock, actor: owner, ...quiet });
    });

  it("fades once when the host moved on, with the reason in the journal, and revives with hits on the new version", () =>
    inMind(async (world) => {
      const rule = await ruled(world);
      await sessions(world, ["a", "b", "c"], "2.0.76", true);
      expect((await runMaintenanceTask(world, "decay", { write: true })).steps).toEqual([]);
      await sessions(world, ["d", "e", "f"], "2.1.63", false);
      await runMaintenanceTask(world, "decay", { write: true });
      expect(await getRule(world.db, rule.id)).toMatchObject({
        confidence: 0.7,
        level: "advise",
        doubt: { releases: { "claude-code": "2.1" } },
      });
      const change = (await listChangesOf(world.db, "rule", rule.id)).at(-1);
      expect(change?.cause).toMatchObject({
        id: "decay",
        note: "claude-code is now 2.1; its evidence is from claude-code 2.0.76",
      });
      await sessions(world, ["g", "h", "i"], "2.2.0", false);
      expect((await runMaintenanceTask(world, "decay", { write: true })).steps).toEqual([]);
      await sessions(world, ["j"], "2.2.0", true);
      expect((await runMaintenanceTask(world, "decay", { write: true })).steps).toMatchObject([{ step: "revive" }]);
      expect(await getRule(world.db, rule.id)).toEqual(rule);
      expect((await listRuleVersions(world.db, [rule])).get(rule.id)).toEqual([
        { host: "claude-code", lowest: "2.0.76", highest: "2.2.0" },
      ]);
    }));

  it("is given back exactly by undoing it, and does not fade for the same release again", () =>
    inMind(async (world) => {
      const rule = await ruled(world);
      await sessions(world, ["a"], "2.0.76", true);
      await sessions(world, ["d", "e", "f"], "2.1.63", false);
      await runMaintenanceTask(world, "decay", { write: true });
      const faded = (await listChangesOf(world.db, "rule", rule.id)).at(-1);
      await undoChange(world.db, faded?.id ?? 0, byOwner(world.clock.now()));
      expect(await getRule(world.db, rule.id)).toEqual(rule);
      expect((await runMaintenanceTask(world, "decay", { write: true })).steps).toEqual([]);
      await sessions(world, ["g", "h", "i"], "2.2.0", false);
      expect((await runMaintenanceTask(world, "decay", { write: true })).steps).toMatchObject([{ step: "decay" }]);
    }));

  it("does not fade where its owner wrote or pinned it", () =>
    inMind(async (world) => {
      const pinned = await ruled(world, { pinned: true });
      await sessions(world, ["a"], "2.0.76", true);
      await sessions(world, ["d", "e", "f"], "3.0.0", false);
      expect((await runMaintenanceTask(world, "decay", { write: true })).steps).toEqual([]);
      await putNow(world, { ...pinned, pinned: false, origin: "owner" });
      expect((await runMaintenanceTask(world, "decay", { write: true })).steps).toEqual([]);
    }));

  it("knows a version that was told of calls long stored, and which one a resumed session ran on then", () =>
    inMind(async (world) => {
      const rule = await ruled(world);
      await sessions(world, ["a"], null, true);
      await runMaintenanceTask(world, "decay", { write: true });
      expect((await listRuleVersions(world.db, [rule])).get(rule.id)).toEqual([]);
      const at = world.clock.now();
      await appendEvents(world.db, [
        aFailure("a", "npm", { session: "a", at: at - 1, hostVersion: "2.0.1" }),
        anEvent("later", { session: "a", at: at + DAY, hostVersion: "2.5.0" }),
      ]);
      expect((await listRuleVersions(world.db, [rule])).get(rule.id)).toEqual([
        { host: "claude-code", lowest: "2.0.1", highest: "2.0.1" },
      ]);
    }));
});

interface World extends Pick<Context, "models" | "signal" | "report"> {
  readonly store: Store;
  readonly db: Db;
  readonly config: typeof config;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly actor: Context["actor"];
}

/** Sessions with one call each: the matched one if `hit`, else another. */
async function sessions(world: World, names: readonly string[], version: string | null, hit: boolean): Promise<void> {
  for (const session of names) {
    world.clock.advance(1_000);
    const fields = { session, at: world.clock.now(), ...(version === null ? {} : { hostVersion: version }) };
    const ls = { head: "ls", input: { command: "ls" } };
    await appendEvents(world.db, [hit ? aFailure(session, "npm", fields) : anEvent(session, { ...fields, ...ls })]);
  }
  await digest(world.db);
}

async function ruled(world: World, over: object = {}) {
  const at = world.clock.now();
  const evidence = { observations: 5, sessions: 2, first: at, last: at, refs: [] };
  const rule = aRule("r_1", {
    status: "approved",
    level: "nudge",
    confidence: 0.8,
    origin: "tool",
    matcher: { tool: "shell", head: "npm test" },
    createdAt: at,
    evidence,
    ...over,
  });
  await putNow(world, rule);
  return rule;
}

function putNow(world: World, rule: ReturnType<typeof aRule>) {
  return put(world.db, ruleNoun, rule, { at: world.clock.now() });
}
