import { describe, expect, it } from "vitest";
import { callingSession } from "../../src/entrypoints/mcp/calling-session.ts";

const of = (name: string | undefined, env = {}) => callingSession(null, undefined, env, name);

describe("an MCP client that the environment does not name", () => {
  it.each([
    ["claude-code", "claude-code"],
    ["codex-mcp-client", "codex"],
    ["gemini-cli-mcp-client", "gemini"],
    ["Cline", "cline"],
    ["cursor-vscode", "cursor"],
    ["My Client 2", "my-client-2"],
  ])("%s is the agent %s", (name, host) => {
    expect(of(name)).toEqual({ host, session: null });
  });

  it.each([undefined, "", "owner", "Owner", "oldhand", "agent", "hook", "maintenance", "???", "x".repeat(300)])(
    "%s names nobody",
    (name) => {
      expect(of(name)).toBeNull();
    },
  );

  it("is what the environment says, if it says something", () => {
    expect(of("claude-code", { CODEX_THREAD_ID: "t1" })).toEqual({ host: "codex", session: "t1" });
  });
});
