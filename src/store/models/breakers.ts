import { type Breaker, newBreaker } from "../../domain/model/breaker.ts";
import type { ModelFailureKind } from "../../domain/model/failure.ts";
import { isProcessGone } from "../../lib/process-ref.ts";
import type { Db } from "../engine/db.ts";

/** Those of providers that failed and have not succeeded since. */
export async function listBreakers(db: Db): Promise<readonly Breaker[]> {
  const rows = await db.all<BreakerRow>(`select ${columns} from breakers order by provider`);
  return rows.map(fromRow);
}

/**
 * One process at a time makes the next state of a breaker; `next` gives null if it is to stay. It may be called more than
 * once: again with the newer state if another process was first. Gives back what was written, or null.
 */
export async function changeBreaker(
  db: Db,
  provider: string,
  next: (before: Breaker) => Breaker | null,
): Promise<Breaker | null> {
  for (;;) {
    const row = await db.get<BreakerRow>(`select ${columns} from breakers where provider = ?`, [provider]);
    const after = next(row === undefined ? newBreaker(provider) : fromRow(row));
    if (after === null) return null;
    const values = [
      after.failures,
      after.failedAt,
      after.opened,
      after.until,
      after.probeUntil,
      after.probeBy,
      after.why,
    ];
    const changed =
      row === undefined
        ? await db.run(
            `insert into breakers (failures, failed_at, opened, until, probe_until, probe_by, why, provider, version)
             values (?, ?, ?, ?, ?, ?, ?, ?, 0) on conflict (provider) do nothing`,
            [...values, provider],
          )
        : await db.run(
            `update breakers set failures = ?, failed_at = ?, opened = ?, until = ?, probe_until = ?, probe_by = ?, why = ?, version = version + 1
             where provider = ? and version = ?`,
            [...values, provider, row.version],
          );
    if (changed === 1) return after;
  }
}

const columns = "provider, failures, failed_at, opened, until, probe_until, probe_by, why, version";

interface BreakerRow {
  readonly provider: string;
  readonly failures: number;
  readonly failed_at: number | null;
  readonly opened: number;
  readonly until: number | null;
  readonly probe_until: number | null;
  readonly probe_by: string | null;
  readonly why: string | null;
  readonly version: number;
}

/** A call whose process is gone tries nothing any more. */
function fromRow(row: BreakerRow): Breaker {
  const isTrying = row.probe_until !== null && (row.probe_by === null || !isProcessGone(row.probe_by));
  return {
    provider: row.provider,
    failures: row.failures,
    failedAt: row.failed_at,
    opened: row.opened,
    until: row.until,
    probeUntil: isTrying ? row.probe_until : null,
    probeBy: isTrying ? row.probe_by : null,
    why: row.why as ModelFailureKind | null,
  };
}
