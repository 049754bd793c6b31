import { type Config, isOff, loadConfig } from "../../config.ts";
import { OldhandError } from "../../lib/errors.ts";

/**
 * While oldhand is off it stores nothing, so its agents cannot work. `workspace` is null for work that belongs to none: then
 * only the switch for everything counts.
 */
export function requireSwitchedOn(config: Pick<Config, "home" | "providers">, workspace: string | null): void {
  // Read again: it may have been switched since this process started.
  const { off } = loadConfig({ home: config.home, env: config.providers.env });
  if (off.everywhere) throw new OldhandError("refused", "oldhand is off", { hint: "oldhand on switches it on" });
  if (workspace !== null && isOff(off, workspace))
    throw new OldhandError("refused", "oldhand is off in this folder", {
      hint: "oldhand on --workspace . switches it on here",
    });
}
