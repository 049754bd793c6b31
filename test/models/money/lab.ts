import type { Cap, CapKind, Spender } from "../../../src/domain/model/caps.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { type Reservation, type ReserveResult, reserve } from "../../../src/store/models/reservations.ts";
import { capNoun } from "../../../src/store/nouns/caps.ts";
import { put } from "../../store/samples.ts";

export const noon = Date.UTC(2026, 10, 17, 12);
export const LEASE_MS = 60_000;
export const ada: Spender = { agent: "ada", job: null, goal: null };

/** A cap as the owner sets it, in dollars: of `day`, `agent NAME`, `job NAME` or `goal NAME`. */
export async function setCap(db: Db, id: string, limit: number | null, more: Partial<Cap> = {}): Promise<void> {
  const [kind = "", ...name] = id.split(" ");
  const of = { id, kind: kind as CapKind, name: name.join(" ") };
  await put(db, capNoun, { ...of, limit, counts: "all", isStrict: false, extension: null, ...more });
}

export interface Wanted {
  readonly spender?: Spender;
  readonly now?: number;
  readonly listPrice?: boolean;
}

export function tryReserve(db: Db, amount: number, { spender = ada, now = noon, listPrice }: Wanted = {}) {
  return reserve(db, { call: "c_1", attempt: 0, spender, amount, leaseMs: LEASE_MS, now, listPrice });
}

/** The reservation, and a failed test if there is none. */
export async function mustReserve(db: Db, amount: number, wanted: Wanted = {}): Promise<Reservation> {
  const result: ReserveResult = await tryReserve(db, amount, wanted);
  if (result.kind === "capped") throw new Error(`capped by ${result.hit.cap}`);
  return result.reservation;
}
