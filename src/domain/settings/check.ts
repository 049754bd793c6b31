import type { Setting } from "./kinds.ts";

/** Returns a value of the file, normalised; undefined if it is invalid. */
export function checkSettingValue(setting: Setting, given: unknown): unknown {
  switch (setting.kind) {
    case "number":
      return typeof given === "number" && given >= setting.min && given <= setting.max ? given : undefined;
    case "flag":
      // Version 0.1.0 wrote 1 and 0.
      return typeof given === "boolean" ? given : given === 1 ? true : given === 0 ? false : undefined;
    case "text":
      return typeof given === "string" && (setting.pattern === undefined || new RegExp(setting.pattern).test(given))
        ? given
        : undefined;
    case "choice":
      return setting.choices.find((choice) => choice === given);
    case "list":
      return Array.isArray(given) && given.every((one) => typeof one === "string") ? given : undefined;
    // A secret is never in the file, and a table is written field by field.
    case "secret":
    case "table":
      return undefined;
  }
}

/** The same for a value that a person typed. */
export function parseTypedValue(setting: Setting, typed: string): unknown {
  if (setting.kind === "number") return typed.trim() === "" ? undefined : checkSettingValue(setting, Number(typed));
  if (setting.kind === "flag") return flags.get(typed.trim().toLowerCase());
  return checkSettingValue(setting, typed);
}

const flags = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);
