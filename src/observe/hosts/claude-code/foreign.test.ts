import { describe, expect, it } from "vitest";
import copilot from "./fixtures/by-copilot.json" with { type: "json" };
import { claudeCodeProtocol } from "./protocol.ts";

const own = {
  session_id: "s",
  hook_event_name: "Stop",
  transcript_path: "/home/kim/.claude/projects/-home-kim-shop/s.jsonl",
};

describe("hooks of Claude Code that another host runs", () => {
  it("are not heard: Copilot CLI tells these through hooks of its own", () => {
    for (const payload of [...copilot.PreToolUse, ...copilot.PostToolUse])
      expect(claudeCodeProtocol.decode(payload, {})).not.toEqual([]);
    for (const payload of [...copilot.PreToolUse, ...copilot.PostToolUse, ...copilot.Stop]) {
      expect(claudeCodeProtocol.decode(payload, { COPILOT_CLI: "1", CLAUDE_PROJECT_DIR: "/home/kim/shop" })).toEqual(
        [],
      );
    }
  });

  it.each(["CURSOR_VERSION", "GEMINI_SESSION_ID", "QWEN_CODE_SESSION_ID", "FACTORY_PROJECT_DIR"])(
    "are not heard where %s is set",
    (name) => {
      for (const path of [
        undefined,
        "",
        "/home/kim/.qwen/projects/-home-kim-shop/chats/s.jsonl",
        "/home/kim/.factory/sessions/-home-kim-shop/s.jsonl",
        "/home/kim/.cursor/projects/shop/agent-transcripts/s/s.jsonl",
      ])
        expect(claudeCodeProtocol.decode({ ...own, transcript_path: path }, { [name]: "x" })).toEqual([]);
    },
  );

  it("are not heard from VS Code, which tells the time with them", () => {
    const path = "/home/kim/.config/Code/User/workspaceStorage/1f/GitHub.copilot-chat/transcripts/s.jsonl";
    const payload = { ...own, transcript_path: path, timestamp: "2026-11-15T12:00:00.000Z" };
    expect(claudeCodeProtocol.decode(payload, {})).toEqual([]);
    expect(claudeCodeProtocol.decode({ ...own, timestamp: payload.timestamp }, {})).toHaveLength(1);
  });

  it("are Claude Code's own where it was started in the shell of another host", () => {
    expect(claudeCodeProtocol.decode(own, { COPILOT_CLI: "1" })).toHaveLength(1);
    expect(
      claudeCodeProtocol.decode(
        { ...own, transcript_path: "C:\\kim\\.claude\\projects\\shop\\s.jsonl" },
        { CURSOR_VERSION: "3" },
      ),
    ).toHaveLength(1);
  });
});
