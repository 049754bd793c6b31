import { spawn } from "@lydell/node-pty";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanEnv, newPlace, type Place, program } from "../program.ts";

interface Shown {
  readonly isFirst: boolean;
  readonly verified: readonly unknown[];
}

/** What the program prints in a pseudo-terminal. */
function readInTerminal(place: Place, words: readonly string[]): Promise<string> {
  const env = { ...cleanEnv(place.user), OLDHAND_HOME: place.home, TERM: "xterm-256color" };
  const child = spawn(process.execPath, [program, ...words], { cols: 120, rows: 40, cwd: place.dir, env });
  let shown = "";
  child.onData((data) => {
    shown += data;
  });
  return new Promise((resolve) => {
    child.onExit(() => resolve(shown));
  });
}

describe("oldhand report --away", () => {
  let place: Place;
  beforeAll(async () => {
    place = newPlace();
    const { goal } = await place.json<{ goal: { id: string } }>(["goal", "add", "ship"]);
    const { task } = await place.json<{ task: { id: string } }>([
      "task",
      "add",
      goal.id,
      "Call Ada",
      "--person",
      "Yes?",
    ]);
    await place.json(["task", "done", task.id, "she agreed"]);
  });
  afterAll(() => place.remove());

  it("is the letter, and a program or another time that reads it moves nothing, nor a pipe; a person at a terminal does", async () => {
    await place.json(["report", "--away"]);
    await place.run(["report", "--away", "--since", "2020-01-01T00:00:00Z"]);
    await place.run(["status"]);
    expect(await place.json<Shown>(["report", "--away"])).toMatchObject({
      isFirst: true,
      verified: [{ why: "she agreed" }],
    });
    const { stdout } = await place.run(["report", "--away"]);
    expect(stdout).toMatch(/^In the last 30 days: 1 goal reached, 1 task verified, 0 only claimed\./);
    expect(stdout).toMatch(/Verified by their checks:\n {2}task_\w+ {2}Call Ada, for "ship"\n {4}she agreed/);
    expect(await place.json<Shown>(["report", "--away"])).toMatchObject({ isFirst: true });
    const screen = await readInTerminal(place, ["report", "--away"]);
    expect(screen).toContain("1 task verified");
    expect(await place.json<Shown>(["report", "--away"])).toMatchObject({ isFirst: false, verified: [] });
  });

  it("is for the owner: an agent's shell does not read it, and moves nothing", async () => {
    const before = await place.json<Shown & { since: string }>(["report", "--away"]);
    const { code } = await place.run(["report", "--away"], { env: { CLAUDECODE: "1" } });
    expect(code).toBe(1);
    expect((await place.json<Shown & { since: string }>(["report", "--away"])).since).toBe(before.since);
  });
});
