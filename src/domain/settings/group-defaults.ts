import { settings } from "./declared.ts";
import { type Declared, isSetting, type Setting, type SettingGroup } from "./kinds.ts";
import { resolveSettings } from "./read.ts";

/**
 * The groups of settings as they are where nobody chose anything, without those that the environment has a say in. The
 * hook's bundle carries them as JSON.
 */
export const groupDefaults: Readonly<Record<string, unknown>> = /* @__PURE__ */ defaultsOf(settings);

function defaultsOf(declared: Declared): Readonly<Record<string, unknown>> {
  const groups = Object.entries(declared).filter(
    ([, one]) => isGroup(one) && !Object.values(one).some(readsEnvironment),
  );
  return resolveSettings(Object.fromEntries(groups), { file: {}, env: {} }).values;
}

function isGroup(one: Setting | SettingGroup): one is SettingGroup {
  return !isSetting(one);
}

function readsEnvironment(setting: Setting): boolean {
  return "env" in setting || (setting.kind === "table" && Object.values(setting.fields).some(readsEnvironment));
}
