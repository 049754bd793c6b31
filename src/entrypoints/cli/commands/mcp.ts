import type { CliCommand } from "../parts/command.ts";

export const mcpCommand: CliCommand = {
  name: "mcp",
  summary: "Runs an MCP server on stdio, for agents.",
  usage: "mcp",
  words: 0,
  flags: [],
  run: async (_words, _values, globals) => {
    const { serveMcp } = await import("../../mcp/serve.ts");
    await serveMcp({ home: globals.home, now: globals.now });
    return 0;
  },
};
