import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleChild, killSessions } from "../converse/lab/kill.ts";
import { stores } from "../stores.ts";

let child = "";
beforeAll(async () => {
  child = await bundleChild();
});
afterAll(() => rmSync(child, { recursive: true, force: true }));

describe.each(stores)("kill -9 at 100 points of tool-using turns ($name)", (kind) => {
  it("loses nothing that was acknowledged, doubles nothing, and leaves sessions that go on", async () => {
    const seed = Math.floor(Math.random() * 1e9);
    const seen = await killSessions(kind, { child, runs: 100, seed });
    process.stdout.write(`${kind.name}, seed ${seed}: ${JSON.stringify(seen)}\n`);
    expect(seen.died).toBeGreaterThan(50);
    expect(seen.closed).toBeGreaterThan(5);
  });
});
