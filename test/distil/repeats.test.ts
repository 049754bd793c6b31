import { describe, expect, it } from "vitest";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { replayed } from "../../src/distil/report/backtest.ts";
import { distil } from "../../src/distil/mining/distil.ts";
import { suggestSkills } from "../../src/distil/report/suggest-skills.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import type { Store } from "../../src/store/engine/db.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { addRepeats, type Repeat, listRepeatedKeys, listRepeats } from "../../src/store/derived/repeats.ts";
import { dropOrphans } from "../../src/store/removal/remove-events.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import type { Context } from "../../src/context.ts";
import { aFailure, anEvent } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";
import { owner } from "../../src/domain/actor.ts";
import { quiet } from "../context.ts";

const all = { since: 0, workspace: null, after: 0 };

describe.each(stores)("what repeats, on $name", (kind) => {
  const row = (key: string, session: string, event: number, over: Partial<Repeat> = {}): Repeat => ({
    kind: "edits",
    key,
    host: "claude-code",
    session,
    event,
    at: event,
    workspace: "/w",
    times: 1,
    ...over,
  });

  it("is counted by key over sessions, by time and folder, and since a number", () =>
    withStore(kind, async ({ db }) => {
      await addRepeats(db, [row("a", "s1", 1), row("a", "s1", 2), row("b", "s1", 3)]);
      await addRepeats(db, [
        row("a", "s2", 4, { workspace: "/w/web" }),
        row("a", "s1", 5),
        row("a", "s3", 6, { workspace: "/wide" }),
      ]);
      expect(await listRepeatedKeys(db, "edits", { times: 1, sessions: 2 }, all)).toEqual([
        { key: "a", times: 5, sessions: 3 },
      ]);
      expect(await listRepeatedKeys(db, "edits", { times: 1, sessions: 1 }, { ...all, workspace: "/w" })).toEqual([
        { key: "a", times: 4, sessions: 2 },
        { key: "b", times: 1, sessions: 1 },
      ]);
      expect(
        (await listRepeatedKeys(db, "edits", { times: 1, sessions: 1 }, { ...all, after: 3 })).map((one) => one.key),
      ).toEqual(["a"]);
      expect(await listRepeatedKeys(db, "blocks", { times: 1, sessions: 1 }, all)).toEqual([]);
      expect((await listRepeats(db, "edits", all, "a")).map((one) => [one.session, one.event, one.times])).toEqual([
        ["s2", 4, 1],
        ["s1", 5, 3],
        ["s3", 6, 1],
      ]);
      await addRepeats(db, [row("c", "s4", 7, { workspace: "C:\\w\\web" })]);
      expect(await listRepeatedKeys(db, "edits", { times: 1, sessions: 1 }, { ...all, workspace: "C:\\w" })).toEqual([
        { key: "c", times: 1, sessions: 1 },
      ]);
      await appendEvents(db, [anEvent("later")]);
      expect(await dropOrphans(db)).toBe(0);
    }));

  it("is the same, whatever came in one batch", () =>
    withStore(kind, async ({ db }) => {
      const rows = [
        row("a", "s1", 5, { at: 9, workspace: "/late" }),
        row("a", "s1", 2, { at: 12, workspace: "/early" }),
        row("a", "s1", 7, { at: 7, workspace: "/last" }),
      ];
      await addRepeats(db, rows);
      for (const one of rows) await addRepeats(db, [{ ...one, key: "b" }]);
      const [together] = await listRepeats(db, "edits", all, "a");
      const [apart] = await listRepeats(db, "edits", all, "b");
      expect(together).toEqual(row("a", "s1", 7, { at: 12, workspace: "/last", times: 3 }));
      expect(apart).toEqual({ ...together, key: "b" });
    }));

  it("is the same for many sessions at once and for one after the other; commands are counted when they are asked for, once", () =>
    withStore(kind, async (store) => {
      const world = worldOf(store);
      const commands = async () =>
        (await listRepeatedKeys(store.db, "commands", { times: 1, sessions: 1 }, all)).length;
      const sessions = ["s1", "s2", "s3", "s4"];
      for (const one of sessions) {
        await appendEvents(store.db, sessionWith(one));
        await digest(store.db);
        await distil(world, { write: true });
      }
      const stepwise = await countsOf(store, world);
      expect(stepwise.found.map((one) => [one.opportunities, one.hits])).toEqual([
        [8, 4],
        [4, 0],
        [8, 0],
        [8, 4],
      ]);
      expect(await commands()).toBe(0);
      // As in an older store, in which these were counted with the rest.
      await addRepeats(store.db, [row("docker compose up", "s1", 2, { kind: "commands" })]);
      const options = { userHome: "/nowhere", minCount: 1, limit: 9 };
      const suggested = async () => (await suggestSkills(world, options)).map(({ command, times }) => [command, times]);
      expect(await suggested()).toEqual([["docker compose up", 4]]);
      expect(await suggested()).toHaveLength(1);
      await withStore(kind, async (other) => {
        const there = worldOf(other);
        await appendEvents(other.db, sessions.flatMap(sessionWith));
        await digest(other.db);
        await distil(there, { write: true });
        expect(await countsOf(other, there)).toEqual(stepwise);
      });
    }));

  it("is found once in each event, however often one looks; and the same events give the same rules", () =>
    withStore(kind, async (store) => {
      const world = worldOf(store);
      const texts = async () => (await distil(world, { write: false })).proposals.map((one) => [one.id, one.text]);
      await appendEvents(store.db, ["s1", "s2"].flatMap(sessionWith));
      await digest(store.db);
      const first = await texts();
      expect(first.map(([, text]) => text)).toEqual([
        "Run `docker compose up`, not `docker-compose up`: it worked where `docker-compose up` had failed, 2 times in 2 sessions.",
      ]);
      expect(await texts()).toEqual(first);
      await appendEvents(store.db, sessionWith("s3"));
      await digest(store.db);
      const next = await distil(world, { write: true });
      expect(next.proposals.map((one) => one.text)).toContain(
        "Write `dayjs`, not `moment`: corrected 3 times in 3 sessions.",
      );
      expect(next.proposals.map((one) => one.miner).toSorted()).toEqual(["blocks", "edits", "failures"]);
      expect(next.written).toBe((await listRules(store.db)).length);
      expect((await distil(world, { write: true })).written).toBe(0);
    }));
});

/** The counts of the same matchers over all sessions. */
async function countsOf(store: Store, world: Context) {
  const matchers = [
    { tool: "shell", head: "docker-compose up" },
    { tool: "shell", head: "git push", has: ["flag --force"] },
    { tool: "edits", has: ["writes dayjs"] },
    { tool: "shell" },
  ];
  const found = [];
  for (const matcher of matchers) found.push(await replayed(world, { matcher, scope: { kind: "global" } }));
  return {
    found,
    edits: (await listRepeats(store.db, "edits", all)).map(({ key, session, times }) => [key, session, times]),
  };
}

function sessionWith(session: string) {
  return [
    aFailure("fails", "compose", { session, head: "docker-compose up", input: { command: "docker-compose up" } }),
    anEvent("works", { session, head: "docker compose up", input: { command: "docker compose up" } }),
    anEvent("write", {
      session,
      tool: "Write",
      head: null,
      input: { file_path: "/w/a.ts", content: "a = moment()" },
    }),
    anEvent("edit", {
      session,
      tool: "Edit",
      head: null,
      input: { file_path: "/w/a.ts", old_string: "a = moment()", new_string: "a = dayjs()" },
    }),
    anEvent("held", {
      session,
      head: "git push",
      input: { command: "git push --force" },
      ok: false,
      outcome: "denied",
      error: "PreToolUse:Bash hook error: [guard.sh]: no",
    }),
  ];
}

function worldOf(store: Store): Context {
  return {
    config: {
      home: "/nowhere",
      database: "",
      off: { everywhere: false, workspaces: [] },
      policy: defaultPolicy,
      providers: noProviders,
    },
    clock: fixedClock(5_000),
    store,
    db: store.db,
    actor: owner,
    ...quiet,
  };
}
