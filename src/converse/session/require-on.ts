import { type Config, isOff, loadConfig } from "../../config.ts";
import { OldhandError } from "../../lib/errors.ts";

/**
 * While oldhand is off it stores nothing, so its agents cannot work. `workspace` is null for work that belongs to none: then
 * only the switch for everything counts.
 */
export function requireSwitchedOn(config: Pick<Config, "home" | "providers">, workspace: string | null): void {
  const off = readSwitch(config);
  if (off.everywhere) throw new OldhandError("refused", "oldhand is off", { hint: EVERYWHERE_HINT });
  if (workspace !== null && isOff(off, workspace))
    throw new OldhandError("refused", "oldhand is off in this folder", {
      hint: "oldhand on --workspace . switches it on here",
    });
}

const EVERYWHERE_HINT = "oldhand on switches it on";

/** That oldhand is off, for whoever works without a person, with what switches it on; null if it is on. */
export function explainOff(config: Pick<Config, "home" | "providers">, workspace: string | null): string | null {
  const off = readSwitch(config);
  if (off.everywhere) return `oldhand is off; ${EVERYWHERE_HINT}`;
  return workspace !== null && isOff(off, workspace)
    ? `oldhand is off in ${workspace}; oldhand on --workspace ${workspace} switches it on`
    : null;
}

export function isSwitchedOff(config: Pick<Config, "home" | "providers">, workspace: string): boolean {
  return isOff(readSwitch(config), workspace);
}

/** Read again each time: it may have been switched since this process started. */
function readSwitch({ home, providers }: Pick<Config, "home" | "providers">): Config["off"] {
  return loadConfig({ home, env: providers.env }).off;
}
