import { describe, expect, it } from "vitest";
import { cap } from "../../lib/text.ts";
import { describeMatcher } from "../rule/wording/rule-sentence.ts";
import { matchesSteps } from "../rule/matching/matcher.ts";
import { makeCallGroup, listHeads, matchesTool, parseSteps } from "./step.ts";

const at = { cwd: "/w/web", workspace: "/w" };
const traits = (command: string, head: string) =>
  [
    ...(parseSteps({ tool: "Bash", input: { command }, ...at }).find((step) => step.head === head)?.traits ?? []),
  ].toSorted();
const none: ReadonlySet<string> = new Set();

describe("a call as matchers see it", () => {
  it("is each command of a line, with what ran before it", () => {
    expect(traits("git pull && git push --force origin main", "git push")).toEqual([
      "after git pull",
      "arg main",
      "arg origin",
      "call git push --force origin main",
      "flag --force",
      "in web",
    ]);
  });

  it("may be a subcommand that stands behind flags, where nobody knows which of them take a value", () => {
    const rule = { tool: "shell", head: "lantern publish", has: ["flag --channel"] };
    const met = (command: string) => matchesSteps(rule, parseSteps({ tool: "Bash", input: { command }, ...at }), none);
    expect(met("lantern publish --channel beta")).toBe(true);
    expect(met("lantern --channel beta publish")).toBe(true);
    expect(met("./tools/lantern --verbose --channel=beta publish")).toBe(true);
    expect(met("lantern --channel publish")).toBe(true);
    expect(met("lantern --channel beta list publish")).toBe(false);
    expect(met("lantern --channel beta -- publish")).toBe(false);
    expect(met("lantern --track beta publish")).toBe(false);
    expect(met("other --channel beta publish")).toBe(false);
  });

  it("has numbers and hashes masked, and the folders of its paths", () => {
    expect(traits("gh api repos/me/shop/pulls/comments/2715029017/replies", "gh api")).toContain(
      "arg repos/me/shop/pulls/comments/#/replies",
    );
    expect(traits("pytest sympy/core/tests/test_a.py", "pytest")).toEqual(
      expect.arrayContaining(["below sympy", "below sympy/core", "extension .py"]),
    );
  });

  it("says the same of folders on Windows", () => {
    const there = { cwd: "C:\\w\\web\\src", workspace: "C:\\w" };
    const [step] = parseSteps({ tool: "Bash", input: { command: "git push" }, ...there });
    expect([...(step?.traits ?? [])]).toContain("in web/src");
    const [edit] = parseSteps({ tool: "Edit", input: { file_path: "C:\\w\\web\\src\\a.ts" }, ...there });
    expect([...(edit?.traits ?? [])]).toEqual(expect.arrayContaining(["below web", "below web/src", "extension .ts"]));
  });

  it("tells a cd into the folder it is in, and a block after a semicolon", () => {
    expect(traits("cd web && npm test", "npm test")).toContain("enters where it is");
    expect(traits("cd api && npm test", "npm test")).not.toContain("enters where it is");
    expect(traits('python3 -c "import x; class A: pass"', "python3")).toContain("block after a semicolon");
  });

  it("is one step for every other tool, by the fields of its input", () => {
    const [step] = parseSteps({ tool: "Read", input: { file_path: "/w/src" }, ...at });
    expect([...(step?.traits ?? [])]).toEqual(
      expect.arrayContaining(["field file_path", "file_path=/w/src", "no extension"]),
    );
  });

  it("is an edit that changes nothing only where both texts are there to the end", () => {
    const edit = (old_string: string, new_string: string) => [
      ...(parseSteps({ tool: "Edit", input: { file_path: "/w/a.ts", old_string, new_string }, ...at })[0]?.traits ??
        []),
    ];
    expect(edit("a", "a")).toContain("old_string is new_string");
    expect(edit("a", "b")).not.toContain("old_string is new_string");
    expect(edit(cap("a".repeat(900), 300), cap("a".repeat(900), 300))).not.toContain("old_string is new_string");
    expect(edit("the same so far…", "the same so far…")).not.toContain("old_string is new_string");
  });

  it("is known as a whole, without what only catches its output", () => {
    expect(traits("./bin/rel push --to eu > out.txt 2>&1", "rel push")).toContain("call bin/rel push --to eu");
    expect(traits(`rel push ${"x".repeat(200)}`, "rel push").join("\n")).not.toContain("call ");
  });

  it("knows the variables that are set for it, and the address that two words name", () => {
    expect(traits("A=1 env B=2 bin/rel push", "rel push")).toEqual(expect.arrayContaining(["sets A", "sets B"]));
    expect(traits("export C=3; rel push; export D=4", "rel push").join("\n")).toMatch(/sets C(?![^]*sets D)/);
    expect(traits("nc -v 127.0.0.1 4000", "nc")).toContain("address localhost:4000");
  });

  it("is met by a matcher of any of its steps, and by none where one part does not hold", () => {
    const steps = parseSteps({ tool: "exec_command", input: { cmd: "make && git push" }, ...at });
    expect(matchesSteps({ tool: "shell", head: "git push", lacks: ["after git pull"] }, steps, none)).toBe(true);
    expect(matchesSteps({ tool: "shell", head: "git push", has: ["after git pull"] }, steps, none)).toBe(false);
    expect(matchesSteps({ tool: "shell", head: "git pull" }, steps, none)).toBe(false);
  });

  it("is said in words", () => {
    expect(describeMatcher({ tool: "shell", head: "git push", has: ["in web"], lacks: ["after git pull"] })).toBe(
      "`git push` in `web/` without `git pull` before it",
    );
    expect(describeMatcher({ tool: "shell", head: "git push", has: ["in ."] })).toBe(
      "`git push` in the workspace root",
    );
    expect(describeMatcher({ tool: "Edit", has: ["so far: file not read"] })).toBe(
      "Edit of a file not read in the session",
    );
  });

  it("is the command that the line is about, and no command that only prepares it", () => {
    const steps = parseSteps({ tool: "Bash", input: { command: "cd web && make && git push" }, ...at });
    expect(steps.map(({ head, command, main }) => [head, command, main])).toEqual([
      ["make", "make", false],
      ["git push", "git push", true],
    ]);
    const [only] = parseSteps({ tool: "Bash", input: { command: "cd   web" }, ...at });
    expect([only?.tool, only?.head, only?.command, only?.main]).toEqual(["shell", "cd", "cd web", true]);
    expect(only?.written()).toBeNull();
  });

  it("has no more than twelve steps, however long its line", () => {
    const command = Array.from({ length: 20 }, (_, index) => `tool${index} run`).join(" && ");
    expect(parseSteps({ tool: "Bash", input: { command }, ...at })).toHaveLength(12);
    expect(listHeads({ tool: "Bash", input: { command } })).toHaveLength(12);
  });

  it("is one step without a head where the line has no command", () => {
    const steps = parseSteps({ tool: "Bash", input: { command: "  " }, ...at });
    expect(steps.map(({ tool, head, command, main, traits }) => ({ tool, head, command, main, traits }))).toEqual([
      { tool: "shell", head: null, command: null, main: true, traits: new Set() },
    ]);
    expect([steps[0]?.otherHeads(), steps[0]?.written(), steps[0]?.runs("npm test")]).toEqual([[], null, false]);
  });

  it("tells what an edit writes, and runs nothing where it is no shell's", () => {
    const [edit] = parseSteps({
      tool: "Edit",
      input: { file_path: "/w/a.ts", old_string: "a", new_string: "b" },
      ...at,
    });
    expect([edit?.written(), edit?.main, edit?.head, edit?.command]).toEqual(["b", true, null, null]);
    expect([edit?.otherHeads(), edit?.runs("npm test")]).toEqual([[], false]);
    expect(
      parseSteps({ tool: "Read", input: { file_path: "/w/a.ts", new_string: "b" }, ...at })[0]?.written(),
    ).toBeNull();
  });

  it("is asked the same by each of its steps: whether the line runs what a person named", () => {
    const steps = parseSteps({ tool: "Bash", input: { command: "make && npm test -- --watch" }, ...at });
    expect(steps.map((step) => [step.runs("npm test"), step.runs("npm publish")])).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  it("is meant by its tool's name, and every edit by `edits`", () => {
    expect(matchesTool("Read", "Read")).toBe(true);
    expect(matchesTool("Read", "Edit")).toBe(false);
    expect(matchesTool("edits", "Edit")).toBe(true);
    expect(matchesTool("edits", "Read")).toBe(false);
    expect(matchesTool("edits", "shell")).toBe(false);
  });

  it("is grouped by its tool, or by the heads of its line, each once", () => {
    const heads = (command: string) => listHeads({ tool: "Bash", input: { command } });
    expect(heads("cd web && make && git push && make")).toEqual(["make", "git push"]);
    expect(heads("cd web")).toEqual(["cd"]);
    expect(heads(" ")).toEqual([null]);
    expect(listHeads({ tool: "Read", input: { file_path: "/a" } })).toEqual([null]);
    expect(makeCallGroup("Bash", "git push")).toBe("shell git push");
    expect(makeCallGroup("Bash", null)).toBe("shell ");
    expect(makeCallGroup("Read", "git push")).toBe("Read");
  });
});
