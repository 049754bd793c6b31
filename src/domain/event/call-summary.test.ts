import { describe, expect, it } from "vitest";
import { failureLine, summariseCall } from "./call-summary.ts";

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

describe("the line of a failed call", () => {
  it("ends with the error, and with the command where there is none", () => {
    const call = { tool: "Bash", input: { command: "nc -z localhost 81" } };
    expect(failureLine({ ...call, error: "refused" })).toBe("failed: nc -z localhost 81: refused");
    expect(failureLine({ ...call, error: "" })).toBe("failed: nc -z localhost 81");
  });
});
