import { createHash } from "node:crypto";
import { isRecord, stableJson, tryParseJson } from "../../../lib/json.ts";
import { isHookCommand } from "../../wiring/hook-command.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A hook of ours as Codex identifies it: by its place in the file and a hash of what it does. */
export interface TrustEntry {
  readonly event: string;
  /** `<file>:<event>:<group>:<hook>` */
  readonly key: string;
  readonly hash: string;
}

/** What the user must have trusted so that our hooks in this file run. */
export function listTrustEntries(path: string, text: string): readonly TrustEntry[] {
  const file = tryParseJson(text);
  const hooks = isRecord(file) && isRecord(file["hooks"]) ? file["hooks"] : {};
  return Object.entries(hooks).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group: unknown, target) =>
      listOurHooks(group).map(({ hook, index }) => ({
        event,
        key: `${path}:${toSnakeCase(event)}:${target}:${index}`,
        hash: hashHook(event, hook, isRecord(group) ? group["matcher"] : undefined),
      })),
    ),
  );
}

/**
 * True if the settings say that this hook was trusted and is not disabled. Read as text, because this is not worth a
 * TOML parser.
 */
export function isTrusted(config: string, { key, hash }: Pick<TrustEntry, "key" | "hash">): boolean {
  return [JSON.stringify(key), `'${key}'`].some((quoted) => {
    const at = config.indexOf(quoted);
    if (at === -1) return false;
    const after = config.slice(at + quoted.length);
    // Up to the next table, or the next key of this one.
    const [entry = ""] = after.split(/\n\s*(?:\[|["'])/, 1);
    return entry.includes(`"${hash}"`) && !/\benabled\s*=\s*false\b/.test(entry);
  });
}

function listOurHooks(group: unknown): readonly { readonly hook: JsonObject; readonly index: number }[] {
  const hooks = isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : [];
  return hooks.flatMap((hook: unknown, index) => {
    const command = isRecord(hook) ? hook["command"] : null;
    return isRecord(hook) && typeof command === "string" && isHookCommand(command, "codex") ? [{ hook, index }] : [];
  });
}

/** Computed as in Codex: defaults filled in, keys sorted, hashed. */
function hashHook(event: string, hook: JsonObject, matcher: unknown): string {
  const given = typeof hook["timeout"] === "number" ? hook["timeout"] : null;
  const timeout = event === "SessionEnd" ? Math.min(Math.max(given ?? 1, 1), 3) : Math.max(given ?? 600, 1);
  const known = { type: "command", command: hook["command"], async: hook["async"] === true, timeout };
  const matched = typeof matcher === "string" && event !== "UserPromptSubmit" && event !== "Stop" ? { matcher } : {};
  const identity = stableJson({ event_name: toSnakeCase(event), hooks: [known], ...matched });
  return `sha256:${createHash("sha256").update(identity).digest("hex")}`;
}

function toSnakeCase(event: string): string {
  return event.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}
