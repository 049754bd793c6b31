import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** A session a day, with its calls; an error makes a call fail. */
async function record(...sessions: readonly (readonly (readonly [command: string, error?: string])[])[]) {
  await recordCalls(
    ...sessions.map((calls) => calls.map(([command, error]) => ({ tool: "Bash", input: { command }, error }))),
  );
}

interface Call {
  readonly tool: string;
  readonly input: object;
  readonly error?: string | undefined;
  readonly cwd?: string;
}

async function recordCalls(...sessions: readonly (readonly Call[])[]) {
  const lines = sessions.flatMap((calls, day) =>
    calls.map(({ tool, input, error, cwd }, seq) => ({
      session: `s${day}`,
      seq,
      agent: "claude-code",
      ts: new Date(Date.UTC(2026, 0, 5 + day, 9, seq)).toISOString(),
      cwd: cwd ?? "/home/ada/shop",
      tool,
      input,
      ok: error === undefined,
      error_text: error ?? null,
    })),
  );
  const file = join(place.dir, "calls.jsonl");
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await place.json(["import", file, "--no-rules"]);
}

const report = async () => (await place.run(["report"])).stdout;

describe("a repeated mistake in the report", () => {
  it("says what a rule would say, and how it becomes one", async () => {
    const wrong = ["./bin/rel push --env staging", "unknown option '--env'"] as const;
    await record([wrong], [wrong], [wrong], [wrong]);
    expect(await report()).toMatch(
      /\n {4}not a rule yet \(oldhand distil --write makes it one, nudge: agents see it before the call\): .*--env/,
    );
  });

  it("says how many more there are than it shows", async () => {
    const wrong = ["rel", "dep", "ship"].map((name) => [`./bin/${name} push`, `${name} is broken`] as const);
    await record(wrong, wrong);
    expect(await report()).not.toContain(" more (");
    expect((await place.run(["report", "--limit", "1"])).stdout).toContain(
      "\n\nand 2 more (oldhand report --limit N)\n",
    );
  });

  it("says once how often it failed", async () => {
    const wrong = ["./bin/rel push --env staging", "segmentation fault in worker"] as const;
    await record([wrong], [wrong], [wrong], [wrong]);
    const said = await report();
    expect(said).toContain("(failed 4 of 4)");
    expect(said).not.toContain("times right");
  });

  it("says that it is too rare for a rule", async () => {
    const wrong = ["./bin/rel push --env staging", "unknown option '--env'"] as const;
    await record([wrong], [wrong]);
    expect(await report()).toContain("\n    no rule: 2 failures, and a rule needs 3\n");
  });

  it("names the fact that says it instead of a rule", async () => {
    const wrong = ["npm run lnti", 'npm error Missing script: "lnti"'] as const;
    await record([wrong], [wrong], [wrong], [wrong], [wrong], [wrong]);
    expect(await report()).toMatch(
      /\n {4}no rule: a fact: `package.json` has no script `lnti` \(a call failed on this on 10 Jan\)\.\n/,
    );
  });

  it("names one of several facts, whatever else the tool read", async () => {
    const read = (name: string, error?: string) => ({
      tool: "Read",
      input: { file_path: `/home/ada/shop/${name}` },
      error,
    });
    const day = (name: string) => [read(`${name}.ts`, "File does not exist."), read("a.ts"), read("b.ts")];
    await recordCalls(...["x", "y", "z", "x", "v"].map(day));
    expect(await report()).toMatch(
      /\n {4}no rule: a fact: `x.ts` does not exist \([^)]*\)\. And 3 more \(oldhand facts\)\.\n/,
    );
  });

  it("says that no cause came often enough", async () => {
    const wrong = { tool: "Bash", input: { command: "./bin/rel push --env x" }, error: "unknown option '--env'" };
    await recordCalls(...["/w/a", "/w/b", "/w/a", "/w/b"].map((cwd) => [{ ...wrong, cwd }]));
    expect(await report()).toContain("no rule: at most 2 failures of one cause in one workspace, and a rule needs 3\n");
  });

  it("says that other calls of the command work, where nothing separates the failing ones from them", async () => {
    const call = "./bin/rel push --target staging";
    const day = [[call], [call, "segmentation fault in worker"], [call], [call], [call], [call]] as const;
    await record(day, day, day, day);
    expect(await report()).toContain(
      "\n    no rule: other calls of this command or tool worked 20 times, and nothing distinguishes the failing calls\n",
    );
  });
});
