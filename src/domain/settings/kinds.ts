/**
 * The kinds of settings. Each is plain data: checks, the schema, the documentation and the types are derived from it,
 * and the hook's bundle contains it as JSON.
 */
export type Setting =
  | NumberSetting
  | FlagSetting
  | TextSetting
  | ChoiceSetting<string>
  | ListSetting
  | SecretSetting
  | TableSetting<SettingGroup>;

export interface NumberSetting extends Described {
  readonly kind: "number";
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

export interface FlagSetting extends Described {
  readonly kind: "flag";
  readonly default: boolean;
  /** The value to use if the file contains something other than true or false. */
  readonly unclear?: boolean;
}

export interface TextSetting extends Described, TextRules {
  readonly kind: "text";
  readonly default: string;
}

interface TextRules {
  /** A regular expression that the text must match, and its description in words. */
  readonly pattern?: string;
  readonly asksFor?: string;
  /** An environment variable that takes precedence over the file. */
  readonly env?: string;
  /** If the value is invalid, the default must not be used in its place. */
  readonly isEssential?: true;
}

export interface ChoiceSetting<Choice extends string> extends Described {
  readonly kind: "choice";
  readonly default: Choice;
  readonly choices: readonly Choice[];
}

export interface ListSetting extends Described {
  readonly kind: "list";
  readonly default: readonly string[];
  /** The command that changes it, because a list cannot be typed as one word. */
  readonly changedBy: string;
}

export interface SecretSetting extends Described {
  readonly kind: "secret";
  /**
   * The environment variable with its value; it is never in the file. In a table, `_` and the entry's name in capitals
   * follow.
   */
  readonly env: string;
}

export interface TableSetting<Fields extends SettingGroup> extends Described {
  readonly kind: "table";
  /** The fields of each entry. The owner chooses the names of the entries. */
  readonly fields: Fields;
}

interface Described {
  readonly summary: string;
}

export type SettingGroup = Readonly<Record<string, Setting>>;
/** Settings, and groups of them. */
export type Declared = Readonly<Record<string, Setting | SettingGroup>>;

export type ValueOf<S> = S extends { readonly kind: "number" }
  ? number
  : S extends { readonly kind: "flag" }
    ? boolean
    : S extends { readonly kind: "text" }
      ? string
      : S extends ChoiceSetting<infer Choice>
        ? Choice
        : S extends { readonly kind: "list" }
          ? readonly string[]
          : S extends { readonly kind: "secret" }
            ? string | null
            : S extends TableSetting<infer Fields>
              ? Readonly<Record<string, ValuesOf<Fields>>>
              : never;

export type ValuesOf<D> = {
  readonly [Name in keyof D]: D[Name] extends Setting ? ValueOf<D[Name]> : ValuesOf<D[Name]>;
};

export function numberSetting(value: number, min: number, max: number, summary: string): NumberSetting {
  return { kind: "number", default: value, min, max, summary };
}

export function flagSetting(value: boolean, summary: string, more: Pick<FlagSetting, "unclear"> = {}): FlagSetting {
  return { kind: "flag", default: value, summary, ...more };
}

export function textSetting(value: string, summary: string, rules: TextRules = {}): TextSetting {
  return { kind: "text", default: value, summary, ...rules };
}

export function choiceSetting<const Choice extends string>(
  choices: readonly Choice[],
  value: NoInfer<Choice>,
  summary: string,
): ChoiceSetting<Choice> {
  return { kind: "choice", default: value, choices, summary };
}

export function listSetting(summary: string, changedBy: string): ListSetting {
  return { kind: "list", default: [], changedBy, summary };
}

export function secretSetting(env: string, summary: string): SecretSetting {
  return { kind: "secret", env, summary };
}

export function tableSetting<const Fields extends SettingGroup>(fields: Fields, summary: string): TableSetting<Fields> {
  return { kind: "table", fields, summary };
}

/** A share of something: 0 is none, 1 is all. */
export function shareSetting(value: number, summary: string): NumberSetting {
  return numberSetting(value, 0, 1, summary);
}

export function countSetting(value: number, summary: string): NumberSetting {
  return numberSetting(value, 1, 1_000_000, summary);
}

export function daysSetting(value: number, summary: string): NumberSetting {
  return numberSetting(value, 1, 3_650, `${summary} (days)`);
}

export function hoursSetting(value: number, summary: string): NumberSetting {
  return numberSetting(value, 1, 8_760, `${summary} (hours)`);
}

/** A setting has a `kind` of type string; a group has settings as members. */
export function isSetting(one: Setting | SettingGroup): one is Setting {
  return typeof one["kind"] === "string";
}
