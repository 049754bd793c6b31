import { isRecord, tryParseJson } from "../../lib/json.ts";
import { memberAt } from "../../lib/json-edit.ts";
import type { Finding } from "../protocol/host.ts";
import { readHostFileTextIfReadable } from "./host-file.ts";

/** A setting of a host that prevents hooks, including ours, from running. */
export interface HookSwitch {
  /** Such as `hooksConfig.enabled`. */
  readonly key: string;
  /** True if this value prevents hooks. */
  stops(value: unknown): boolean;
}

/** Settings of a host that prevent our hooks from running. Files that are missing or cannot be parsed are ignored. */
export function findSwitchedOffHooks(
  title: string,
  files: readonly string[],
  switches: readonly HookSwitch[],
): readonly Finding[] {
  return files.flatMap((file) => {
    const settings = readHostSettings(file);
    return switches
      .filter((one) => one.stops(readValueAt(settings, one.key)))
      .map(({ key }) =>
        shadowFinding(
          `${title}: ${key} is ${JSON.stringify(readValueAt(settings, key))} in ${file}, so oldhand's hooks do not run`,
          `change ${key} there`,
        ),
      );
  });
}

export function shadowFinding(what: string, hint: string): Finding {
  return { level: "problem", about: "shadowed", what, hint };
}

export const isTrue = (value: unknown) => value === true;
export const isFalse = (value: unknown) => value === false;
/** True for a list that contains the name. */
export const includesName = (name: string) => (value: unknown) => Array.isArray(value) && value.includes(name);

export function readHostSettings(file: string): Readonly<Record<string, unknown>> {
  const text = readHostFileTextIfReadable(file) ?? "";
  const parsed = tryParseJson(text) ?? memberAt(text, []);
  return isRecord(parsed) ? parsed : {};
}

function readValueAt(settings: Readonly<Record<string, unknown>>, key: string): unknown {
  return key.split(".").reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), settings);
}
