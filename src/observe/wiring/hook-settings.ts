import { OldhandError } from "../../lib/errors.ts";
import { isRecord, stableJson, tryParseJson } from "../../lib/json.ts";
import { memberAt, findDuplicateName, applyJsonChanges } from "../../lib/json-edit.ts";
import { isHookCommand } from "./hook-command.ts";
import { readHostFileText } from "./host-file.ts";
import type { PlannedFile } from "../protocol/host.ts";

/**
 * Settings of the form `{"hooks": {EVENT: [{"hooks": [{"type": "command", "command": …}]}]}}`, which several hosts
 * share, or flat: `{"hooks": {EVENT: [{"command": …}]}}`.
 */
export interface HookSettings {
  readonly host: string;
  readonly path: string;
  readonly events: readonly string[];
  readonly hook: JsonObject;
  /** The file holds only hooks, with the events at the top level. */
  readonly isBare?: boolean;
  /** Hooks are directly in the event's list, without a group around them. */
  readonly isFlat?: boolean;
  /** The host accepts comments in the file. */
  readonly hasComments?: boolean;
  /** Other members that the file must have; existing values win. */
  readonly base?: JsonObject;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The file with one hook of ours per event; everything else is kept. */
export function planHooks({ path, isBare = false, base = {}, ...wanted }: HookSettings): PlannedFile {
  return planSettings(
    path,
    `hooks for ${wanted.events.join(", ")}`,
    (now) =>
      isBare ? (addHooks({ hooks: now }, wanted)["hooks"] as JsonObject) : addHooks({ ...base, ...now }, wanted),
    wanted.hasComments,
  );
}

/** A changed settings file. Comments are kept if the host accepts them. */
export function planSettings(
  path: string,
  why: string,
  change: (now: JsonObject) => JsonObject,
  hasComments = false,
): PlannedFile {
  const before = readHostFileText(path);
  const now =
    before === null || before.trim() === "" ? {} : (tryParseJson(before) ?? parseCommentedJson(before, hasComments));
  if (!isRecord(now)) {
    throw new OldhandError("input", `${path} is not a JSON object${hasComments ? "" : ", or it has comments"}`, {
      hint: hasComments
        ? "correct it, then install again; nothing was changed"
        : "correct it, and remove comments (they would be lost), then install again; nothing was changed",
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
  return { path, before, after: editSettingsText(before ?? "", now, next), why };
}

/** Plain JSON is written again as a whole; with comments, only what differs is changed. */
function editSettingsText(text: string, from: JsonObject, to: JsonObject): string {
  const edited = tryParseJson(text) === undefined && text.trim() !== "" ? applyJsonChanges(text, { from, to }) : null;
  return edited ?? `${JSON.stringify(to, null, 2)}\n`;
}

/** None of these hosts accepts a byte order mark. */
function parseCommentedJson(text: string, hasComments: boolean): unknown {
  return hasComments && !text.startsWith("\uFEFF") ? memberAt(text, []) : undefined;
}

/** The file's text without our hooks. Null if it cannot be parsed. */
export function removeHooks(text: string, host: string, isBare = false, hasComments = false): string | null {
  const now = tryParseJson(text) ?? parseCommentedJson(text, hasComments);
  if (!isRecord(now)) return null;
  const rest = isBare
    ? ((stripOurHooks({ hooks: now }, host)["hooks"] as JsonObject | undefined) ?? {})
    : stripOurHooks(now, host);
  return editSettingsText(text, now, rest);
}

/** Puts our hook at its old place, or at the end: a host may identify other hooks by their position. */
function addHooks(settings: JsonObject, wanted: Omit<HookSettings, "path">): JsonObject {
  const { host, events, hook } = wanted;
  const group = wanted.isFlat === true ? hook : { hooks: [hook] };
  const now = isRecord(settings["hooks"]) ? settings["hooks"] : {};
  const rest = stripOurHooks(settings, host);
  const theirs = isRecord(rest["hooks"]) ? rest["hooks"] : {};
  const wired = events.map((event) => {
    const place = listAt(now, event).findIndex((group) => hasOurHook(group, host));
    const others = listAt(theirs, event);
    return [event, others.toSpliced(place === -1 ? others.length : place, 0, group)];
  });
  return { ...rest, hooks: { ...theirs, ...Object.fromEntries(wired) } };
}

/** Lists and objects that held only our hooks are removed too. */
function stripOurHooks(settings: JsonObject, host: string): JsonObject {
  const { hooks, ...rest } = settings;
  const isOurs = (group: unknown) => hasOurHook(group, host);
  if (!isRecord(hooks) || !Object.keys(hooks).some((event) => listAt(hooks, event).some(isOurs))) return settings;
  const kept = Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups) || !groups.some(isOurs)) return [[event, groups] as const];
    const theirs = groups.filter((group) => !isOurs(group));
    return theirs.length > 0 ? [[event, theirs] as const] : [];
  });
  return kept.length > 0 ? { ...settings, hooks: Object.fromEntries(kept) } : rest;
}

/** A group of ours holds exactly one hook; in flat lists, the item is the hook itself. */
function hasOurHook(group: unknown, host: string): boolean {
  return (
    isRecord(group) &&
    [group, ...listAt(group, "hooks")].some(
      (hook) => isRecord(hook) && typeof hook["command"] === "string" && isHookCommand(hook["command"], host),
    )
  );
}

function listAt(value: JsonObject, key: string): readonly unknown[] {
  const found = value[key];
  return Array.isArray(found) ? found : [];
}
