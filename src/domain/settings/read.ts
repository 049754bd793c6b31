import { isRecord } from "../../lib/json.ts";
import { checkSettingValue } from "./check.ts";
import { type Declared, isSetting, type Setting, type SettingGroup, type TextSetting, type ValuesOf } from "./kinds.ts";

/**
 * A setting that was not accepted. The rest of the file is used. explain.ts describes it in words; hooks do not load
 * that.
 */
export interface SettingProblem {
  /** Such as `distil.minCount`. */
  readonly path: string;
  /** An unknown name, an invalid value, an invalid environment variable, or a secret in the file. */
  readonly wrong: "name" | "value" | "variable" | "secret";
  readonly given: unknown;
}

type Values = Readonly<Record<string, unknown>>;

export interface SettingsInput {
  /** The content of the file. */
  readonly file: Values;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Resolves every setting from the environment, the file or the default, and reports what was ignored. A group that is
 * not in the file is taken from `defaults` if present, so that a hook need not read its settings.
 */
export function resolveSettings<D extends Declared>(
  declared: D,
  { file, env }: SettingsInput,
  defaults: Values = {},
): { readonly values: ValuesOf<D>; readonly problems: readonly SettingProblem[] } {
  const problems: SettingProblem[] = [];
  const { $schema: _, ...members } = file;
  const read = membersOf(declared, members, { env, problems, at: "", entry: "", defaults });
  return { values: read as ValuesOf<D>, problems };
}

interface ReadState {
  readonly env: SettingsInput["env"];
  readonly problems: SettingProblem[];
  /** The path so far; ends with a dot while a group's members are read. */
  readonly at: string;
  /** Inside a table: the suffix of a secret's variable. */
  readonly entry: string;
  /** Groups that need not be read if the file does not contain them. */
  readonly defaults: Values;
}

function membersOf(declared: Declared, file: Values, reading: ReadState): Values {
  const values: Record<string, unknown> = {};
  // Nearly all settings have their default; this keeps them cheap.
  for (const name of Object.keys(declared)) {
    const given = Object.hasOwn(file, name) ? file[name] : undefined;
    if (given === undefined && Object.hasOwn(reading.defaults, name)) {
      values[name] = reading.defaults[name];
      continue;
    }
    const one = declared[name]!;
    values[name] = isDefault(one, given)
      ? one.default
      : readOne(one, given, { ...reading, at: `${reading.at}${name}` });
  }
  for (const [name, given] of Object.entries(file))
    if (!Object.hasOwn(declared, name)) reading.problems.push({ path: `${reading.at}${name}`, wrong: "name", given });
  return values;
}

/** True if neither the file nor an environment variable can set it. */
function isDefault(one: Setting | SettingGroup, given: unknown): one is Exclude<Setting, { kind: "secret" | "table" }> {
  return given === undefined && isSetting(one) && "default" in one && (one.kind !== "text" || one.env === undefined);
}

function readOne(one: Setting | SettingGroup, given: unknown, reading: ReadState): unknown {
  return isSetting(one) ? valueOf(one, given, reading) : groupOf(one, given, reading);
}

function groupOf(group: SettingGroup, given: unknown, reading: ReadState): Values {
  return membersOf(group, recordOf(given, reading), { ...reading, at: `${reading.at}.`, defaults: {} });
}

function valueOf(setting: Setting, given: unknown, reading: ReadState): unknown {
  switch (setting.kind) {
    case "secret":
      if (given !== undefined) refuse(reading, "secret", null);
      return reading.env[`${setting.env}${reading.entry}`] || null;
    case "table":
      return entriesOf(setting.fields, given, reading);
    case "list":
      return textsOf(given, reading);
    case "text":
      return fromEnv(setting, reading) ?? checked(setting, given, reading);
    default:
      return checked(setting, given, reading);
  }
}

function checked(setting: Exclude<Setting, { kind: "secret" | "table" }>, given: unknown, reading: ReadState): unknown {
  if (given === undefined) return setting.default;
  const value = checkSettingValue(setting, given);
  if (value !== undefined) return value;
  refuse(reading, "value", given);
  return setting.kind === "flag" ? (setting.unclear ?? setting.default) : setting.default;
}

function fromEnv(setting: TextSetting, reading: ReadState): unknown {
  const text = setting.env === undefined ? undefined : reading.env[setting.env];
  if (!text) return undefined;
  const value = checkSettingValue(setting, text);
  if (value === undefined) refuse(reading, "variable", text);
  return value;
}

function entriesOf(fields: SettingGroup, given: unknown, reading: ReadState): Values {
  return Object.fromEntries(
    Object.entries(recordOf(given, reading)).map(([name, entry]) => {
      const here = { ...reading, at: `${reading.at}.${name}`, entry: variableEnding(name) };
      return [name, groupOf(fields, entry, here)];
    }),
  );
}

/** `local-7b` reads its secret from `…_LOCAL_7B`. */
export function variableEnding(entry: string): string {
  return `_${entry.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

/** Keeps the valid entries even if others are invalid, because a list may switch things off. */
function textsOf(given: unknown, reading: ReadState): readonly string[] {
  const all: readonly unknown[] = given === undefined ? [] : Array.isArray(given) ? given : [given];
  const texts = all.filter((one) => typeof one === "string");
  if (texts.length < all.length || (given !== undefined && !Array.isArray(given))) refuse(reading, "value", given);
  return texts;
}

function recordOf(given: unknown, reading: ReadState): Values {
  if (isRecord(given)) return given;
  if (given !== undefined) refuse(reading, "value", given);
  return {};
}

function refuse({ problems, at }: ReadState, wrong: SettingProblem["wrong"], given: unknown): void {
  problems.push({ path: at, wrong, given });
}
