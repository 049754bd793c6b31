import { describe, expect, it } from "vitest";
import { DAY } from "../../src/lib/clock.ts";
import { digest } from "../../src/store/digest.ts";
import { packEpisodes, pruneEpisodes } from "../../src/store/episodes.ts";
import { appendEvents, countEvents } from "../../src/store/events.ts";
import { findSessions } from "../../src/store/sessions.ts";
import { summariesOfDay, summariesOfSession } from "../../src/store/summaries.ts";
import { stores, withStore } from "../stores.ts";
import { aFailure, anEvent } from "./samples.ts";

const said = { kind: "prompt", tool: null, head: null, input: null, outcome: null } as const;

describe.each(stores)("summaries on $name", (kind) => {
  it("are told of a day while its events are there, and after they were packed and pruned", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        anEvent("p1", { ...said, at: DAY + 1, text: "Add a login page. Let's use passkeys." }),
        anEvent("c1", { at: DAY + 2 }),
        aFailure("f1", "sig", { at: DAY + 3 }),
        anEvent("p2", { ...said, at: 2 * DAY + 1, text: "Now the logout." }),
        anEvent("o1", { at: DAY + 5, session: "s2", workspace: "/other" }),
      ]);
      await digest(db);
      const day = () => summariesOfDay(db, "1970-01-02", null);
      const before = await day();
      expect(before.map((one) => [one.session, one.asked, one.calls, one.failures, one.decisions.length])).toEqual([
        ["s1", "Add a login page. Let's use passkeys.", 2, 1, 1],
        ["s2", null, 1, 0, 0],
      ]);
      expect(await summariesOfDay(db, "1970-01-02", "/other")).toMatchObject([{ session: "s2" }]);
      await packEpisodes(db, { now: 10 * DAY, quietMs: DAY, budget: 1_000 });
      expect(await day()).toEqual(before);
      await pruneEpisodes(db, { now: 200 * DAY, keepMs: 90 * DAY, budget: 1_000 });
      expect(await countEvents(db)).toBe(0);
      expect(await day()).toEqual(before);
      const [session] = await findSessions(db, "s1");
      if (!session) throw new Error("the session's row stays");
      expect((await summariesOfSession(db, session)).map((one) => [one.day, one.asked])).toEqual([
        ["1970-01-02", "Add a login page. Let's use passkeys."],
        ["1970-01-03", "Now the logout."],
      ]);
      expect(await summariesOfDay(db, "1970-01-09", null)).toEqual([]);
    }));
});
