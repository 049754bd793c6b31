/**
 * What a setting can be. Each is plain data: checks, the schema, the documentation and the types are read off it, and
 * the hook's bundle carries it as JSON.
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
  /** What is meant where the file says something else than yes or no. */
  readonly unclear?: boolean;
}

export interface TextSetting extends Described, TextRules {
  readonly kind: "text";
  readonly default: string;
}

interface TextRules {
  /** A regular expression that the text must match, and what it asks for in words. */
  readonly pattern?: string;
  readonly asksFor?: string;
  /** An environment variable that goes before the file. */
  readonly env?: string;
  /** Where it cannot be read, its default must not take its place. */
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
  /** The command that changes it: a list is not typed in one word. */
  readonly changedBy: string;
}

export interface SecretSetting extends Described {
  readonly kind: "secret";
  /** Where its value comes from, never from the file. In a table, `_` and the entry's name follow, in capitals. */
  readonly env: string;
}

export interface TableSetting<Fields extends SettingGroup> extends Described {
  readonly kind: "table";
  /** The fields of each entry. Its owner chooses the names of the entries. */
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

/** A group has settings where a setting has its kind. */
export function isSetting(one: Setting | SettingGroup): one is Setting {
  return typeof one["kind"] === "string";
}
