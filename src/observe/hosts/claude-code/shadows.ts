import { join } from "node:path";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import type { Finding, InstallTarget } from "../../protocol/host.ts";
import { readHostFileTextIfReadable } from "../../wiring/host-file.ts";
import { isTrue, readHostSettings, shadowFinding, findSwitchedOffHooks } from "../../wiring/shadows.ts";
import { findWorkspace } from "../../protocol/workspace.ts";
import { PLUGIN_ID } from "./plugin.ts";

/** What prevents installed hooks from running. Claude Code reports none of it. */
export function findShadows(target: InstallTarget, folder: string): readonly Finding[] {
  const managed = locateManagedSettings(target);
  const files = [managed, join(folder, "settings.json"), ...listProjectSettings(target)];
  return [
    ...findSwitchedOffHooks(TITLE, files, [{ key: "disableAllHooks", stops: isTrue }]),
    ...findSwitchedOffHooks(TITLE, [managed], [{ key: "allowManagedHooksOnly", stops: isTrue }]),
    ...files.flatMap(findDisabledPlugin),
    ...files.flatMap(findDroppedFile),
  ];
}

const TITLE = "Claude Code";

/** Both override the user's settings; the second overrides the first. */
export function listProjectSettings(target: InstallTarget): readonly string[] {
  const roots = new Set([target.project, target.near ?? null, findWorkspace(target.near ?? null)]);
  return [...roots].flatMap((root) =>
    root === null || root === target.userHome
      ? []
      : [join(root, ".claude", "settings.json"), join(root, ".claude", "settings.local.json")],
  );
}

function findDisabledPlugin(file: string): readonly Finding[] {
  const plugins = readHostSettings(file)["enabledPlugins"];
  if (!isRecord(plugins) || plugins[PLUGIN_ID] !== false) return [];
  return [shadowFinding(`${TITLE}: the plugin ${PLUGIN_ID} is disabled in ${file}`, "enable it with /plugin")];
}

const knownHookTypes: ReadonlySet<unknown> = new Set(["command", "http", "mcp_tool", "prompt", "agent"]);

/** If a hook has an unknown type, or the JSON is invalid, Claude Code drops the whole file, including permissions. */
function findDroppedFile(file: string): readonly Finding[] {
  const text = readHostFileTextIfReadable(file);
  if (text === null) return [];
  const settings = tryParseJson(text);
  if (!isRecord(settings))
    return text.trim() === ""
      ? []
      : [
          shadowFinding(
            `${TITLE}: ${file} is not JSON, so all of it is ignored`,
            "correct it; until then its permissions do not apply either",
          ),
        ];
  const hooks = isRecord(settings["hooks"]) ? Object.values(settings["hooks"]).flat() : [];
  const types = hooks
    .flatMap((group) => (isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : []))
    .filter(isRecord)
    .map((hook) => hook["type"])
    .filter((type) => !knownHookTypes.has(type));
  return [...new Set(types)].map((type) =>
    shadowFinding(
      `${TITLE}: ${file} has a hook of the type ${JSON.stringify(type)}, which no version knows; Claude Code ignores the whole file, including permissions`,
      "remove that hook",
    ),
  );
}

function locateManagedSettings(target: InstallTarget): string {
  switch (target.platform) {
    case "darwin":
      return "/Library/Application Support/ClaudeCode/managed-settings.json";
    case "win32":
      return "C:\\Program Files\\ClaudeCode\\managed-settings.json";
    default:
      return "/etc/claude-code/managed-settings.json";
  }
}
