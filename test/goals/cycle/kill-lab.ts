import { spawn } from "node:child_process";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect } from "vitest";
import { type CycleStep } from "../../../src/domain/goal/cycle.ts";
import { iso } from "../../../src/lib/clock.ts";
import type { ModelRequest, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { listTaskAttempts } from "../../../src/store/goals/attempts.ts";
import { listCycles } from "../../../src/store/goals/cycles.ts";
import { cleanEnv, root } from "../../program.ts";
import type { TestStore } from "../../stores.ts";
import { type CyclePlace, messagesOf, reports, withCycles, writes } from "./cycle-place.ts";

/** Makes the child one file, in the package, where it finds its libraries. */
export async function bundleCycleChild(): Promise<string> {
  const folder = join(root, "node_modules", `.oldhand-cycle-kill-${process.pid}`);
  const made = await rolldown({
    ...{ cwd: root, input: { child: "test/goals/cycle/kill-child.ts" }, platform: "node" },
    ...{ external: /^(?!\.|\/)/, logLevel: "silent" },
  });
  await made.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
  await made.close();
  return folder;
}

/** `afterMs`: from outside, so long after the first request of the model. */
export type KillPoint = { readonly step: CycleStep } | { readonly afterMs: number };

/** Kills a real cycle, runs another one, and checks that no more than one attempt was lost, and that the task was done once. */
export async function killCycle(kind: TestStore, child: string, point: KillPoint): Promise<void> {
  let onRequest = () => {};
  const script = (request: ModelRequest): ScriptedTurn => {
    onRequest();
    const last = JSON.stringify(messagesOf(request).at(-1));
    // After a crash, the result of a call that was cut off comes with the new task.
    return last.includes("The task now") ? writes("a.txt", "made\n") : { ...reports("Done."), delayMs: 60 };
  };
  await withCycles(kind, { script }, async (place) => {
    const id = await place.goal("ship");
    const task = await place.task(id, "Write a", { file: "a.txt" });
    const ended = await runChild(place, child, point, (heard) => (onRequest = heard));
    const [killed] = await listCycles(place.mind.db, { limit: 1 });
    const wasKilled = ended === "SIGKILL";
    if ("step" in point) expect([ended, killed?.step, killed?.endedAt]).toEqual(["SIGKILL", point.step, null]);
    const next = await place.run("cycle", {});
    const attempts = await listTaskAttempts(place.mind.db, { task });
    const states = attempts.map(({ state }) => state);
    const said = JSON.stringify({ point, ended, step: killed?.step, next: next.outcome, reason: next.reason, states });
    expect([["verified"], ["lost", "verified"]], said).toContainEqual(states);
    expect(["verified", "nothing"], said).toContain(next.outcome);
    const all = await listCycles(place.mind.db);
    expect(
      all.every(({ endedAt, outcome }) => endedAt !== null && outcome !== null),
      said,
    ).toBe(true);
    if (wasKilled && states.includes("lost")) expect(all.at(-2)).toMatchObject({ outcome: "lost" });
    expect((await place.run("goal show", { goal: id })).goal).toMatchObject({ status: "done", tasks: { verified: 1 } });
    // The work is there once, and the owner's folder is as it was.
    expect(place.git("log", "--format=%s", `main..oldhand/${id}`).split("\n"), said).toHaveLength(1);
    expect(place.git("status", "--porcelain")).toBe("");
    expect((await place.run("snapshot show", {})).fault).toBeNull();
  });
}

/** Its signal, or null if it came to its end. */
function runChild(
  { home, database, env, clock }: CyclePlace,
  child: string,
  point: KillPoint,
  listen: (heard: () => void) => void,
): Promise<NodeJS.Signals | null> {
  const started = spawn(process.execPath, [join(child, "child.mjs")], {
    env: {
      ...{ ...cleanEnv(home), ...env, HOME_OF_MIND: home, DATABASE: database, NOW: iso(clock.now()) },
      ...("step" in point ? { KILL_AT: point.step } : {}),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ("afterMs" in point) listen(() => void setTimeout(() => started.kill("SIGKILL"), point.afterMs));
  return new Promise((resolve, reject) => {
    started.once("error", reject);
    started.once("close", (_code, signal) => resolve(signal));
  });
}
