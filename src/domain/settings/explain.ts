import { isRecord } from "../../lib/json.ts";
import type { Declared, Setting } from "./kinds.ts";
import { findSetting } from "./paths.ts";
import type { SettingProblem } from "./read.ts";

/** A problem as shown to a person. */
export interface ExplainedProblem {
  readonly path: string;
  /** The environment variable it is in; null if it is in the file. */
  readonly variable: string | null;
  readonly isRetired: boolean;
  /** The text after its name: `must be a number from 1 to 20, not 0; 3 is used`. */
  readonly why: string;
  readonly hint: string;
}

/** Explains problems in words. `retired` lists the names that earlier versions accepted. */
export function explainProblems(
  declared: Declared,
  retired: readonly string[],
  problems: readonly SettingProblem[],
): readonly ExplainedProblem[] {
  return problems.flatMap((problem): readonly ExplainedProblem[] => {
    const { path, given } = problem;
    const inFile = { path, variable: null, isRetired: false };
    if (problem.wrong !== "name") return [{ ...inFile, ...refusal(declared, problem) }];
    if (retired.includes(path))
      return [{ ...inFile, isRetired: true, why: "is retired and no longer used", hint: REMOVE }];
    // For a removed group, each member is reported by its own name.
    if (isRecord(given) && retired.some((one) => one.startsWith(`${path}.`)))
      return explainProblems(
        declared,
        retired,
        Object.entries(given).map(([name, one]) => ({ path: `${path}.${name}`, wrong: "name", given: one })),
      );
    return [{ ...inFile, why: "is not a setting; it is ignored", hint: RENAME }];
  });
}

const REMOVE = "oldhand doctor --fix removes it";
const RENAME = "correct its name, or remove it from the file; oldhand config lists all settings";
const CORRECT = "correct it there; oldhand config shows the values in use";

function refusal(
  declared: Declared,
  { path, wrong, given }: SettingProblem,
): Pick<ExplainedProblem, "why" | "hint"> & Partial<ExplainedProblem> {
  const setting = findSetting(declared, path);
  if (setting === null) return { why: "must be a group in braces; it is ignored", hint: CORRECT };
  if (wrong === "secret")
    return {
      why: `is a secret and is not read from the file`,
      hint: "remove it there, and set the environment variable",
    };
  if (wrong === "variable" && setting.kind === "text")
    return { variable: setting.env ?? null, why: `must be ${asksFor(setting)}; it is ignored`, hint: CORRECT };
  // Texts are not repeated: an address may contain a password.
  const instead = typeof given === "number" || typeof given === "boolean" ? `, not ${given}` : "";
  return { why: `must be ${asksFor(setting)}${instead}${used(setting)}`, hint: CORRECT };
}

function used(setting: Setting): string {
  if (setting.kind === "list") return "; other entries are ignored";
  if (setting.kind === "secret" || setting.kind === "table") return "; it is ignored";
  if (setting.kind === "text" && setting.isEssential === true) return "";
  return `; ${String(setting.kind === "flag" ? (setting.unclear ?? setting.default) : setting.default)} is used`;
}

/** What is accepted, for a message: `a number from 1 to 20`. */
export function asksFor(setting: Setting): string {
  switch (setting.kind) {
    case "number":
      return `a number from ${setting.min} to ${setting.max}`;
    case "flag":
      return "true or false";
    case "text":
      return setting.asksFor ?? "text";
    case "choice":
      return `one of ${setting.choices.join(", ")}`;
    case "list":
      return `a list of texts; ${setting.changedBy} adds to it`;
    case "secret":
      return `the environment variable ${setting.env}`;
    case "table":
      return `named entries, each with ${Object.keys(setting.fields).join(", ")}`;
  }
}
