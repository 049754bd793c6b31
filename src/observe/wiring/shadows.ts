import { isRecord, tryParse } from "../../lib/json.ts";
import { memberAt } from "../../lib/json-edit.ts";
import type { Finding } from "../protocol/host.ts";
import { hostTextSeen } from "./host-file.ts";

/** A setting of a host's that keeps hooks from running, ours among them. */
export interface Switch {
  /** Such as `hooksConfig.enabled`. */
  readonly key: string;
  /** Whether this value of it does. */
  stops(value: unknown): boolean;
}

/** What stands in a host's settings against our hooks. Files that are not there, or not plain JSON, say nothing. */
export function switchedOff(title: string, files: readonly string[], switches: readonly Switch[]): readonly Finding[] {
  return files.flatMap((file) => {
    const settings = settingsIn(file);
    return switches
      .filter((one) => one.stops(valueAt(settings, one.key)))
      .map(({ key }) =>
        shadow(
          `${title}: ${key} is ${JSON.stringify(valueAt(settings, key))} in ${file}, so our hooks do not run`,
          `change ${key} there, if they shall`,
        ),
      );
  });
}

export function shadow(what: string, hint: string): Finding {
  return { level: "problem", about: "shadowed", what, hint };
}

export const isTrue = (value: unknown) => value === true;
export const isFalse = (value: unknown) => value === false;
/** A list in which a name of ours stands. */
export const names = (name: string) => (value: unknown) => Array.isArray(value) && value.includes(name);

export function settingsIn(file: string): Readonly<Record<string, unknown>> {
  const text = hostTextSeen(file) ?? "";
  const parsed = tryParse(text) ?? memberAt(text, []);
  return isRecord(parsed) ? parsed : {};
}

function valueAt(settings: Readonly<Record<string, unknown>>, key: string): unknown {
  return key.split(".").reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), settings);
}
