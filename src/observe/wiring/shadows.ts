import { isRecord, tryParseJson } from "../../lib/json.ts";
import { memberAt } from "../../lib/json-edit.ts";
import type { Finding } from "../protocol/host.ts";
import { readHostFileTextIfReadable } from "./host-file.ts";

/** A setting of a host's that keeps hooks from running, ours among them. */
export interface HookSwitch {
  /** Such as `hooksConfig.enabled`. */
  readonly key: string;
  /** Whether this value of it does. */
  stops(value: unknown): boolean;
}

/** What stands in a host's settings against our hooks. Files that are not there, or not plain JSON, say nothing. */
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
/** A list in which a name of ours stands. */
export const includesName = (name: string) => (value: unknown) => Array.isArray(value) && value.includes(name);

export function readHostSettings(file: string): Readonly<Record<string, unknown>> {
  const text = readHostFileTextIfReadable(file) ?? "";
  const parsed = tryParseJson(text) ?? memberAt(text, []);
  return isRecord(parsed) ? parsed : {};
}

function readValueAt(settings: Readonly<Record<string, unknown>>, key: string): unknown {
  return key.split(".").reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), settings);
}
