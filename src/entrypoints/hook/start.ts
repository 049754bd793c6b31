import { findHomeFlag } from "../../config.ts";
import { loadHook } from "./code-cache.ts";

export async function startHook(args: readonly string[]): Promise<void> {
  const home = findHomeFlag(args);
  const { runHook: hook, keep } = loadHook(home);
  if (await hook(args, home)) keep();
  leave();
}

/** Exits without Node's cleanup, which would also close the database and take longer than all the work. */
function leave(): void {
  const { reallyExit } = process as unknown as { reallyExit?: (code: number) => never };
  if (reallyExit) reallyExit.call(process, 0);
  else process.exit(0);
}
