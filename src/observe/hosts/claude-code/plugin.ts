import { join } from "node:path";
import { version } from "../../../version.ts";
import type { Place } from "../../protocol/host.ts";
import { serverCommand } from "../../wiring/mcp-config.ts";
import { hooksFile, keyForHooks } from "./hook-key.ts";
import { commandTexts, skillText } from "./plugin-texts.ts";
import { hookCommand } from "../../wiring/hook-command.ts";

/** How the client names our plugin: itself, in the marketplace of the same name. */
export const PLUGIN = "oldhand";
export const PLUGIN_ID = `${PLUGIN}@${PLUGIN}`;

export interface PluginFile {
  readonly path: string;
  readonly text: string;
}

/** The folder that the client takes for a marketplace. It runs the plugin from there, so a new install is all an upgrade needs. */
export function marketplaceFolder(place: Pick<Place, "home">): string {
  return join(place.home, "hosts", "claude-code");
}

export function pluginFiles(place: Place): readonly PluginFile[] {
  const market = marketplaceFolder(place);
  const plugin = join(market, "plugins", PLUGIN);
  return [
    { path: join(market, ".claude-plugin", "marketplace.json"), text: json(marketplace) },
    {
      path: join(plugin, ".claude-plugin", "plugin.json"),
      text: json({ name: PLUGIN, version, description, license: "MIT" }),
    },
    { path: hooksFile(place.home), text: json({ description, hooks: hooks(place) }) },
    { path: join(plugin, ".mcp.json"), text: json({ mcpServers: { [PLUGIN]: serverCommand(place) } }) },
    { path: join(plugin, "skills", PLUGIN, "SKILL.md"), text: skillText },
    ...Object.entries(commandTexts(place)).map(([name, text]) => ({
      path: join(plugin, "commands", `${name}.md`),
      text,
    })),
  ];
}

const description = "Remembers which calls keep failing, and says so before they are made again.";

const marketplace = {
  name: PLUGIN,
  owner: { name: PLUGIN },
  description: "Made by `oldhand install`; `oldhand uninstall` removes it.",
  plugins: [{ name: PLUGIN, source: `./plugins/${PLUGIN}`, description }],
};

/** The server that lives as long as the session answers its hooks: no process for a call, no port, no daemon. */
const heardByServer = [
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "SubagentStart",
  "Stop",
] as const;

/** Then there is no server yet, or no longer. */
const heardByProcess = ["SessionStart", "SessionEnd"] as const;

/** What is not named here is not sent; what an event lacks comes as empty text. */
const fields = [
  "session_id",
  "transcript_path",
  "cwd",
  "prompt_id",
  "agent_id",
  "effort",
  "prompt",
  "tool_name",
  "tool_input",
  "tool_use_id",
  "tool_response",
  "error",
  "duration_ms",
  "tool_calls",
  "stop_hook_active",
] as const;

function hooks(place: Place): object {
  const key = keyForHooks(place.home);
  const process = [{ hooks: [{ type: "command", command: hookCommand(place), timeout: TIMEOUT_SECONDS }] }];
  return {
    ...Object.fromEntries(heardByProcess.map((event) => [event, process])),
    ...Object.fromEntries(heardByServer.map((event) => [event, [{ hooks: [toolCall(event, key)] }]])),
  };
}

/** Ours end in a fraction of this; the limit is for a machine that hangs. */
const TIMEOUT_SECONDS = 5;

function toolCall(event: string, key: string): object {
  const input = Object.fromEntries(fields.map((field) => [field, `\${${field}}`]));
  return {
    type: "mcp_tool",
    server: `plugin:${PLUGIN}:${PLUGIN}`,
    tool: "hook",
    input: { host: "claude-code", key, hook_event_name: event, ...input },
    timeout: TIMEOUT_SECONDS,
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
