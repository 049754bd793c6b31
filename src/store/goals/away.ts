import { toDollars } from "../../domain/model/money.ts";
import type { MissReason } from "../../domain/work/slot.ts";
import { tryParseJson, isRecord } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { readMeta, writeMeta } from "../state/meta.ts";

/** Up to when an owner has read the letters, and where the last of these letters began. */
export interface Looked {
  readonly at: number;
  readonly before: number | null;
}

/** Null if this owner never looked. */
export async function readLooked(db: Db, who: string): Promise<Looked | null> {
  const stored: unknown = tryParseJson((await readMeta(db, lookedKey(who))) ?? "null");
  if (!isRecord(stored) || typeof stored["at"] !== "number") return null;
  return { at: stored["at"], before: typeof stored["before"] === "number" ? stored["before"] : null };
}

/** It moves only forwards: whoever reads an older letter has not forgotten the newer one. */
export async function writeLooked(db: Db, who: string, looked: Looked): Promise<void> {
  await db.tx(async (tx) => {
    const last = await readLooked(tx, who);
    if (last === null || last.at < looked.at) await writeMeta(tx, lookedKey(who), JSON.stringify(looked));
  });
}

function lookedKey(who: string): string {
  return `looked ${who}`;
}

interface Stretched {
  readonly since: number;
  readonly until: number;
}

/** Slots of jobs that were missed or failed, one row for each job, fate and reason. */
export async function sumSlots(
  db: Db,
  { since, until }: Stretched,
): Promise<
  readonly {
    readonly job: string;
    readonly fate: "missed" | "failed";
    readonly reason: MissReason | null;
    readonly times: number;
    readonly at: number;
    /** Of the last one. */
    readonly detail: string | null;
  }[]
> {
  const rows = await db.all<{
    job: string;
    fate: "missed" | "failed";
    reason: MissReason | null;
    times: number;
    at: number;
  }>(
    `select job, fate, reason, count(*) as times, max(slot) as at from job_slots
     where slot > ? and slot <= ? and fate in ('missed', 'failed') group by job, fate, reason order by max(slot), job`,
    [since, until],
  );
  const sums: {
    job: string;
    fate: "missed" | "failed";
    reason: MissReason | null;
    times: number;
    at: number;
    detail: string | null;
  }[] = [];
  for (const row of rows) {
    const last = await db.get<{ detail: string | null }>("select detail from job_slots where job = ? and slot = ?", [
      row.job,
      row.at,
    ]);
    sums.push({ ...row, times: Number(row.times), detail: last?.detail ?? null });
  }
  return sums;
}

/** What model calls cost, by the model that answered; the dearest first. */
export async function sumCostByModel(
  db: Db,
  { since, until }: Stretched,
): Promise<
  readonly { readonly model: string; readonly calls: number; readonly cost: number; readonly listPrice: boolean }[]
> {
  const rows = await db.all<{ provider: string; model: string; list_price: number; calls: number; cost: number }>(
    `select provider, model, list_price, count(*) as calls, cast(sum(cost_nanos) as bigint) as cost from model_calls
     where at > ? and at <= ? group by provider, model, list_price order by sum(cost_nanos) desc, provider, model`,
    [since, until],
  );
  return rows.map(({ provider, model, list_price, calls, cost }) => {
    return {
      model: `${provider}/${model}`,
      calls: Number(calls),
      cost: toDollars(Number(cost)),
      listPrice: list_price === 1,
    };
  });
}

export async function countCycles(db: Db, { since, until }: Stretched): Promise<number> {
  const row = await db.get<{ count: number }>(
    "select count(*) as count from cycles where began_at > ? and began_at <= ? and action <> 'idle'",
    [since, until],
  );
  return Number(row?.count ?? 0);
}
