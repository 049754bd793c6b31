import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { oneLine } from "../../../lib/text.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { isRecord, stableJson, tryParseJson } from "../../../lib/json.ts";
import { findDuplicateName } from "../../../lib/json-edit.ts";
import type { Finding, InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { readHostFileText } from "../../wiring/host-file.ts";
import { findOnPath, isOnPath } from "../../wiring/on-path.ts";
import { listPluginFiles } from "./plugin.ts";
import { listProjectSettings, findShadows } from "./shadows.ts";
import { lineReader, readTranscript } from "./transcript.ts";
import { removeOurSettings, addHookSettings, addInstalledPlugin, addMarketplace, addPlugin } from "./settings-edits.ts";

export const claudeCodeSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) || isOnPath(target, "claude") ? { version: readVersion(target).version, folder } : null;
  },
  plan,
  without: removeOurSettings,
  findings: (target) => [...findShadows(target, configFolder(target)), ...explainHooks(target)],
  hookFiles: (target) => [join(configFolder(target), "settings.json"), ...listProjectSettings(target)],
  transcripts: listTranscripts,
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

/**
 * The first version whose plugins can reply to hooks through their server, and that knows PostToolBatch. Earlier ones
 * drop the whole settings file because of either.
 */
const PLUGINS_SINCE = [2, 1, 136] as const;

/**
 * Events that every current version knows: because of one unknown event, an old version silently drops the whole
 * file.
 */
const events = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "SessionEnd",
] as const;

function plan(target: InstallTarget): readonly PlannedFile[] {
  const { version } = readVersion(target);
  const modern = isAtLeast(version, PLUGINS_SINCE);
  // A plugin applies to the user everywhere, so for one repository hooks are written to its settings.
  return modern && target.project === null ? planPluginFiles(target, version ?? "") : [planHooksFile(target, modern)];
}

/** Why the hooks are commands although a plugin would do more, and how to get it. */
function explainHooks(target: InstallTarget): readonly Finding[] {
  if (target.project !== null) return [];
  const { version, broken } = readVersion(target);
  if (isAtLeast(version, PLUGINS_SINCE)) return [];
  const why =
    version !== null
      ? `version ${version} has no plugins that can reply to hooks`
      : broken === null
        ? "the program `claude` was not found, so its version is not known"
        : `the program ${broken.path} was found but could not be run (${broken.said}), so its version is not known`;
  const first =
    version === null
      ? broken === null
        ? "put `claude` on the PATH"
        : `see that \`${broken.path} --version\` works`
      : `upgrade Claude Code to ${PLUGINS_SINCE.join(".")} or later`;
  return [
    {
      level: "note",
      what: `Claude Code gets command hooks, not the plugin: ${why}`,
      hint: `the plugin is faster and adds MCP tools and the /oldhand: commands. To get it, ${first}, then: oldhand install claude-code`,
    },
  ];
}

function planHooksFile(target: InstallTarget, modern: boolean): PlannedFile {
  const path =
    target.project === null
      ? join(configFolder(target), "settings.json")
      : join(target.project, ".claude", target.team === true ? "settings.json" : "settings.local.json");
  // A team member may have an old version, which would drop the whole file.
  const hookEvents = modern && target.team !== true ? [...events, "PostToolBatch", "SubagentStart"] : events;
  return planRewrite(path, `hooks for ${hookEvents.join(", ")}`, (settings) =>
    addHookSettings(settings, hookEvents, { type: "command", command: buildHookCommandLine(target), timeout: 5 }),
  );
}

/** The plugin's own files come first, so that the settings never point to missing files. */
function planPluginFiles(target: InstallTarget, version: string): readonly PlannedFile[] {
  const folder = configFolder(target);
  const known = join(folder, "plugins", "known_marketplaces.json");
  const installed = join(folder, "plugins", "installed_plugins.json");
  return [
    ...listPluginFiles(target).map(({ path, text }): PlannedFile => {
      const way = basename(path) === ".mcp.json" ? "mcp" : "plugin";
      return { path, before: readHostFileText(path), after: text, why: "the plugin", way };
    }),
    ...[
      planRewrite(known, "where the plugin comes from", (now) => addMarketplace(now, target)),
      planRewrite(installed, "the plugin among the installed", (now) => addInstalledPlugin(now, folder)),
      planRewrite(
        join(folder, "settings.json"),
        `uses the plugin, not command hooks: Claude Code ${version} supports plugins`,
        (now) => addPlugin(now, target),
      ),
    ].map((file): PlannedFile => ({ ...file, way: "plugin" })),
  ];
}

type JsonObject = Readonly<Record<string, unknown>>;

function planRewrite(path: string, why: string, change: (now: JsonObject) => JsonObject): PlannedFile {
  const before = readHostFileText(path);
  const now = before === null || before.trim() === "" ? {} : tryParseJson(before);
  if (!isRecord(now)) {
    throw new OldhandError("input", `${path} is not a JSON object, so Claude Code does not read it either`, {
      hint: "correct it, then install again; nothing was changed",
    });
  }
  const twice = findDuplicateName(before ?? "");
  if (twice !== null)
    throw new OldhandError("input", `${path} has the name ${JSON.stringify(twice)} twice`, {
      hint: "merge the two entries into one, then install again; nothing was changed",
    });
  const next = change(now);
  // If nothing changes, the file keeps its formatting.
  if (before !== null && stableJson(next) === stableJson(now)) return { path, before, after: before, why };
  return { path, before, after: `${JSON.stringify(next, null, 2)}\n`, why };
}

interface FoundVersion {
  /** Null if no program tells its version; then only what every version knows is written. */
  readonly version: string | null;
  /** A program that is there, but does not run, and the first line that it says of it. */
  readonly broken: { readonly path: string; readonly said: string } | null;
}

function readVersion(target: InstallTarget): FoundVersion {
  const own = [join(target.userHome, ".local", "bin", "claude"), join(target.userHome, ".claude", "local", "claude")];
  let broken: FoundVersion["broken"] = null;
  for (const program of ["claude", ...own]) {
    const shell = target.platform === "win32";
    const env = { ...target.env };
    const { stdout, stderr, error } = spawnSync(program, ["--version"], {
      env,
      encoding: "utf8",
      timeout: 5_000,
      shell,
    });
    const version = /^(\d+\.\d+\.\d+)\b/.exec(stdout ?? "")?.[1];
    if (version !== undefined) return { version, broken: null };
    const path = program === "claude" ? findOnPath(target, program) : existsSync(program) ? program : null;
    if (path === null) continue;
    const said = `${stderr ?? ""}\n${stdout ?? ""}`.split("\n").find((line) => line.trim() !== "");
    broken ??= { path, said: oneLine(said ?? error?.message ?? "it printed no version", LONGEST_SAID) };
  }
  return { version: null, broken };
}

const LONGEST_SAID = 160;

function isAtLeast(version: string | null, least: readonly number[]): boolean {
  const parts = (version ?? "0").split(".").map(Number);
  const differs = least.findIndex((part, i) => parts[i] !== part);
  return differs === -1 || (parts[differs] ?? 0) > (least[differs] ?? 0);
}

function configFolder(target: InstallTarget): string {
  return target.env["CLAUDE_CONFIG_DIR"] || join(target.userHome, ".claude");
}

function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(configFolder(target), "projects");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
