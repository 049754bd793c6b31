import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { OldhandError } from "../../../lib/errors.ts";
import { isRecord, stableJson, tryParse } from "../../../lib/json.ts";
import { nameTwice } from "../../../lib/json-edit.ts";
import type { Finding, Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { hookCommand } from "../../wiring/hook-command.ts";
import { hostText } from "../../wiring/host-file.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { pluginFiles } from "./plugin.ts";
import { projectFiles, shadows } from "./shadows.ts";
import { lineReader, readTranscript } from "./transcript.ts";
import { without, withHooks, withInstalledPlugin, withMarketplace, withPlugin } from "./wired-files.ts";

export const claudeCodeSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) || isOnPath(place, "claude") ? { version: versionOf(place), folder } : null;
  },
  plan,
  without,
  findings: (place) => [...shadows(place, configFolder(place)), ...whyHooks(place)],
  hookFiles: (place) => [join(configFolder(place), "settings.json"), ...projectFiles(place)],
  transcripts,
  readTranscript,
  lineReader,
  rulesFiles: () => [{ path: "CLAUDE.md" }],
  probe: ({ session, cwd }) => ({
    session_id: session,
    cwd,
    permission_mode: "default",
    effort: { level: "medium" },
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "echo hello", description: "a self-test" },
    tool_response: { stdout: "hello", stderr: "", interrupted: false, isImage: false },
    tool_use_id: `toolu_${session}`,
    duration_ms: 1,
  }),
};

/** The first whose plugins can answer hooks from their server, and that knows of batches. Before it, either drops the whole settings file. */
const PLUGINS_SINCE = [2, 1, 136] as const;

/** Known to every version that is about: one unknown event makes an old one drop the whole file, silently. */
const events = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "SessionEnd",
] as const;

function plan(place: Place): readonly PlannedFile[] {
  const version = versionOf(place);
  const modern = isAtLeast(version, PLUGINS_SINCE);
  // A plugin is for its user everywhere: one repository gets hooks in its own settings.
  return modern && place.project === null ? pluginPlan(place, version ?? "") : [hooksPlan(place, modern)];
}

/** Why the hooks are commands where a plugin would do more, and what to do for it. */
function whyHooks(place: Place): readonly Finding[] {
  if (place.project !== null) return [];
  const version = versionOf(place);
  if (isAtLeast(version, PLUGINS_SINCE)) return [];
  const why =
    version === null
      ? "the program `claude` was not found, so its version is not known"
      : `version ${version} has no plugins that can answer hooks`;
  const first =
    version === null ? "put `claude` on the PATH" : `upgrade Claude Code to ${PLUGINS_SINCE.join(".")} or later`;
  return [
    {
      level: "note",
      what: `Claude Code gets command hooks, not the plugin: ${why}`,
      hint: `for the plugin, which is faster and brings MCP tools and the /oldhand: commands, ${first}, then: oldhand install claude-code`,
    },
  ];
}

function hooksPlan(place: Place, modern: boolean): PlannedFile {
  const path =
    place.project === null
      ? join(configFolder(place), "settings.json")
      : join(place.project, ".claude", place.team === true ? "settings.json" : "settings.local.json");
  // Of a team somebody may have an old version, which would drop the whole file.
  const heard = modern && place.team !== true ? [...events, "PostToolBatch", "SubagentStart"] : events;
  return rewritten(path, `hooks for ${heard.join(", ")}`, (settings) =>
    withHooks(settings, heard, { type: "command", command: hookCommand(place), timeout: 5 }),
  );
}

/** The plugin's own files first: whoever looks at the settings finds what they point to. */
function pluginPlan(place: Place, version: string): readonly PlannedFile[] {
  const folder = configFolder(place);
  const known = join(folder, "plugins", "known_marketplaces.json");
  const installed = join(folder, "plugins", "installed_plugins.json");
  return [
    ...pluginFiles(place).map(({ path, text }): PlannedFile => {
      const way = basename(path) === ".mcp.json" ? "mcp" : "plugin";
      return { path, before: hostText(path), after: text, why: "the plugin", way };
    }),
    ...[
      rewritten(known, "where the plugin comes from", (now) => withMarketplace(now, place)),
      rewritten(installed, "the plugin among the installed", (now) => withInstalledPlugin(now, folder)),
      rewritten(
        join(folder, "settings.json"),
        `uses the plugin, not command hooks: Claude Code ${version} supports plugins`,
        (now) => withPlugin(now, place),
      ),
    ].map((file): PlannedFile => ({ ...file, way: "plugin" })),
  ];
}

type JsonObject = Readonly<Record<string, unknown>>;

function rewritten(path: string, why: string, change: (now: JsonObject) => JsonObject): PlannedFile {
  const before = hostText(path);
  const now = before === null || before.trim() === "" ? {} : tryParse(before);
  if (!isRecord(now)) {
    throw new OldhandError("input", `${path} is not a JSON object, so Claude Code does not read it either`, {
      hint: "mend it, then install again; nothing was changed",
    });
  }
  const twice = nameTwice(before ?? "");
  if (twice !== null)
    throw new OldhandError("input", `${path} has the name ${JSON.stringify(twice)} twice`, {
      hint: "merge the two entries into one, then install again; nothing was changed",
    });
  const next = change(now);
  // What is there already stays as it is written, to the last space.
  if (before !== null && stableJson(next) === stableJson(now)) return { path, before, after: before, why };
  return { path, before, after: `${JSON.stringify(next, null, 2)}\n`, why };
}

/** Null where there is no program to ask; then only what every version knows is written. */
function versionOf(place: Place): string | null {
  const own = [join(place.userHome, ".local", "bin", "claude"), join(place.userHome, ".claude", "local", "claude")];
  for (const program of ["claude", ...own]) {
    const shell = place.platform === "win32";
    const env = { ...place.env };
    const { stdout } = spawnSync(program, ["--version"], { env, encoding: "utf8", timeout: 5_000, shell });
    const found = /^(\d+\.\d+\.\d+)\b/.exec(stdout ?? "")?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

function isAtLeast(version: string | null, least: readonly number[]): boolean {
  const parts = (version ?? "0").split(".").map(Number);
  const differs = least.findIndex((part, i) => parts[i] !== part);
  return differs === -1 || (parts[differs] ?? 0) > (least[differs] ?? 0);
}

function configFolder(place: Place): string {
  return place.env["CLAUDE_CONFIG_DIR"] || join(place.userHome, ".claude");
}

function transcripts(place: Place): readonly string[] {
  const root = join(configFolder(place), "projects");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
