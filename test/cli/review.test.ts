import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

/** What a person reads and presses in `review`, and what agents then hear. */
describe("a rule under review", () => {
  let place: Place;
  let workspace: string;
  beforeEach(() => {
    place = newPlace();
    workspace = join(place.dir, "shop");
    mkdirSync(join(workspace, ".git"), { recursive: true });
  });
  afterEach(() => place.remove());

  const record = async (failures: number) => {
    const lines = Array.from({ length: failures }, (_, at) =>
      JSON.stringify({
        session: `s${at}`,
        seq: 1,
        agent: "claude-code",
        ts: new Date(Date.UTC(2026, 0, 5 + at)).toISOString(),
        cwd: workspace,
        tool: "Bash",
        input: { command: "./bin/rel push --env staging" },
        ok: false,
        error: "rel: unknown option '--env'. Did you mean '--target'?",
      }),
    );
    writeFileSync(join(place.dir, "calls.jsonl"), `${lines.join("\n")}\n`);
    await place.run(["import", join(place.dir, "calls.jsonl")]);
  };
  const match = async () => (await place.run(["match", "./bin/rel push --env production", "--cwd", workspace])).stdout;

  it("at advise it is not said to speak before the call; approved, it does", async () => {
    await record(3);
    expect(await match()).toMatch(
      /^advise .*\n {2}\(said at a session's start and after the call failed, not before it\)\n$/,
    );
    const [{ id }] = await place.json<[{ id: string }]>(["rules"]);
    expect((await place.run(["rules", "why", id])).stdout).toContain(
      "\n  not shown before a call; shown at a session's start and after the call failed\n",
    );
    const { stdout } = await place.run(["review"], { stdin: "a" });
    expect(stdout).toMatch(/is said at a session's start and after .* failed; approved, it speaks before /);
    expect(await match()).toMatch(/^nudge .*\n$/);
  });

  it("is denied by a key only where it can tell a call; the key for help says so", async () => {
    const about = ["--why", "the date was not looked at", "--should-have", "waited for Monday"];
    for (const day of ["first", "second", "third"])
      await place.run([
        ...["mistake", `Deployed on the ${day} Friday.`, ...about, "--pattern", "rushing"],
        ...["--signal", "the calendar says `Friday`"],
      ]);
    const { stdout } = await place.run(["review"], { stdin: "d?q" });
    expect(stdout).toContain("is said at a session's start and with prompts that fit");
    expect(stdout).toContain("[p]in  [q]uit  [?] help > a, r, m, p, s, q or ? > ");
    expect(stdout).toContain("d  approve, and deny the call it speaks against (only for a rule with a matcher)");
  });

  it("written by hand, its reason is its owner; a script is shown as its interpreter runs it", async () => {
    const learned = await place.run(["learn", "Ask before you migrate.", "--command", "tools/migrate.py up"]);
    expect(learned.stdout).toMatch(/would match\n(?: {2}.*\n)* {2}python3 tools\/migrate\.py up\n/);
    const [{ id }] = await place.json<[{ id: string }]>(["rules"]);
    const why = (await place.run(["rules", "why", id])).stdout;
    expect(why).toContain("\nwritten by its owner\nchanges\n");
    expect(why).not.toContain("because");
  });
});
