import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { memberAt, withMember, withoutMember } from "../../../lib/json-edit.ts";
import type { Finding, InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { readPiTranscript } from "../../transcripts/pi-transcript.ts";
import { readHostFileText, readHostFileTextIfReadable } from "../../wiring/host-file.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";
import { isFalse, includesName, findSwitchedOffHooks } from "../../wiring/shadows.ts";
import { manifestText, packageText, pluginText } from "./plugin.ts";

export const openclawSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) || isOnPath(target, "openclaw") ? { version: null, folder } : null;
  },
  plan,
  without: removeEntry,
  findings: listFindings,
  transcripts: listTranscripts,
  readTranscript: (path, policy) => readPiTranscript(path, policy, "openclaw"),
  mcp: jsonMcpConfig({
    path: configFile,
    at: ["mcp", "servers"],
  }),
  rulesFiles: listAgentsFile,
  probe: ({ session, cwd }) => ({
    hook: "after_tool_call",
    session,
    cwd,
    tool: "exec",
    toolCallId: `call_${session}`,
    params: { command: "echo hello" },
    content: [{ type: "text", text: "hello" }],
    exitCode: 0,
    status: "completed",
    durationMs: 1,
  }),
};

/** The path in its settings of what a plugin is allowed. */
const ENTRY = ["plugins", "entries", "oldhand"];
/** OpenClaw's name for the permission to see prompts and answers. */
const ACCESS = "allowConversationAccess";

/** A workspace's plugin runs only if the user's own settings name it, so none is written for a repository. */
function plan(target: InstallTarget): readonly PlannedFile[] {
  if (target.project !== null) return [];
  const why = "a plugin that sends prompts and calls to oldhand";
  const texts = { "index.js": pluginText(target), "openclaw.plugin.json": manifestText, "package.json": packageText };
  const files = Object.entries(texts).map(([name, after]): PlannedFile => {
    const path = join(configFolder(target), "extensions", "oldhand", name);
    return { path, before: readHostFileText(path), after, why, way: "plugin" };
  });
  const config = configFile(target);
  const before = config === null ? null : readHostFileText(config);
  const after = before === null ? null : addEntry(before);
  // Settings that cannot be edited safely are left to the user; a finding says what is missing.
  if (config === null || after === null) return files;
  return [...files, { path: config, before, after, why: "the plugin may see prompts and answers", way: "plugin" }];
}

/** Keeps what the user set for the plugin, for example that it is off. */
function addEntry(text: string): string | null {
  const there = memberAt(text, ENTRY);
  const entry = isRecord(there) ? there : {};
  const hooks = isRecord(entry["hooks"]) ? entry["hooks"] : {};
  if ("enabled" in entry && ACCESS in hooks) return text;
  return withMember(text, ENTRY, { enabled: true, ...entry, hooks: { [ACCESS]: true, ...hooks } });
}

function removeEntry(text: string): string | null {
  if (text.startsWith("// Written by oldhand.")) return "";
  if (/^Written by oldhand[.:]/.test(String(memberAt(text, ["description"])))) return "";
  const rest = withoutMember(text, ENTRY);
  // Parents that are empty now are removed too.
  return rest === null ? null : [["plugins", "entries"], ["plugins"]].reduce(removeEmpty, rest);
}

function removeEmpty(text: string, path: readonly string[]): string {
  const there = memberAt(text, path);
  return isRecord(there) && Object.keys(there).length === 0 ? (withoutMember(text, path) ?? text) : text;
}

function listFindings(target: InstallTarget): readonly Finding[] {
  const config = configFile(target);
  if (config === null || !existsSync(join(configFolder(target), "extensions", "oldhand", "index.js"))) return [];
  const off = findSwitchedOffHooks(
    "OpenClaw",
    [config],
    [
      { key: "plugins.enabled", stops: isFalse },
      { key: "plugins.deny", stops: includesName("oldhand") },
      { key: "plugins.allow", stops: (value) => Array.isArray(value) && !value.includes("oldhand") },
      { key: "plugins.entries.oldhand.enabled", stops: isFalse },
    ],
  );
  if (memberAt(readHostFileTextIfReadable(config) ?? "", [...ENTRY, "hooks", ACCESS]) === true) return off;
  return [
    ...off,
    {
      level: "note",
      what: `OpenClaw: ${config} does not let the plugin see prompts, so rules are shown only with calls`,
      hint: "set plugins.entries.oldhand to { enabled: true, hooks: { allowConversationAccess: true } } there",
    },
  ];
}

/** Only if it exists: if we created it, it would be the user's whole configuration. */
function configFile(target: InstallTarget): string | null {
  const path = join(configFolder(target), "openclaw.json");
  return target.project === null && existsSync(path) ? path : null;
}

function configFolder(target: InstallTarget): string {
  return target.env["OPENCLAW_STATE_DIR"] || join(target.userHome, ".openclaw");
}

/** Each of its agents has its own sessions. */
function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(configFolder(target), "agents");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /^[^\\/]+[\\/]sessions[\\/][^\\/]+\.jsonl$/.test(name))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
