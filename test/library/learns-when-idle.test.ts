import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Mind, openMind } from "../../src/index.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { stores } from "../stores.ts";

describe.each(stores)("an agent in the library's process, on $name", (kind) => {
  const inMind = async (options: object, act: (mind: Mind, folder: string) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), "oldhand-library-"));
    const { database, remove } = await kind.migrated();
    const env = { OLDHAND_EMBEDDER: "none" };
    const mind = await openMind({ home: join(folder, "home"), database, env, ...options });
    try {
      await act(mind, folder);
    } finally {
      await mind.close();
      await remove();
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it("makes a rule of what fails again and again, while nothing is told, and the next session hears it", () =>
    inMind({}, async (mind, folder) => {
      for (const name of ["one", "two", "three"]) await failIn(mind, folder, name);
      expect(await mind.run("rules list")).toEqual([]);
      let rules = await mind.run("rules list");
      while (rules.length === 0) {
        await soon();
        rules = await mind.run("rules list");
      }
      const { context } = await mind.attend({ session: "four", cwd: folder, moment: "session-start", source: null });
      expect(context).toContain("--target");
      const { changes } = await mind.run("rules why", { id: rules[0]?.id ?? "" });
      expect(changes[0]?.by).not.toBe("owner");
    }));

  it("learns nothing by itself where somebody moves the clock, nor once it is closed", () =>
    inMind({ clock: fixedClock(Date.now()) }, async (mind, folder) => {
      for (const name of ["one", "two", "three"]) await failIn(mind, folder, name);
      for (let n = 0; n < 15; n++) await soon();
      expect(await mind.run("rules list")).toEqual([]);
    }));
});

const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 100));

async function failIn(mind: Mind, cwd: string, session: string): Promise<void> {
  const fields = { session, cwd, tool: "Bash", durationMs: 20 };
  const bad = { input: { command: "./bin/rel push --env staging" }, callId: `${session}-bad` };
  const good = { input: { command: "./bin/rel push --target staging" }, callId: `${session}-good` };
  const error = "error: unknown option '--env'. Did you mean '--target'?";
  await mind.attend([
    { ...fields, ...bad, moment: "after-call", ok: false, text: error, exitCode: 2 },
    { ...fields, ...good, moment: "after-call", ok: true, text: "pushed", exitCode: 0 },
    { session, cwd, moment: "stop", again: false },
  ]);
}
