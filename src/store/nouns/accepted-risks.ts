import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { readMeta, writeMeta } from "../state/meta.ts";

/** Which risk of a rule's advice the owner accepted, by rule. In `meta`, because it may change nothing in the rule. */
const KEY = "accepted risks";

export async function readAcceptedRisks(db: Db): Promise<ReadonlyMap<string, string>> {
  const accepted = tryParseJson((await readMeta(db, KEY)) ?? "{}");
  return new Map(
    Object.entries(isRecord(accepted) ? accepted : {}).flatMap(([id, risk]) =>
      typeof risk === "string" ? [[id, risk]] : [],
    ),
  );
}

export function noteAcceptedRisk(db: Db, id: string, risk: string): Promise<void> {
  return db.tx(async (tx) =>
    writeMeta(tx, KEY, JSON.stringify({ ...Object.fromEntries(await readAcceptedRisks(tx)), [id]: risk })),
  );
}
