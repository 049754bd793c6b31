import { join } from "node:path";
import { isRecord, tryParse } from "../../../lib/json.ts";
import type { Finding, Place } from "../../protocol/host.ts";
import { hostTextSeen } from "../../wiring/host-file.ts";
import { isTrue, settingsIn, shadow, switchedOff } from "../../wiring/shadows.ts";
import { workspaceOf } from "../../protocol/workspace.ts";
import { PLUGIN_ID } from "./plugin.ts";

/** What keeps hooks of ours from running though they are there. Claude Code itself says nothing of any of it. */
export function shadows(place: Place, folder: string): readonly Finding[] {
  const managed = managedSettings(place);
  const files = [managed, join(folder, "settings.json"), ...projectFiles(place)];
  return [
    ...switchedOff(TITLE, files, [{ key: "disableAllHooks", stops: isTrue }]),
    ...switchedOff(TITLE, [managed], [{ key: "allowManagedHooksOnly", stops: isTrue }]),
    ...files.flatMap(pluginOff),
    ...files.flatMap(droppedFile),
  ];
}

const TITLE = "Claude Code";

/** Both stand above the user's own, the second above the first. */
export function projectFiles(place: Place): readonly string[] {
  const roots = new Set([place.project, place.near ?? null, workspaceOf(place.near ?? null)]);
  return [...roots].flatMap((root) =>
    root === null || root === place.userHome
      ? []
      : [join(root, ".claude", "settings.json"), join(root, ".claude", "settings.local.json")],
  );
}

function pluginOff(file: string): readonly Finding[] {
  const plugins = settingsIn(file)["enabledPlugins"];
  if (!isRecord(plugins) || plugins[PLUGIN_ID] !== false) return [];
  return [
    shadow(
      `${TITLE}: the plugin ${PLUGIN_ID} is switched off in ${file}`,
      "switch it on with /plugin, if it shall run",
    ),
  ];
}

const known: ReadonlySet<unknown> = new Set(["command", "http", "mcp_tool", "prompt", "agent"]);

/** One hook of a kind that it does not know, or a slip of the pen, and Claude Code drops the whole file: hooks, permissions and all. */
function droppedFile(file: string): readonly Finding[] {
  const text = hostTextSeen(file);
  if (text === null) return [];
  const settings = tryParse(text);
  if (!isRecord(settings))
    return text.trim() === ""
      ? []
      : [
          shadow(
            `${TITLE}: ${file} is not JSON, so all of it is ignored`,
            "mend it; until then its permissions do not hold either",
          ),
        ];
  const hooks = isRecord(settings["hooks"]) ? Object.values(settings["hooks"]).flat() : [];
  const types = hooks
    .flatMap((group) => (isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : []))
    .filter(isRecord)
    .map((hook) => hook["type"])
    .filter((type) => !known.has(type));
  return [...new Set(types)].map((type) =>
    shadow(
      `${TITLE}: ${file} has a hook of the type ${JSON.stringify(type)}, which no version knows: it drops the whole file, permissions too`,
      "take that hook out",
    ),
  );
}

function managedSettings(place: Place): string {
  switch (place.platform) {
    case "darwin":
      return "/Library/Application Support/ClaudeCode/managed-settings.json";
    case "win32":
      return "C:\\Program Files\\ClaudeCode\\managed-settings.json";
    default:
      return "/etc/claude-code/managed-settings.json";
  }
}
