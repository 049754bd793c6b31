import { claudeCode } from "../client.ts";
import type { DrivenHost } from "../driven.ts";

/** The newest tested version; its hooks come with a plugin. */
export const newestClaudeCode = driven("2.1.325");
/** A version whose plugins cannot contain our hooks. */
export const oldClaudeCode = driven("2.1.63");
export const claudeCodes: readonly DrivenHost[] = [newestClaudeCode, oldClaudeCode];

function driven(version: string): DrivenHost {
  return {
    name: "claude-code",
    client: claudeCode(version),
    prepare: (lab) => {
      const allow = [
        ...["git", "echo", "touch", "sh", "oldhand", "./bin/rel"].map((head) => `Bash(${head}:*)`),
        "Read",
        ...["remember", "mistake"].map((name) => `mcp__plugin_oldhand_oldhand__${name}`),
      ];
      lab.write(JSON.stringify({ permissions: { allow } }), ".claude", "settings.json");
    },
    shell: (command) => ({ tool: "Bash", input: { command, description: "as asked" } }),
    // The old version has our hooks in its settings, and no MCP server.
    tool: (name, input) => (version === "2.1.63" ? null : { tool: `mcp__plugin_oldhand_oldhand__${name}`, input }),
    again: (session, prompt) => ({ prompt, flags: ["--resume", session] }),
  };
}
