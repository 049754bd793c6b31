import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { HookEventBase } from "../../observe/protocol/hook-event.ts";
import { isSelfTest } from "../../observe/protocol/self-test-name.ts";

/**
 * True if the user's own hooks report this event. The repository's team hooks then stay silent, so that each event is
 * reported once.
 */
export function isReportedByUserHooks(home: string, host: string, event: Pick<HookEventBase, "session">): boolean {
  if (isSelfTest(event.session)) return false;
  const file = join(home, "installed.json");
  const receipts = existsSync(file) ? tryParseJson(readFileSync(file, "utf8")) : [];
  if (!Array.isArray(receipts)) return false;
  return receipts.some((one) => isRecord(one) && one["host"] === host && (one["project"] ?? null) === null);
}
