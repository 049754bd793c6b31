import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { bundleChild, killSessions } from "./lab/kill.ts";

let child = "";
beforeAll(async () => {
  child = await bundleChild();
});
afterAll(() => rmSync(child, { recursive: true, force: true }));

describe.each(stores)("kill -9 in the middle of a turn ($name)", (kind) => {
  // 200 in test/slow/chat-kill.test.ts.
  it("loses nothing that was acknowledged, doubles nothing, and leaves a session that goes on", async () => {
    const seed = Math.floor(Math.random() * 1e9);
    const seen = await killSessions(kind, { child, runs: 15, seed });
    process.stdout.write(`killed on ${kind.name}, seed ${seed}: ${JSON.stringify(seen)}\n`);
    expect(seen.died).toBeGreaterThan(0);
  }, 300_000);
});
