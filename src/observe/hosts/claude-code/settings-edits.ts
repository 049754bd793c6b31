import { join } from "node:path";
import { iso, systemClock } from "../../../lib/clock.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { version } from "../../../version.ts";
import type { InstallTarget } from "../../protocol/host.ts";
import { isHookCommand } from "../../wiring/hook-command.ts";
import { marketplaceFolder, PLUGIN_NAME, PLUGIN_ID } from "./plugin.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** The settings with one hook per event; hooks of ours from earlier versions are removed. */
export function addHookSettings(settings: JsonObject, events: readonly string[], hook: JsonObject): JsonObject {
  const clean = stripOurSettings(settings);
  const hooks = readObject(clean, "hooks");
  const wired = events.map((event) => [event, [...readList(hooks, event), { hooks: [hook] }]]);
  return { ...clean, hooks: { ...hooks, ...Object.fromEntries(wired) } };
}

export function addPlugin(settings: JsonObject, target: InstallTarget): JsonObject {
  refuseTaken(readObject(settings, "extraKnownMarketplaces")[PLUGIN_NAME]);
  const clean = stripOurSettings(settings);
  const source = { source: "directory", path: marketplaceFolder(target) };
  return {
    ...clean,
    extraKnownMarketplaces: { ...readObject(clean, "extraKnownMarketplaces"), [PLUGIN_NAME]: { source } },
    enabledPlugins: { ...readObject(clean, "enabledPlugins"), [PLUGIN_ID]: true },
  };
}

/**
 * The entry that the client writes for `plugin marketplace add`. Without it, early versions find the plugin one
 * session late.
 */
export function addMarketplace(known: JsonObject, target: InstallTarget): JsonObject {
  const path = marketplaceFolder(target);
  refuseTaken(known[PLUGIN_NAME]);
  const there = readObject(known, PLUGIN_NAME);
  if (readObject(there, "source")["path"] === path) return known;
  const source = { source: "directory", path };
  return { ...known, [PLUGIN_NAME]: { source, installLocation: path, lastUpdated: iso(systemClock.now()) } };
}

/** A marketplace with our name that somebody else created is not replaced. */
function refuseTaken(marketplace: unknown): void {
  if (marketplace === undefined || isOurMarketplace(marketplace)) return;
  throw new OldhandError("refused", `Claude Code has a marketplace named ${PLUGIN_NAME} that oldhand did not create`, {
    hint: "to use oldhand's marketplace, remove this one with /plugin, then install again; nothing was changed",
  });
}

/** True for our folder in any home. */
function isOurMarketplace(marketplace: unknown): boolean {
  const source = isRecord(marketplace) ? marketplace["source"] : null;
  if (!isRecord(source) || source["source"] !== "directory") return false;
  return /[\\/]hosts[\\/]claude-code$/.test(String(source["path"]));
}

/** The entry that the client writes for `plugin install`. */
export function addInstalledPlugin(installed: JsonObject, folder: string): JsonObject {
  const plugins = readObject(installed, "plugins");
  const [there] = readList(plugins, PLUGIN_ID);
  // A layout that we do not know is left to the client, which fills it in at its next start.
  if ((installed["version"] ?? 2) !== 2 || (isRecord(there) && there["version"] === version)) return installed;
  const now = iso(systemClock.now());
  const installPath = join(folder, "plugins", "cache", PLUGIN_NAME, PLUGIN_NAME, version);
  const entry = { scope: "user", installPath, version, installedAt: now, lastUpdated: now };
  return { version: 2, ...installed, plugins: { ...plugins, [PLUGIN_ID]: [entry] } };
}

/** Any of these files without our entries. */
export function removeOurSettings(text: string): string | null {
  const now = tryParseJson(text);
  return isRecord(now) ? `${JSON.stringify(stripOurSettings(now), null, 2)}\n` : null;
}

function stripOurSettings(file: JsonObject): JsonObject {
  const { [PLUGIN_NAME]: marketplace, ...rest } = file;
  const isKnown = isRecord(marketplace) && "installLocation" in marketplace;
  const entries = isKnown && isOurMarketplace(marketplace) ? rest : file;
  const taken = readObject(file, "extraKnownMarketplaces")[PLUGIN_NAME];
  // Somebody else's marketplace has its own plugins, which stay.
  const isTaken = taken !== undefined && !isOurMarketplace(taken);
  const kept = Object.entries(entries).flatMap(([key, value]) => {
    const left = isTaken && key !== "hooks" ? value : (strippers[key]?.(value) ?? value);
    // An object that held only our entries is removed too, except `plugins`, which the file's format requires.
    const goes = key !== "plugins" && left !== value && isRecord(left) && Object.keys(left).length === 0;
    return goes ? [] : [[key, left] as const];
  });
  return Object.fromEntries(kept);
}

const strippers: Readonly<Record<string, (value: unknown) => unknown>> = {
  hooks: (value) => (isRecord(value) ? removeHooks(value) : value),
  extraKnownMarketplaces: (value) => removeKey(value, PLUGIN_NAME),
  enabledPlugins: (value) => removeKey(value, PLUGIN_ID),
  plugins: (value) => removeKey(value, PLUGIN_ID),
};

function removeKey(value: unknown, key: string): unknown {
  if (!isRecord(value) || !(key in value)) return value;
  const { [key]: _ours, ...rest } = value;
  return rest;
}

function removeHooks(hooks: JsonObject): JsonObject {
  if (!Object.values(hooks).some((groups) => Array.isArray(groups) && groups.some(isOurs))) return hooks;
  const kept = Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups) || !groups.some(isOurs)) return [[event, groups] as const];
    const theirs = groups.filter((group) => !isOurs(group));
    return theirs.length > 0 ? [[event, theirs] as const] : [];
  });
  return Object.fromEntries(kept);
}

/** A group of ours holds exactly one hook. */
function isOurs(group: unknown): boolean {
  return (
    isRecord(group) &&
    readList(group, "hooks").some(
      (hook) => isRecord(hook) && typeof hook["command"] === "string" && isHookCommand(hook["command"], "claude-code"),
    )
  );
}

function readObject(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isRecord(found) ? found : {};
}

function readList(value: JsonObject, key: string): readonly unknown[] {
  const found = value[key];
  return Array.isArray(found) ? found : [];
}
