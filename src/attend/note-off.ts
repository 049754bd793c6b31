import { type Config, isOffByEnv } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import { tryParse } from "../lib/json.ts";
import type { Host } from "../observe/protocol/host.ts";
import { noteSessionOff, noteSettings } from "../observe/off-times.ts";

/** A hook ran where oldhand is off: since when is noted, and of whom, so that nothing of it is read later. Nothing else is. */
export async function noteOff(
  { config, env }: { readonly config: Config; readonly env: Readonly<Record<string, string | undefined>> },
  host: Host | undefined,
  payload: () => Promise<string | null>,
): Promise<void> {
  const now = systemClock.now();
  if (!isOffByEnv(env)) return noteSettings(config.home, config.off, now);
  const told = host === undefined ? null : await payload();
  const [first] = told === null || host === undefined ? [] : (await host.protocol()).decode(tryParse(told), env);
  if (first !== undefined) noteSessionOff(config.home, first, now);
}
