import { describe, expect, it } from "vitest";
import { dropContradicted } from "./contradiction.ts";
import type { Matcher, ActiveRule } from "../rule.ts";

type Spoken = Parameters<typeof dropContradicted>[1][number];

function rule(id: string, text: string, matcher: Matcher, over: Partial<ActiveRule> = {}): Spoken {
  const scope = { kind: "workspace", workspace: "/w" } as const;
  return { id, text, matcher, level: "nudge", salience: 0.5, scope, origin: "tool", ...over };
}

const left = (rules: readonly Spoken[]) => dropContradicted(rules, rules).map((one) => one.id);

describe("a rule whose advice another warns against", () => {
  const owners = rule(
    "owners",
    "No bun tests.",
    { tool: "shell", runs: "bun run test" },
    { level: "deny", origin: "owner" },
  );
  const runTest = { tool: "shell", head: "rtk bun" } as const;

  it.each([
    "Use `bun run test` here: `rtk bun` is not a command (failed 4 of 4).",
    "Run `bun` without `rtk` here, such as `bun run test`: `rtk bun` is not a command (failed 4 of 4).",
  ])("is left out, however it words its advice: %s", (text) => {
    expect(left([rule("mined", text, runTest), owners])).toEqual(["owners"]);
  });

  it("stays beside one that warns against something else", () => {
    const text = "Use `bun run lint` here: `rtk bun` is not a command (failed 4 of 4).";
    expect(left([rule("mined", text, runTest), owners])).toEqual(["mined", "owners"]);
  });
});
