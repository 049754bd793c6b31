import { isRecord } from "../../lib/json.ts";
import { type Declared, isSetting, type Setting } from "./kinds.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Finds a setting by its full name: `database`, `distil.minCount`, or `NAME.ENTRY.FIELD` of a table. Null if unknown.
 */
export function findSetting(declared: Declared, path: string): Setting | null {
  const [name = "", ...rest] = path.split(".");
  const one = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (one === undefined) return null;
  if (!isSetting(one)) return rest.length === 0 ? null : findSetting(one, rest.join("."));
  if (rest.length === 0) return one;
  const [entry = "", ...field] = rest;
  return one.kind === "table" && entry !== "" && field.length > 0 ? findSetting(one.fields, field.join(".")) : null;
}

export interface SettingRow {
  readonly path: string;
  readonly setting: Setting;
  readonly value: unknown;
}

/** Every setting with its value; tables entry by entry. */
export function listSettingRows(declared: Declared, values: Values, at = ""): readonly SettingRow[] {
  return Object.entries(declared).flatMap(([name, one]): readonly SettingRow[] => {
    const path = `${at}${name}`;
    const value = values[name];
    if (!isSetting(one)) return listSettingRows(one, isRecord(value) ? value : {}, `${path}.`);
    if (one.kind !== "table") return [{ path, setting: one, value }];
    return Object.entries(isRecord(value) ? value : {}).flatMap(([entry, fields]) =>
      listSettingRows(one.fields, isRecord(fields) ? fields : {}, `${path}.${entry}.`),
    );
  });
}

/** Returns the file with one value set, or removed if it is undefined. Groups that become empty are removed. */
export function setValueAt(file: Values, path: readonly string[], value: unknown): Values {
  const [name = "", ...rest] = path;
  const inner = Object.hasOwn(file, name) ? file[name] : undefined;
  const made = rest.length === 0 ? value : setValueAt(isRecord(inner) ? inner : {}, rest, value);
  const isGone = made === undefined || (rest.length > 0 && isRecord(made) && Object.keys(made).length === 0);
  const others = Object.entries(file).filter(([other]) => other !== name);
  if (isGone) return Object.fromEntries(others);
  return Object.hasOwn(file, name)
    ? Object.fromEntries(Object.entries(file).map(([other, one]) => [other, other === name ? made : one]))
    : Object.fromEntries([...others, [name, made]]);
}
