import { settings } from "./settings/declared.ts";
import { isSetting, type Setting, type ValuesOf } from "./settings/kinds.ts";
import { readSettings } from "./settings/read.ts";

export type Values = ValuesOf<typeof settings>;

/** The settings that stand in groups: every number and switch that oldhand decides by. */
export type Policy = { readonly [Group in GroupName]: Values[Group] };

type GroupName = {
  [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting ? never : Name;
}[keyof typeof settings];

export const defaultPolicy: Policy = /* @__PURE__ */ policyOf(
  /* @__PURE__ */ readSettings(settings, { file: {}, env: {} }).values,
);

export function policyOf(values: Values): Policy {
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([, one]) => !isSetting(one))
      .map(([name]) => [name, values[name as keyof Values]]),
  ) as Policy;
}
