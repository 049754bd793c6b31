import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listCapUsage, sumReservations } from "../../../src/store/models/cap-usage.ts";
import { expireReservations } from "../../../src/store/models/reservations.ts";
import { type Children, bundleChildren } from "../../store/children.ts";
import { stores, withStore } from "../../stores.ts";
import { LEASE_MS, mustReserve, noon, setCap, tryReserve } from "./lab.ts";

let children: Children;
beforeAll(async () => {
  children = await bundleChildren(join(dirname(fileURLToPath(import.meta.url)), "spender.ts"));
});
afterAll(() => children.remove());

it.each(stores)(
  "a process that is killed holds its reservation no longer: it is lost at once, and counts under a strict cap, on $name",
  (kind) =>
    withStore(kind, async ({ db }, database) => {
      await setCap(db, "day", 1);
      const killed = children.start([database, "4", "0.1", String(noon)]);
      await killed.firstLine;
      killed.kill();
      await killed.ended;
      const [before] = await listCapUsage(db, noon);
      expect(before).toMatchObject({ reserved: 0 });
      expect((before?.lost ?? 0) + (before?.spent ?? 0)).toBeGreaterThan(0);
      expect(await sumReservations(db, { since: "2026-11-17", until: "2026-11-17", now: noon })).toEqual({
        held: 0,
        lost: before?.lost,
      });
      // Less than the cap is lost, so it does not count, and the whole cap can be used.
      const free = 1 - (before?.spent ?? 0) / 1e9;
      await mustReserve(db, free, { spender: { agent: "other", job: null, goal: null } });
      await setCap(db, "day", 1, { isStrict: true });
      expect((await tryReserve(db, 0.01)).kind).toBe("capped");
    }),
  60_000,
);

it.each(stores)(
  "50 calls in 4 processes never exceed a strict cap for 10, even if two processes are killed in the middle, on $name",
  (kind) =>
    withStore(kind, async ({ db }, database) => {
      await setCap(db, "day", 1, { isStrict: true });
      const start = (calls: number, now: number) => children.start([database, String(calls), "0.1", String(now)]);
      const killed = [start(13, noon), start(13, noon)];
      // These two have calls under way when the others begin, and die during them.
      await Promise.all(killed.map(({ firstLine }) => firstLine));
      // However slowly the others start, these do not come to an end before.
      for (const one of killed) process.kill(one.pid, "SIGSTOP");
      const others = [start(12, noon), start(12, noon)];
      for (const one of killed) one.kill();
      const ended = await Promise.all([...killed, ...others].map(({ ended: end }) => end));
      expect(ended.map(({ stderr }) => stderr).join("")).toBe("");
      const [day] = await listCapUsage(db, noon);
      expect((day?.spent ?? 0) + (day?.lost ?? 0)).toBeLessThanOrEqual(1e9);
      expect(day).toMatchObject({ reserved: 0 });
      expect(day?.lost).toBeGreaterThan(0);
      // Every call that was sent is settled, or lost with a process that died.
      const count = (word: string) => ended.flatMap(({ lines }) => lines).filter((line) => line === word).length;
      expect(count("sent")).toBeLessThanOrEqual(10);
      expect(count("settled")).toBeLessThanOrEqual((day?.spent ?? 0) / 1e8);

      // Without the strict cap the rest can be used, but not more.
      const later = noon + LEASE_MS;
      await expireReservations(db, later);
      await setCap(db, "day", 1);
      expect(await listCapUsage(db, later)).toMatchObject([{ reserved: 0, lost: day?.lost }]);
      await Promise.all([start(13, later), start(13, later)].map(({ ended: end }) => end));
      expect(await listCapUsage(db, later)).toMatchObject([{ spent: 1e9, reserved: 0, lost: day?.lost }]);
      expect(await db.all("select id from model_reservations where state = 'held'")).toEqual([]);
    }),
  60_000,
);
