import { join } from "node:path";
import { version } from "../../../version.ts";
import type { InstallTarget } from "../../protocol/host.ts";
import { buildServerCommand } from "../../wiring/mcp-config.ts";
import { pluginHooksFile, getOrMakeHookKey } from "./hook-key.ts";
import { renderCommandFiles, skillText } from "./plugin-texts.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";

/** The plugin's name in the client: the plugin and its marketplace have the same name. */
export const PLUGIN_NAME = "oldhand";
export const PLUGIN_ID = `${PLUGIN_NAME}@${PLUGIN_NAME}`;

export interface PluginFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The folder that the client uses as a marketplace. It runs the plugin from there, so an upgrade only needs a new
 * install.
 */
export function marketplaceFolder(target: Pick<InstallTarget, "home">): string {
  return join(target.home, "hosts", "claude-code");
}

export function listPluginFiles(target: InstallTarget): readonly PluginFile[] {
  const market = marketplaceFolder(target);
  const plugin = join(market, "plugins", PLUGIN_NAME);
  return [
    { path: join(market, ".claude-plugin", "marketplace.json"), text: toJson(marketplace) },
    {
      path: join(plugin, ".claude-plugin", "plugin.json"),
      text: toJson({ name: PLUGIN_NAME, version, description, license: "MIT" }),
    },
    { path: pluginHooksFile(target.home), text: toJson({ description, hooks: buildHooks(target) }) },
    { path: join(plugin, ".mcp.json"), text: toJson({ mcpServers: { [PLUGIN_NAME]: buildServerCommand(target) } }) },
    { path: join(plugin, "skills", PLUGIN_NAME, "SKILL.md"), text: skillText },
    ...Object.entries(renderCommandFiles(target)).map(([name, text]) => ({
      path: join(plugin, "commands", `${name}.md`),
      text,
    })),
  ];
}

const description = "Remembers which calls keep failing, and warns before they are repeated.";

const marketplace = {
  name: PLUGIN_NAME,
  owner: { name: PLUGIN_NAME },
  description: "Written by `oldhand install`; `oldhand uninstall` removes it.",
  plugins: [{ name: PLUGIN_NAME, source: `./plugins/${PLUGIN_NAME}`, description }],
};

/** Replied to by the MCP server, which lives as long as the session: no process per call, no port, no daemon. */
const serverHookEvents = [
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "SubagentStart",
  "Stop",
] as const;

/** At these events the server does not run yet, or no longer. */
const processHookEvents = ["SessionStart", "SessionEnd"] as const;

/** Only these fields are sent; a field that an event lacks arrives as empty text. */
const payloadFields = [
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

function buildHooks(target: InstallTarget): object {
  const key = getOrMakeHookKey(target.home);
  const process = [{ hooks: [{ type: "command", command: buildHookCommandLine(target), timeout: TIMEOUT_SECONDS }] }];
  return {
    ...Object.fromEntries(processHookEvents.map((event) => [event, process])),
    ...Object.fromEntries(serverHookEvents.map((event) => [event, [{ hooks: [buildToolHook(event, key)] }]])),
  };
}

/** Our hooks take a fraction of this; the limit is for a hanging machine. */
const TIMEOUT_SECONDS = 5;

function buildToolHook(event: string, key: string): object {
  const input = Object.fromEntries(payloadFields.map((field) => [field, `\${${field}}`]));
  return {
    type: "mcp_tool",
    server: `plugin:${PLUGIN_NAME}:${PLUGIN_NAME}`,
    tool: "hook",
    input: { host: "claude-code", key, hook_event_name: event, ...input },
    timeout: TIMEOUT_SECONDS,
  };
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
