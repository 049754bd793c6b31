import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { plural } from "../../../lib/text.ts";
import type { Finding, InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { readHostFileText, readHostFileTextIfReadable } from "../../wiring/host-file.ts";
import { yamlMcpConfig } from "../../wiring/mcp-config.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";
import { removeYamlHooks, addYamlHooks, findYamlCommands } from "../../wiring/yaml-hooks.ts";
import { readTranscript } from "./transcript.ts";

export const hermesSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan,
  without: (text) => removeYamlHooks(text, hooks),
  findings: listFindings,
  transcripts: (target) => [join(configFolder(target), "state.db")].filter((file) => existsSync(file)),
  readTranscript,
  mcp: yamlMcpConfig({
    path: configFile,
    key: "mcp_servers",
  }),
  rulesFiles: listAgentsFile,
  probe: ({ session, cwd }) => ({
    hook_event_name: "post_tool_call",
    tool_name: "terminal",
    tool_input: { command: "echo hello" },
    session_id: session,
    cwd,
    extra: { tool_call_id: `call_${session}`, result: '{"output":"hello","exit_code":0}', duration_ms: 1 },
  }),
};

const hooks = { key: "hooks", host: "hermes" };
const events = ["pre_llm_call", "pre_tool_call", "post_tool_call", "on_session_end", "on_session_finalize"] as const;

/** In seconds. If a hook fails or times out, the call passes; `fail_closed` is never set. */
const TIMEOUT = 5;

function plan(target: InstallTarget): readonly PlannedFile[] {
  const path = configFile(target);
  const before = path === null ? null : readHostFileText(path);
  if (path === null || before === null) return [];
  const fields = [`command: ${JSON.stringify(buildHookCommandLine(target))}`, `timeout: ${TIMEOUT}`];
  const after = addYamlHooks(before, hooks, { events, fields });
  return after === null ? [] : [{ path, before, after, why: `hooks for ${events.join(", ")}` }];
}

/**
 * Hermes asks its user once about every hook, at a terminal. Without a terminal, it skips hooks that were not
 * allowed.
 */
function listFindings(target: InstallTarget): readonly Finding[] {
  const path = configFile(target);
  const text = path === null ? null : readHostFileTextIfReadable(path);
  if (path === null || text === null) return target.project === null ? [notConfiguredFinding] : [];
  if (addYamlHooks(text, hooks, { events, fields: ["command: x"] }) === null) return [notEditedFinding(path)];
  const commands = findYamlCommands(text, "hermes");
  const isAccepted = /^hooks_auto_accept:\s*(?:true|yes|on)\b/im.test(text);
  const allowed = readApprovals(join(configFolder(target), "shell-hooks-allowlist.json"));
  const waiting = events.filter((event) => !commands.some((command) => allowed.has(`${event} ${command}`)));
  if (commands.length === 0 || isAccepted || waiting.length === 0) return [];
  return [
    {
      level: "problem",
      about: "untrusted",
      what: `Hermes: ${plural(waiting.length, "hook")} of oldhand ${waiting.length === 1 ? "is" : "are"} not allowed yet, so Hermes skips ${waiting.length === 1 ? "it" : "them"} (${waiting.join(", ")})`,
      hint: "start hermes in a terminal and answer y to each, or start it once with --accept-hooks",
    },
  ];
}

const notConfiguredFinding: Finding = {
  level: "note",
  what: "Hermes: there is no config.yaml yet, so no hooks were written",
  hint: "start hermes once, then: oldhand install hermes",
};

function notEditedFinding(path: string): Finding {
  return {
    level: "note",
    what: `Hermes: oldhand cannot edit the hooks in ${path} safely, so its own hooks are missing`,
    hint: "write each event's hooks as a list, one item to a line, then: oldhand install hermes",
  };
}

function readApprovals(path: string): ReadonlySet<string> {
  const file = tryParseJson(readHostFileTextIfReadable(path) ?? "");
  const approvals = isRecord(file) && Array.isArray(file["approvals"]) ? file["approvals"].filter(isRecord) : [];
  return new Set(approvals.map(({ event, command }) => `${String(event)} ${String(command)}`));
}

/** Only if it exists: if we created it, it would be the user's whole configuration. */
function configFile(target: InstallTarget): string | null {
  const path = join(configFolder(target), "config.yaml");
  return target.project === null && existsSync(path) ? path : null;
}

function configFolder(target: InstallTarget): string {
  return target.env["HERMES_HOME"] || join(target.userHome, ".hermes");
}
