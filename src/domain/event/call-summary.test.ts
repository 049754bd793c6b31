import { describe, expect, it } from "vitest";
import { summariseCall } from "./call-summary.ts";

describe("a call in few words", () => {
  it.each([
    ["Bash", { command: "npm test" }, "npm test"],
    ["shell", { command: ["git", "log", "a b"] }, "git log 'a b'"],
    ["exec_command", { cmd: "ls" }, "ls"],
    ["run_commands", { commands: ["echo attic", "ls"] }, "echo attic\nls"],
    ["Read", { file_path: "/w/a.ts" }, "Read /w/a.ts"],
    ["TodoWrite", {}, "TodoWrite"],
  ])("of %s is what it does: %j", (tool, input, words) => {
    expect(summariseCall({ tool, input })).toBe(words);
  });
});
