import { join } from "node:path";
import { openStore } from "../../../src/store/open.ts";
import { storedRows, type StoredRow } from "../../models/pass-through/passing.ts";
import type { Lab } from "./lab.ts";

/** The model calls in a lab's mind, oldest first. */
export async function storedModelCalls(lab: Lab): Promise<readonly StoredRow[]> {
  const store = await openStore({ database: join(lab.home, ".oldhand", "mind.db"), busyMs: 5_000 });
  const rows = await storedRows(store.db);
  await store.close();
  return rows;
}
