import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { readHostFileTextIfReadable } from "../../wiring/host-file.ts";

/** The key that the plugin's hooks send with each call to our server. Models never see it. */
export type HookKey =
  | { readonly kind: "key"; readonly key: string }
  /** Hooks written by 0.1.0 have no key. */
  | { readonly kind: "no key" }
  | { readonly kind: "no hooks" };

export function pluginHooksFile(home: string): string {
  return join(home, "hosts", "claude-code", "plugins", "oldhand", "hooks", "hooks.json");
}

export function readHookKey(home: string): HookKey {
  const file = tryParseJson(readHostFileTextIfReadable(pluginHooksFile(home)) ?? "");
  const groups = isRecord(file) && isRecord(file["hooks"]) ? Object.values(file["hooks"]).flat() : [];
  const inputs = groups
    .flatMap((group) => (isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : []))
    .flatMap((hook) =>
      isRecord(hook) && hook["type"] === "mcp_tool" && isRecord(hook["input"]) ? [hook["input"]] : [],
    );
  if (inputs.length === 0) return { kind: "no hooks" };
  const key = inputs.map((input) => input["key"]).find((one) => typeof one === "string" && one !== "");
  return typeof key === "string" ? { kind: "key", key } : { kind: "no key" };
}

/** The existing key, or a new one; the same for all files of one plan. */
export function getOrMakeHookKey(home: string): string {
  const there = readHookKey(home);
  if (there.kind === "key") return there.key;
  const made = newKeys.get(home) ?? randomBytes(24).toString("base64url");
  newKeys.set(home, made);
  return made;
}

const newKeys = new Map<string, string>();
