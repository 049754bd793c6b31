import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { planSettings } from "../../wiring/hook-settings.ts";
import type { DetectedHost, InstallTarget, Setup } from "../../protocol/host.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const antigravitySetup: Setup = {
  detect,
  plan: (target) => [
    planSettings(hooksFile(target), "hooks for PreToolUse, PostToolUse, Stop", (now) => ({
      ...now,
      [NAME]: buildHookGroup(target),
    })),
  ],
  without: (text) => {
    const now = tryParseJson(text);
    if (!isRecord(now)) return null;
    const { [NAME]: _ours, ...rest } = now;
    return `${JSON.stringify(rest, null, 2)}\n`;
  },
  ...noTranscripts,
  mcp: jsonMcpConfig({
    path: (target) =>
      target.project === null
        ? join(target.userHome, ".gemini", "config", "mcp_config.json")
        : join(target.project, ".agents", "mcp_config.json"),
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

/** Antigravity's name for the session. */
const SESSION = "conversationId";

/** Hooks are in named groups; this one is ours. */
const NAME = "oldhand";

function buildHookGroup(target: InstallTarget): Readonly<Record<string, unknown>> {
  // In seconds.
  const hook = (silence: string) => ({ type: "command", command: buildHookCommandLine(target, silence), timeout: 5 });
  const calls = (silence: string) => [{ matcher: "*", hooks: [hook(silence)] }];
  return { PreToolUse: calls('{"decision":"allow"}'), PostToolUse: calls("{}"), Stop: [hook("{}")] };
}

/** Gemini CLI has the same folder, so only Antigravity's own files in it count. */
function detect(target: InstallTarget): DetectedHost | null {
  const root = join(target.userHome, ".gemini");
  if (!existsSync(root)) return null;
  const own = readdirSync(root).find((name) => name.startsWith("antigravity"));
  return own === undefined ? null : { version: null, folder: join(root, own) };
}

function hooksFile(target: InstallTarget): string {
  return target.project === null
    ? join(target.userHome, ".gemini", "config", "hooks.json")
    : join(target.project, ".agents", "hooks.json");
}
