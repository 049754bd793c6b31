import { settings } from "./declared.ts";
import { type Declared, isSetting, type Setting, type Shape } from "./kinds.ts";
import { readSettings } from "./read.ts";

/**
 * The groups of settings as they are where nobody chose anything, without those that the environment has a say in. The
 * hook's bundle carries them as JSON.
 */
export const groupDefaults: Readonly<Record<string, unknown>> = /* @__PURE__ */ defaultsOf(settings);

function defaultsOf(declared: Declared): Readonly<Record<string, unknown>> {
  const groups = Object.entries(declared).filter(
    ([, one]) => isGroup(one) && !Object.values(one).some(asksEnvironment),
  );
  return readSettings(Object.fromEntries(groups), { file: {}, env: {} }).values;
}

function isGroup(one: Setting | Shape): one is Shape {
  return !isSetting(one);
}

function asksEnvironment(setting: Setting): boolean {
  return "env" in setting || setting.kind === "table";
}
