import type { Override } from "../../domain/rule/override.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const columns = "id, rule, reason, created_at, used_at, used_host, used_session";

/** A rule's unused overrides, oldest first. */
export async function listOpenOverrides(db: Db, rule: string): Promise<Override[]> {
  const rows = await db.all<OverrideRow>(
    `select ${columns} from overrides where rule = ? and used_at is null order by created_at, id`,
    [rule],
  );
  return rows.map(fromRow);
}

export async function listOverrides(db: Db, rule: string | null = null): Promise<Override[]> {
  const rows = await db.all<OverrideRow>(
    `select ${columns} from overrides where rule = coalesce(?, rule) order by created_at, id`,
    [rule],
  );
  return rows.map(fromRow);
}

/** Only the journal calls these. */
export const overrideNoun: Noun<Override> = {
  name: "override",
  read: async (db, id) => {
    const row = await db.get<OverrideRow>(`select ${columns} from overrides where id = ?`, [id]);
    return row ? fromRow(row) : null;
  },
  write: async (db, id, one) => {
    if (one === null) {
      await db.run("delete from overrides where id = ?", [id]);
      return;
    }
    await db.run(
      `insert into overrides (${columns}) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set rule = excluded.rule, reason = excluded.reason, created_at = excluded.created_at,
         used_at = excluded.used_at, used_host = excluded.used_host, used_session = excluded.used_session`,
      [
        id,
        one.rule,
        one.reason,
        one.createdAt,
        one.used?.at ?? null,
        one.used?.host ?? null,
        one.used?.session ?? null,
      ],
    );
  },
  all: (db) => listOverrides(db),
  dependants: async () => [],
};

interface OverrideRow {
  id: string;
  rule: string;
  reason: string | null;
  created_at: number;
  used_at: number | null;
  used_host: string | null;
  used_session: string | null;
}

function fromRow(row: OverrideRow): Override {
  return {
    id: row.id,
    rule: row.rule,
    reason: row.reason,
    createdAt: row.created_at,
    used: row.used_at === null ? null : { at: row.used_at, host: row.used_host ?? "", session: row.used_session ?? "" },
  };
}
