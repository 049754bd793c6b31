import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** Records one session a day with these calls; those with an error failed. */
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
      /\n {4}not a rule yet \(oldhand distil --write makes it one, nudge: agents see it at the call\): .*--env/,
    );
  });

  it("is quoted as its program wrote it, with real names and numbers", async () => {
    const wrong = (item: number) =>
      [`./bin/rel push --item ${item}`, `rel: item ${item} is not in 'stock/a b.txt'`] as const;
    await record([wrong(3)], [wrong(4)], [wrong(7)]);
    expect(await report()).toContain("\n 1. rel push: item 7 is not in 'stock/a b.txt'\n");
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
    expect(said.match(/failed 4 of 4/g)).toHaveLength(1);
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
      /\n {4}no rule: a fact: `x.ts` does not exist \([^)]*\)\. And 3 more facts of these failures \(oldhand facts\)\.\n/,
    );
  });

  it("is told of no remedy that only does the same with another value", async () => {
    const call = (value: string) => `./bin/tally --oven ${value}`;
    const day = [[call("7"), "tally: oven is cold"], [call("8")]] as const;
    await record(day, day, day, day);
    expect(await report()).toContain("tally: oven is cold");
    expect(await report()).not.toContain("→");
  });

  it("says that the network was down", async () => {
    const wrong = ["curl https://example.test/x", "curl: (6) Could not resolve host: example.test"] as const;
    await record([wrong], [wrong], [wrong], [wrong]);
    expect(await report()).toContain("no rule: the network or a server was down, and no rule is made of that\n");
  });

  it("names the rule that covers it in another spelling", async () => {
    const error = "error: unrecognized arguments: --kneed";
    const typed = (program: string) => [`${program} --kneed`, `usage: mix.py [-h]\nmix.py: ${error}`] as const;
    const right = ["tools/mix.py --knead"] as const;
    await record(
      ...Array.from({ length: 3 }, () => [typed("tools/mix.py"), right]),
      [typed("python3 tools/mix.py")],
      [typed("python3 tools/mix.py")],
    );
    await place.json(["distil", "--write"]);
    const said = await report();
    expect(said).not.toContain("no rule");
    // One mistake, whichever program starts the script.
    expect(said.match(/^ ?\d+\. /gm)).toHaveLength(1);
    expect(said).toContain("mix.py: error: unrecognized arguments");
    expect(said).toContain("5 times in 5 sessions");
  });

  it("names each project's rule where several projects make the same mistake", async () => {
    const fails = (cwd: string, path: string) => ({
      ...{ tool: "Bash", cwd, input: { command: `cat ${path}` } },
      error: `cat: ${path}: No such file or directory`,
    });
    const works = (cwd: string, path: string) => ({ tool: "Bash", cwd, input: { command: `cat ${path}` } });
    const [a, b] = [
      [fails("/w/a", "docs/gide.md"), works("/w/a", "docs/guide.md")],
      [fails("/w/b", "src/pasrer.ts"), works("/w/b", "src/parser.ts")],
    ];
    await recordCalls(a, b, a, b, a, b, a, b);
    await place.json(["distil", "--write"]);
    const said = await report();
    expect(said).toMatch(/rule r_\w+ .*`cat docs\/guide\.md`.* \(\/w\/a\)/);
    expect(said).toMatch(/rule r_\w+ .*`cat src\/parser\.ts`.* \(\/w\/b\)/);
  });

  it("says what is missing where it is known what worked and no rule was made", async () => {
    const error = [
      "npm error code ENOENT",
      "npm error path /home/ada/shop/package.json",
      "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/home/ada/shop/package.json'",
    ].join("\n");
    const wrong = ["npm test", error] as const;
    const day = [wrong, ["cd web && npm test"]] as const;
    await record(day, day, day, day);
    const said = await report();
    expect(said).toContain("→ cd web && npm test (worked 4 times)");
    expect(said).toContain("no rule: what worked instead is shown above, but nothing that a rule may use");
  });

  it("counts what worked instead by its form, whatever values it had", async () => {
    const day = (name: string, end = "") =>
      [
        [`./bin/rel push --env ${name}`, "rel: error: no such option: --env"],
        [`./bin/rel push --target ${name}${end}`],
      ] as const;
    await record(day("eu"), day("us"), day("eu", " 2>&1 | tail -3"), day("asia"));
    expect(await report()).toMatch(/→ \.\/bin\/rel push --target \w+.* \(such calls worked 4 times\)/);
  });

  it("is one mistake, whatever value an unknown option had", async () => {
    const wrong = (name: string) =>
      [`tools/ship.py --to ${name}`, `usage: ship.py\nship.py: error: unrecognized arguments: --to ${name}`] as const;
    await record([wrong("eu")], [wrong("us")], [wrong("eu")], [wrong("asia")]);
    const said = await report();
    expect(said.match(/^ ?\d+\. /gm)).toHaveLength(1);
    expect(said).toContain("4 times in 4 sessions");
  });

  it("names the cause, not what make says about it", async () => {
    const wrong = [
      "make label",
      "label: the variable SHOP_REGION is not set\nmake: *** [Makefile:2: label] Error 1",
    ] as const;
    await record([wrong], [wrong], [wrong]);
    expect(await report()).toContain("\n 1. make label: label: the variable SHOP_REGION is not set\n");
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
