import { describe, expect, it } from "vitest";
import { readingVersion } from "../../src/domain/cause/read-call.ts";
import { countNewTries } from "../../src/distil/counting/count-new-events.ts";
import { digest, findDerivedFaults } from "../../src/store/derived/digest.ts";
import { listFacts } from "../../src/store/derived/facts.ts";
import { rankFailures } from "../../src/store/derived/failures.ts";
import { areCallsReadByOlderLaws, markCallsRestored, rereadCalls } from "../../src/store/derived/reread-calls.ts";
import { getTryGroup } from "../../src/store/derived/tries.ts";
import { makeCallGroup } from "../../src/domain/shell/step.ts";
import { appendEvents, getEventsByIds, listEventsAfter } from "../../src/store/events/events.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { listSessions } from "../../src/store/sessions/sessions.ts";
import { readMeta, writeMeta } from "../../src/store/state/meta.ts";
import { anEvent } from "./samples.ts";
import { stores, withStore } from "../stores.ts";

const signal = new AbortController().signal;

/** A call as a hook stores it: unread. */
function called(uid: string, command: string, output: string) {
  const unread = { head: null, outcome: null, benign: false, exitCode: null, error: null, signature: null };
  return anEvent(uid, { ...unread, at: Number(uid), input: { command }, text: output, ok: true });
}

const hidden = called("1", "cat -A notes.txt | head", "cat: illegal option -- A\nusage: cat [-belnstuv] [file ...]");
const missing = called("2", "bun run lint | tail -3", 'error: Script not found "lint"');
const fine = called("3", "bun run test", "12 pass");

/** What an older version had stored, which did not know hidden failures. */
async function digestByOlderLaws(db: Db): Promise<void> {
  await appendEvents(db, [hidden, missing, fine]);
  await digest(db);
  await countNewTries({ db, signal });
  for (const event of await listEventsAfter(db, 0, 1_000, 10))
    await db.run(
      "update events set outcome = 'ok', error = null, signature = null, benign = 0, text = coalesce(error, text) where id = ?",
      [event.id],
    );
  for (const table of ["failures", "failure_groups", "failure_sessions", "session_calls", "tries", "tried_groups"])
    await db.run(`delete from ${table}`);
  await db.run("delete from facts");
  await db.run("update sessions set failures = 0");
  for (const key of ["counted", "tried"]) await writeMeta(db, key, "0");
  await writeMeta(db, "calls read by", "0");
}

describe.each(stores)("stored calls on $name", (kind) => {
  it("are read again when the laws of outcomes have changed, with everything that is counted from them", () =>
    withStore(kind, async ({ db }) => {
      await digestByOlderLaws(db);
      expect(await areCallsReadByOlderLaws(db)).toBe(true);
      await digest(db);
      expect(await areCallsReadByOlderLaws(db)).toBe(false);
      const outcomes = (await listEventsAfter(db, 0, 1_000, 10)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(["failed", "failed", "ok"]);
      expect((await rankFailures(db, { within: 20 }, 10)).failures).toBe(2);
      expect(await listSessions(db, { limit: 1 })).toMatchObject([{ failures: 2 }]);
      expect((await listFacts(db, null)).map(({ name }) => name)).toContain("lint");
      await countNewTries({ db, signal });
      expect(await getTryGroup(db, makeCallGroup("Bash", "cat"))).toMatchObject({ failed: 1, worked: 0 });
      expect(await findDerivedFaults(db)).toEqual({ words: null, sessions: [], counts: null });
    }));

  it("are read once by each version of the laws, and are read as before by the same laws", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [hidden, missing, fine]);
      await digest(db);
      expect(await readMeta(db, "calls read by")).toBe(readingVersion);
      const before = await getEventsByIds(db, [1, 2, 3]);
      expect(await rereadCalls(db)).toBe(0);
      await writeMeta(db, "calls read by", "0");
      expect(await rereadCalls(db)).toBe(0);
      expect(await getEventsByIds(db, [1, 2, 3])).toEqual(before);
    }));

  it("are read again after they came from a backup, as in the mind that wrote it", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [{ ...hidden, outcome: "ok" }, fine]);
      await db.tx(markCallsRestored);
      expect(await rereadCalls(db)).toBe(0);
      await digest(db);
      const outcomes = (await listEventsAfter(db, 0, 1_000, 10)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(["failed", "ok"]);
      expect((await rankFailures(db, { within: 20 }, 10)).failures).toBe(1);
      expect(await areCallsReadByOlderLaws(db)).toBe(false);
      expect(await findDerivedFaults(db)).toEqual({ words: null, sessions: [], counts: null });
    }));

  it("are read in pieces: what one piece leaves, the next takes", () =>
    withStore(kind, async ({ db }) => {
      await digestByOlderLaws(db);
      expect(await rereadCalls(db, { most: 0 })).toBe(0);
      expect(await areCallsReadByOlderLaws(db)).toBe(true);
      expect(await rereadCalls(db, { most: 1 })).toBe(2);
      expect(await areCallsReadByOlderLaws(db)).toBe(false);
    }));
});
