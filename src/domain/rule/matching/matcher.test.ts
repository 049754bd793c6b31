import { describe, expect, it } from "vitest";
import { type Step, parseSteps } from "../../shell/step.ts";
import {
  anySubcommand,
  needsSituation,
  matchesHead,
  isOpportunity,
  matcherHeads,
  matchesSteps,
  describeUnknownParts,
  unknownParts,
  stripSituation,
} from "./matcher.ts";
import type { Matcher } from "../rule.ts";
import { describeMatcher } from "../wording/rule-sentence.ts";
import { unreadTrait } from "./situation.ts";

describe("a matcher of a program with any subcommand", () => {
  const npm = { tool: "shell", head: "npm", has: [anySubcommand] };
  const steps = (command: string) => parseSteps({ tool: "Bash", input: { command }, cwd: "/w", workspace: "/w" });
  const fits = (command: string) => matchesSteps(npm, steps(command), new Set());

  it.each(["npm", "npm install", "npm run build --silent", "cd web && npm test", "sudo npm ci"])(
    "means %s",
    (command) => {
      expect(fits(command)).toBe(true);
      expect(isOpportunity(npm, steps(command))).toBe(true);
    },
  );

  it.each(["pnpm install", "echo npm install", "npx vitest", "npm-check"])("does not mean %s", (command) => {
    expect(fits(command)).toBe(false);
  });

  it("without it a head means itself alone", () => {
    expect(matchesSteps({ tool: "shell", head: "npm" }, steps("npm install"), new Set())).toBe(false);
  });

  it("is said as a person would", () => expect(describeMatcher(npm)).toBe("`npm` with any subcommand"));
});

describe("a matcher that is not understood", () => {
  const steps = parseSteps({ tool: "Bash", input: { command: "npm test" }, cwd: "/w", workspace: "/w" });

  it.each([
    ["of a newer oldhand", { tool: "shell", program: "rm", under: "/" }, ["program", "under"]],
    ["with a head that is no text", { tool: "shell", head: 5 }, ["head"]],
    ["with traits that are no list", { tool: "shell", has: "flag --force" }, ["has"]],
    ["with a list of other things than texts", { tool: "shell", lacks: [{}] }, ["lacks"]],
    [
      "with a name that every object has",
      JSON.parse('{"tool":"shell","constructor":1,"__proto__":2}'),
      ["constructor", "__proto__"],
    ],
  ])("matches nothing: %s", (_, written, parts) => {
    const matcher = written as unknown as Matcher;
    expect(unknownParts(matcher)).toEqual(parts);
    expect(matchesSteps(matcher, steps, new Set())).toBe(false);
    expect(isOpportunity(matcher, steps)).toBe(false);
    expect(needsSituation(matcher)).toBe(false);
  });

  it("is not one with all the parts there are", () => {
    const all = { tool: "shell", head: "npm test", heads: ["x"], has: [], lacks: ["flag --all"] };
    expect(unknownParts({ ...all, command: "npm test", runs: "npm test" })).toEqual([]);
    expect(matchesSteps(all, steps, new Set())).toBe(true);
  });
});

describe("each part of a matcher", () => {
  const call = (tool: string, input: object) => parseSteps({ tool, input, cwd: "/w", workspace: "/w" });
  const line = (command: string) => call("Bash", { command });
  const fits = (matcher: Matcher, steps: readonly Step[], state: readonly string[] = []) =>
    matchesSteps(matcher, steps, new Set(state));

  it("must hold: the tool", () => {
    expect(fits({ tool: "Read" }, call("Read", { file_path: "/w/a" }))).toBe(true);
    expect(fits({ tool: "Read" }, call("Write", { file_path: "/w/a" }))).toBe(false);
    expect(fits({ tool: "edits" }, call("Edit", { file_path: "/w/a" }))).toBe(true);
  });

  it("must hold: the whole command, where the line is about it", () => {
    const matcher = { tool: "shell", command: "npm test" };
    expect(fits(matcher, line("npm   test"))).toBe(true);
    expect(fits(matcher, line("npm test --watch"))).toBe(false);
    expect(fits(matcher, line("npm test && make"))).toBe(false);
    expect(fits(matcher, line("make && npm test"))).toBe(true);
  });

  it("must hold: the head, in any of its spellings", () => {
    const matcher = { tool: "shell", head: "pytest", heads: ["python -m pytest"] };
    expect(matchesHead(matcher, "pytest")).toBe(true);
    expect(matchesHead(matcher, "python -m pytest")).toBe(true);
    expect(matchesHead(matcher, "pytest -x")).toBe(false);
    expect(matchesHead(matcher, null)).toBe(false);
    expect(matchesHead({ tool: "shell", heads: ["make"] }, "make")).toBe(false);
    expect(matchesHead({ tool: "shell", head: "npm", has: [anySubcommand] }, "npm test")).toBe(true);
  });

  it("must hold: what a person named", () => {
    expect(fits({ tool: "shell", runs: "git push --force" }, line("git push origin main -f"))).toBe(true);
    expect(fits({ tool: "shell", runs: "git push --force" }, line("git push origin main"))).toBe(false);
  });

  it("must hold: what an edit writes", () => {
    const edit = (text: string) => call("Edit", { file_path: "/w/a.ts", old_string: "x", new_string: text });
    const matcher = { tool: "Edit", has: ["writes console.log"] };
    expect(fits(matcher, edit("console.log(1)"))).toBe(true);
    expect(fits(matcher, edit("writes nothing of it"))).toBe(false);
    expect(fits({ tool: "Read", has: ["writes a"] }, call("Read", { file_path: "/w/a.ts" }))).toBe(false);
    expect(fits({ tool: "Edit", lacks: ["writes console.log"] }, edit("log(1)"))).toBe(true);
  });

  it("must hold: what happened before in the session", () => {
    const edit = call("Edit", { file_path: "/w/a.ts" });
    const matcher = { tool: "Edit", has: [unreadTrait], lacks: ["extension .md"] };
    expect(fits(matcher, edit, [unreadTrait])).toBe(true);
    expect(fits(matcher, edit)).toBe(false);
    expect(fits({ tool: "Edit", lacks: [unreadTrait] }, edit, [unreadTrait])).toBe(false);
    expect(needsSituation(matcher)).toBe(true);
    expect(needsSituation({ tool: "Edit", lacks: [unreadTrait] })).toBe(true);
    expect(needsSituation({ tool: "Edit", has: ["extension .md"] })).toBe(false);
    expect(needsSituation({ tool: "Edit" })).toBe(false);
    expect(stripSituation({ ...matcher, lacks: [unreadTrait, "extension .md"] })).toEqual({
      tool: "Edit",
      has: [],
      lacks: ["extension .md"],
    });
    expect(stripSituation({ tool: "Edit" })).toEqual({ tool: "Edit", has: [], lacks: [] });
  });

  it("names the heads of its command, and none where any is meant", () => {
    expect(matcherHeads({ tool: "shell", head: "pytest", heads: ["python -m pytest"] })).toEqual([
      "pytest",
      "python -m pytest",
    ]);
    expect(matcherHeads({ tool: "shell", head: "npm test", command: "make" })).toEqual(["npm test"]);
    expect(matcherHeads({ tool: "shell", command: "npm test --watch" })).toEqual(["npm test"]);
    expect(matcherHeads({ tool: "shell", runs: "git push --force" })).toEqual(["git push"]);
    expect(matcherHeads({ tool: "shell", command: " " })).toEqual([]);
    expect(matcherHeads({ tool: "Edit" })).toEqual([]);
  });

  it("has an opportunity where the same was wanted, in any step and in another way, too", () => {
    const tests = { tool: "shell", head: "npm test" };
    expect(isOpportunity(tests, line("make && npm test"))).toBe(true);
    expect(isOpportunity(tests, line("pnpm test"))).toBe(true);
    expect(isOpportunity(tests, line("git push"))).toBe(false);
    expect(isOpportunity(tests, line(" "))).toBe(false);
    expect(isOpportunity(tests, call("Edit", { file_path: "/w/a" }))).toBe(false);
    expect(isOpportunity({ tool: "Edit" }, call("Edit", { file_path: "/w/a" }))).toBe(true);
    expect(isOpportunity({ tool: "Edit" }, call("Read", { file_path: "/w/a" }))).toBe(false);
  });

  it("is named to the owner where it cannot be read", () => {
    expect(describeUnknownParts(["program", "under"])).toBe(
      'its matcher contains "program", "under", which this version of oldhand does not know, so it matches no call; update oldhand or correct the rule',
    );
  });
});
