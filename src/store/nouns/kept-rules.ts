import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { readMeta, writeMeta } from "../state/meta.ts";

/** When the owner last confirmed a rule unchanged. In `meta`, because the journal has no entry without a change. */
const KEY = "kept rules";

export async function readKeptRuleTimes(db: Db): Promise<ReadonlyMap<string, number>> {
  const kept = tryParseJson((await readMeta(db, KEY)) ?? "{}");
  return new Map(
    Object.entries(isRecord(kept) ? kept : {}).flatMap(([id, at]) => (typeof at === "number" ? [[id, at]] : [])),
  );
}

export function noteKeptRule(db: Db, id: string, at: number): Promise<void> {
  return db.tx(async (tx) =>
    writeMeta(tx, KEY, JSON.stringify({ ...Object.fromEntries(await readKeptRuleTimes(tx)), [id]: at })),
  );
}
