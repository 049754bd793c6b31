import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParse } from "../../../lib/json.ts";
import { hookCommand } from "../../wiring/hook-command.ts";
import { planSettings } from "../../wiring/hook-settings.ts";
import type { Found, Place, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const antigravitySetup: Setup = {
  find,
  plan: (place) => [
    planSettings(hooksFile(place), "hooks for PreToolUse, PostToolUse, Stop", (now) => ({
      ...now,
      [NAME]: group(place),
    })),
  ],
  without: (text) => {
    const now = tryParse(text);
    if (!isRecord(now)) return null;
    const { [NAME]: _ours, ...rest } = now;
    return `${JSON.stringify(rest, null, 2)}\n`;
  },
  ...noTranscripts,
  mcp: jsonMcp({
    path: (place) =>
      place.project === null
        ? join(place.userHome, ".gemini", "config", "mcp_config.json")
        : join(place.project, ".agents", "mcp_config.json"),
    at: ["mcpServers"],
  }),
  rulesFiles: () => [{ path: ".agents/rules/oldhand.md", head: "---\ntrigger: always_on\n---\n\n" }],
  probe: ({ session, cwd }) => ({
    [SESSION]: session,
    workspacePaths: [cwd],
    stepIdx: 1,
    toolCall: { name: "run_command", args: { CommandLine: "echo hello", Cwd: cwd } },
    error: "",
  }),
};

/** Antigravity's word for it. */
const SESSION = "conversationId";

/** Hooks stand in groups with names, and this one is ours. */
const NAME = "oldhand";

function group(place: Place): Readonly<Record<string, unknown>> {
  // In seconds.
  const hook = (silence: string) => ({ type: "command", command: hookCommand(place, silence), timeout: 5 });
  const calls = (silence: string) => [{ matcher: "*", hooks: [hook(silence)] }];
  return { PreToolUse: calls('{"decision":"allow"}'), PostToolUse: calls("{}"), Stop: [hook("{}")] };
}

/** Gemini CLI has the same folder: only what is Antigravity's own in it tells. */
function find(place: Place): Found | null {
  const root = join(place.userHome, ".gemini");
  if (!existsSync(root)) return null;
  const own = readdirSync(root).find((name) => name.startsWith("antigravity"));
  return own === undefined ? null : { version: null, folder: join(root, own) };
}

function hooksFile(place: Place): string {
  return place.project === null
    ? join(place.userHome, ".gemini", "config", "hooks.json")
    : join(place.project, ".agents", "hooks.json");
}
