import { describe, expect, it } from "vitest";
import { stepsOf } from "../shell/step.ts";
import { anySubcommand, isOpportunity, matches } from "./matcher.ts";
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
