import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
afterEach(() => place.remove());

describe("Ctrl-C", () => {
  it("stops an import between two batches: what was stored stays, and the same command goes on from there", async () => {
    place = newPlace();
    const file = join(place.dir, "messages.jsonl");
    const LINES = 60_000;
    const line = (n: number) =>
      `{"session":"s${n % 50}","seq":${n},"role":"user","text":"message ${n} about the shop","ts":"2026-01-01T00:00:00Z"}\n`;
    writeFileSync(file, Array.from({ length: LINES }, (_, n) => line(n)).join(""));
    const importing = place.start(["import", file, "--from", "messages"]);
    await expect.poll(() => existsSync(join(place.home, "mind.db-wal")), { timeout: 60_000 }).toBe(true);
    importing.child.kill("SIGINT");
    const { code, stderr } = await importing.ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining("stopped [stopped]")]);
    const rest = await place.json<{ events: number; skipped: number }>(["import", file, "--from", "messages"]);
    expect(rest.events + rest.skipped).toBe(LINES);
    expect(rest.events).toBeGreaterThan(0);
  });
});
