import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { plural } from "../../../lib/text.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { readHostFileTextIfReadable } from "../../wiring/host-file.ts";
import { planHooks, removeHooks } from "../../wiring/hook-settings.ts";
import type { CommandFile, Finding, InstallTarget, Setup } from "../../protocol/host.ts";
import { tomlMcpConfig } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { COMMAND_FILE_NOTE, skillCommands } from "../../wiring/person-commands.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";
import { shadowFinding } from "../../wiring/shadows.ts";
import { isTranscript, readTranscript } from "./transcript.ts";
import { isTrusted, listTrustEntries } from "./trust.ts";

export const codexSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) || isOnPath(target, "codex") ? { version: null, folder } : null;
  },
  plan: (target) => [
    planHooks({
      host: "codex",
      path: hooksFile(target),
      events,
      // The same for every version of oldhand: with another command or timeout, the user would have to trust it
      // again. Three seconds is the limit for the end of a session; with more, Codex warns at every start.
      hook: { type: "command", command: buildHookCommandLine(target), timeout: 3 },
    }),
  ],
  without: (text) => removeHooks(text, "codex"),
  findings: listFindings,
  transcripts: listTranscripts,
  isTranscript,
  readTranscript,
  mcp: tomlMcpConfig({
    path: (target) => (target.project === null ? join(configFolder(target), "config.toml") : null),
    table: "mcp_servers",
  }),
  commands: listCommandFiles,
  rulesFiles: listAgentsFile,
  probe: ({ session, cwd }) => ({
    session_id: session,
    turn_id: session,
    transcript_path: null,
    cwd,
    hook_event_name: "PostToolUse",
    model: "none",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command: "echo hello" },
    tool_response: "hello\n",
    tool_use_id: `call_${session}`,
  }),
};

const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"] as const;

/**
 * Codex silently skips hooks that the user has not reviewed. The review is the user's to do, so we do not bypass it.
 */
function listFindings(target: InstallTarget): readonly Finding[] {
  const path = hooksFile(target);
  const text = readHostFileTextIfReadable(path);
  if (text === null) return [];
  const config = join(configFolder(target), "config.toml");
  const settings = readHostFileTextIfReadable(config) ?? "";
  const names = [...new Set([path, realpathSync(path)])];
  const entries = names.map((name) => listTrustEntries(name, text));
  // Not worth a TOML parser.
  const off = /^\s*\[features\][^[]*^\s*(?:codex_)?hooks\s*=\s*false\b/m.test(settings)
    ? [shadowFinding(`Codex: hooks are disabled in ${config} (features.hooks)`, "set it to true")]
    : [];
  const waiting = (entries[0] ?? []).filter((_, i) => !entries.some((of) => of[i] && isTrusted(settings, of[i])));
  if (waiting.length === 0) return off;
  return [
    ...off,
    {
      level: "problem",
      about: "untrusted",
      what: `Codex: ${plural(waiting.length, "hook")} of oldhand in ${path} ${waiting.length === 1 ? "is" : "are"} not trusted yet, so Codex skips ${waiting.length === 1 ? "it" : "them"} (${waiting.map((entry) => entry.event).join(", ")})`,
      hint: "start codex and trust them: it shows them at start, and later with /hooks",
    },
  ];
}

function hooksFile(target: InstallTarget): string {
  const folder = target.project === null ? configFolder(target) : join(target.project, ".codex");
  return join(folder, "hooks.json");
}

function configFolder(target: InstallTarget): string {
  return target.env["CODEX_HOME"] || join(target.userHome, ".codex");
}

/** The names of files and folders begin with their time, so they sort by it. */
function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(configFolder(target), "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /^rollout-.*\.jsonl$/.test(basename(name)))
    .toSorted()
    .map((name) => join(root, name));
}

/** Codex no longer has command files; the user calls a skill by name. The second file forbids the model to call it. */
function listCommandFiles(target: InstallTarget): readonly CommandFile[] {
  return skillCommands(target, join(configFolder(target), "skills"), { sign: "$" }).flatMap((skill) => [
    skill,
    {
      path: join(dirname(skill.path), "agents", "openai.yaml"),
      text: `# ${COMMAND_FILE_NOTE}\npolicy:\n  allow_implicit_invocation: false\n`,
    },
  ]);
}
