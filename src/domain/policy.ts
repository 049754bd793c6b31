import { settings } from "./settings/declared.ts";
import { groupDefaults } from "./settings/group-defaults.ts";
import { isSetting, type Setting, type ValuesOf } from "./settings/kinds.ts";
import { resolveSettings } from "./settings/read.ts";

export type SettingValues = ValuesOf<typeof settings>;

/** The settings that are in groups: every number and switch behind oldhand's decisions. */
export type Policy = { readonly [Group in GroupName]: SettingValues[Group] };

type GroupName = {
  [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting ? never : Name;
}[keyof typeof settings];

/** Marked pure so that the bundler can drop it from the hook, which does not use it. */
export const defaultPolicy: Policy = /* @__PURE__ */ policyByDefault();

function policyByDefault(): Policy {
  return extractPolicy(resolveSettings(settings, { file: {}, env: {} }).values);
}

export function extractPolicy(values: SettingValues): Policy {
  const names = Object.keys(settings) as (keyof SettingValues)[];
  const groups = names.filter((name) => Object.hasOwn(groupDefaults, name) || !isSetting(settings[name]));
  return Object.fromEntries(groups.map((name) => [name, values[name]])) as Policy;
}
