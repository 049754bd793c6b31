import { type Config, isOffByEnv } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import { tryParseJson } from "../lib/json.ts";
import type { Host } from "../observe/protocol/host.ts";
import { recordSessionOff, recordSettingsSwitch } from "../observe/off-times.ts";

/**
 * Called when a hook runs while oldhand is off. Records only since when, and for a switch by environment also which
 * session, so that nothing from that time is imported later.
 */
export async function recordOff(
  { config, env }: { readonly config: Config; readonly env: Readonly<Record<string, string | undefined>> },
  host: Host | undefined,
  payload: () => Promise<string | null>,
): Promise<void> {
  const now = systemClock.now();
  if (!isOffByEnv(env)) return recordSettingsSwitch(config.home, config.off, now);
  const text = host === undefined ? null : await payload();
  const [first] = text === null || host === undefined ? [] : (await host.protocol()).decode(tryParseJson(text), env);
  if (first !== undefined) recordSessionOff(config.home, first, now);
}
