import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { plural } from "../../../lib/text.ts";
import { hookCommand } from "../../wiring/hook-command.ts";
import { hostTextSeen } from "../../wiring/host-file.ts";
import { planHooks, withoutHooks } from "../../wiring/hook-settings.ts";
import type { CommandFile, Finding, Place, Setup } from "../../protocol/host.ts";
import { tomlMcp } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { NOTE, skillCommands } from "../../wiring/person-commands.ts";
import { agentsFile } from "../../wiring/rules-files.ts";
import { shadow } from "../../wiring/shadows.ts";
import { isTranscript, readTranscript } from "./transcript.ts";
import { isTrusted, trustEntries } from "./trust.ts";

export const codexSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) || isOnPath(place, "codex") ? { version: null, folder } : null;
  },
  plan: (place) => [
    planHooks({
      host: "codex",
      path: hooksFile(place),
      events,
      // The same for every version of ours: another command or time, and its user has to trust it anew. Three seconds
      // is the most that the end of a session may take; with more, Codex warns at every start.
      hook: { type: "command", command: hookCommand(place), timeout: 3 },
    }),
  ],
  without: (text) => withoutHooks(text, "codex"),
  findings,
  transcripts,
  isTranscript,
  readTranscript,
  mcp: tomlMcp({
    path: (place) => (place.project === null ? join(configFolder(place), "config.toml") : null),
    table: "mcp_servers",
  }),
  commands,
  rulesFiles: agentsFile,
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

/** Codex passes over hooks that its user has not reviewed, and says nothing of it. That review is not ours to skip. */
function findings(place: Place): readonly Finding[] {
  const path = hooksFile(place);
  const text = hostTextSeen(path);
  if (text === null) return [];
  const config = join(configFolder(place), "config.toml");
  const settings = hostTextSeen(config) ?? "";
  const names = [...new Set([path, realpathSync(path)])];
  const entries = names.map((name) => trustEntries(name, text));
  // A TOML reader is a lot for one question.
  const off = /^\s*\[features\][^[]*^\s*(?:codex_)?hooks\s*=\s*false\b/m.test(settings)
    ? [shadow(`Codex: hooks are switched off in ${config} (features.hooks)`, "set it to true, if they shall run")]
    : [];
  const waiting = (entries[0] ?? []).filter((_, i) => !entries.some((of) => of[i] && isTrusted(settings, of[i])));
  if (waiting.length === 0) return off;
  return [
    ...off,
    {
      level: "problem",
      about: "untrusted",
      what: `Codex: ${plural(waiting.length, "hook")} of oldhand in ${path} ${waiting.length === 1 ? "is" : "are"} not trusted yet, and Codex skips what is not (${waiting.map((entry) => entry.event).join(", ")})`,
      hint: "start codex: it shows them for review when it starts, and later with /hooks; trust them there",
    },
  ];
}

function hooksFile(place: Place): string {
  const folder = place.project === null ? configFolder(place) : join(place.project, ".codex");
  return join(folder, "hooks.json");
}

function configFolder(place: Place): string {
  return place.env["CODEX_HOME"] || join(place.userHome, ".codex");
}

/** Their names begin with their time, so do the folders. */
function transcripts(place: Place): readonly string[] {
  const root = join(configFolder(place), "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /^rollout-.*\.jsonl$/.test(basename(name)))
    .toSorted()
    .map((name) => join(root, name));
}

/** Codex has no commands as files any more; its user calls a skill by name. Beside each stands that the model may not. */
function commands(place: Place): readonly CommandFile[] {
  return skillCommands(place, join(configFolder(place), "skills"), { sign: "$" }).flatMap((skill) => [
    skill,
    {
      path: join(dirname(skill.path), "agents", "openai.yaml"),
      text: `# ${NOTE}\npolicy:\n  allow_implicit_invocation: false\n`,
    },
  ]);
}
