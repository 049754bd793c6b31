import { describe, expect, it } from "vitest";
import { stepsOf } from "../shell/step.ts";
import { anySubcommand, asksSituation, isOpportunity, matches, unknownParts } from "./matcher.ts";
import type { Matcher } from "./rule.ts";
import { inWords } from "./rule-sentence.ts";

describe("a matcher of a program with any subcommand", () => {
  const npm = { tool: "shell", head: "npm", has: [anySubcommand] };
  const steps = (command: string) => stepsOf({ tool: "Bash", input: { command }, cwd: "/w", workspace: "/w" });
  const fits = (command: string) => matches(npm, steps(command), new Set());

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
    expect(matches({ tool: "shell", head: "npm" }, steps("npm install"), new Set())).toBe(false);
  });

  it("is said as a person would", () => expect(inWords(npm)).toBe("`npm` with any subcommand"));
});

describe("a matcher that is not understood", () => {
  const steps = stepsOf({ tool: "Bash", input: { command: "npm test" }, cwd: "/w", workspace: "/w" });

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
    expect(matches(matcher, steps, new Set())).toBe(false);
    expect(isOpportunity(matcher, steps)).toBe(false);
    expect(asksSituation(matcher)).toBe(false);
  });

  it("is not one with all the parts there are", () => {
    const all = { tool: "shell", head: "npm test", heads: ["x"], has: [], lacks: ["flag --all"] };
    expect(unknownParts({ ...all, command: "npm test", runs: "npm test" })).toEqual([]);
    expect(matches(all, steps, new Set())).toBe(true);
  });
});
