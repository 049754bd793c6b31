import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY } from "../../src/lib/clock.ts";
import { newPlace, type Place } from "../program.ts";

/** What a user sees and presses in `review`, and what agents are shown afterwards. */
describe("a rule under review", () => {
  let place: Place;
  let workspace: string;
  beforeEach(() => {
    place = newPlace();
    workspace = join(place.dir, "shop");
    mkdirSync(join(workspace, ".git"), { recursive: true });
  });
  afterEach(() => place.remove());

  const record = async (failures: number, from = Date.UTC(2026, 0, 5)) => {
    const lines = Array.from({ length: failures }, (_, at) =>
      JSON.stringify({
        session: `s${at}`,
        seq: 1,
        agent: "claude-code",
        ts: new Date(from + at * DAY).toISOString(),
        cwd: workspace,
        tool: "Bash",
        input: { command: "./bin/rel push --env staging" },
        ok: false,
        error_text: "rel: unknown option '--env'. Did you mean '--target'?",
      }),
    );
    writeFileSync(join(place.dir, "calls.jsonl"), `${lines.join("\n")}\n`);
    await place.run(["import", join(place.dir, "calls.jsonl")]);
  };
  /** Records that the same call works now. */
  const worked = async (times: number, name: string) => {
    const lines = Array.from({ length: times }, (_, at) =>
      JSON.stringify({
        session: `${name}${at}`,
        seq: 1,
        agent: "claude-code",
        ts: new Date(Date.now() + at).toISOString(),
        cwd: workspace,
        tool: "Bash",
        input: { command: "./bin/rel push --env staging" },
        ok: true,
      }),
    );
    writeFileSync(join(place.dir, `${name}.jsonl`), `${lines.join("\n")}\n`);
    await place.run(["import", join(place.dir, `${name}.jsonl`)]);
  };
  const match = async () => (await place.run(["match", "./bin/rel push --env staging", "--cwd", workspace])).stdout;

  it("at advise it is not said to speak before the call; approved, it does", async () => {
    await record(3);
    expect(await match()).toMatch(
      /^advise .*\n {2}\(shown at session start and after the call failed, not before it\)\n$/,
    );
    const [{ id }] = await place.json<[{ id: string }]>(["rules"]);
    expect((await place.run(["rules", "why", id])).stdout).toContain(
      "\n  not shown at a call; shown at session start and after the call failed\n",
    );
    const { stdout } = await place.run(["review"], { stdin: "a" });
    expect(stdout).toMatch(/is shown at session start and after .* failed; if approved, also at the call/);
    expect(await match()).toMatch(/^nudge .*\n$/);
  });

  it("in force and wrong more often than right, it comes first and is kept or retired; the answer holds until it got worse", async () => {
    await record(4, Date.now() - 5 * DAY);
    const [{ id }] = await place.json<[{ id: string }]>(["rules"]);
    await place.run(["rules", "approve", id]);
    const listWrong = async () => (await place.json<{ wrong: readonly object[] }>(["status"])).wrong;
    expect(await listWrong()).toEqual([]);
    await worked(8, "later");
    await place.run(["maintain", "--write", "--force"]);
    expect(await listWrong()).toMatchObject([{ id, failed: 4, calls: 12 }]);
    expect((await place.run(["status"])).stdout).toMatch(
      new RegExp(`\\n1 rule in force is wrong more often than right: .*; oldhand rules retire ${id} retires it\\n`),
    );
    const { stdout } = await place.run(["review"], { stdin: "k" });
    expect(stdout).toContain("wrong more often than right: its calls failed 4 of 12 times\n");
    expect(stdout).toContain("[k]eep  re[t]ire  [s]kip  [q]uit  [?] help > keep\n\n1 rule decided.\n");
    expect(await listWrong()).toEqual([]);
    expect((await place.run(["review"], { stdin: "" })).stdout).toContain("No rule waits for a decision.");
    await worked(4, "yet later");
    await place.run(["maintain", "--write", "--force"]);
    expect(await listWrong()).toMatchObject([{ id, failed: 4, calls: 16 }]);
    await place.run(["review"], { stdin: "t" });
    expect(await listWrong()).toEqual([]);
    expect(await place.json(["rules", "show", id])).toMatchObject({ status: "retired" });
    // Counts made since the approval do not prevent the undo.
    await place.run(["undo"]);
    expect((await place.run(["undo"])).stdout).toMatch(/later counts stay with the other rule: \d+, \d+\)/);
    const text = expect.stringContaining("failed 4 of 16");
    expect(await place.json(["rules", "show", id])).toMatchObject({ status: "candidate", text });
  });

  it("is denied by a key only where it can tell a call; the key for help says so", async () => {
    const about = ["--why", "the date was not looked at", "--should-have", "waited for Monday"];
    for (const day of ["first", "second", "third"])
      await place.run([
        ...["mistake", `Deployed on the ${day} Friday.`, ...about, "--pattern", "rushing"],
        ...["--signal", "the calendar says `Friday`"],
      ]);
    const { stdout } = await place.run(["review"], { stdin: "d?q" });
    expect(stdout).toContain("is shown at session start and with matching prompts");
    expect(stdout).toContain("[p]in  [q]uit  [?] help > a, r, m, p, s, q or ? > ");
    expect(stdout).toContain("d  approve, and deny the call it warns against (only for a rule with a matcher)");
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
