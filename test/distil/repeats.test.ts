import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { distil } from "../../src/distil/distil.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import type { Store } from "../../src/store/db.ts";
import { digest } from "../../src/store/digest.ts";
import { appendEvents } from "../../src/store/events.ts";
import { addRepeats, dropOldRepeats, type Repeat, repeated, repeatsOf } from "../../src/store/repeats.ts";
import { listRules } from "../../src/store/rules.ts";
import type { Context } from "../../src/context.ts";
import { aFailure, anEvent } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

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
      expect(await repeated(db, "edits", { times: 1, sessions: 2 }, all)).toEqual([
        { key: "a", times: 5, sessions: 3 },
      ]);
      expect(await repeated(db, "edits", { times: 1, sessions: 1 }, { ...all, workspace: "/w" })).toEqual([
        { key: "a", times: 4, sessions: 2 },
        { key: "b", times: 1, sessions: 1 },
      ]);
      expect(
        (await repeated(db, "edits", { times: 1, sessions: 1 }, { ...all, after: 3 })).map((one) => one.key),
      ).toEqual(["a"]);
      expect(await repeated(db, "blocks", { times: 1, sessions: 1 }, all)).toEqual([]);
      expect((await repeatsOf(db, "edits", all, "a")).map((one) => [one.session, one.event, one.times])).toEqual([
        ["s2", 4, 1],
        ["s1", 5, 3],
        ["s3", 6, 1],
      ]);
      await appendEvents(db, [anEvent("later")]);
      expect(await dropOldRepeats(db)).toBe(0);
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

function sessionWith(session: string) {
  return [
    aFailure("fails", "compose", { session, head: "docker-compose up", input: { command: "docker-compose up" } }),
    anEvent("works", { session, head: "docker compose up", input: { command: "docker compose up" } }),
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
    config: { home: "/nowhere", database: "", off: { everywhere: false, workspaces: [] }, policy: defaultPolicy },
    clock: fixedClock(5_000),
    store,
    db: store.db,
    actor: "owner",
  };
}
