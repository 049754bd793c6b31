import { isOwner } from "../../domain/actor.ts";
import type { Cap, CapKind } from "../../domain/model/caps.ts";
import { toDollars, toNanos } from "../../domain/model/money.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const columns = "id, kind, name, limit_nanos, counts, strict, extension_day, extension_nanos";

/** Those that the owner set, by id. */
export async function listCaps(db: Db): Promise<Cap[]> {
  return (await db.all<CapRow>(`select ${columns} from model_caps order by id`)).map(fromRow);
}

/** Only the journal calls these. Money is the owner's: no agent changes a cap, by no way. */
export const capNoun: Noun<Cap> = {
  name: "cap",
  read: async (db, id) => {
    const row = await db.get<CapRow>(`select ${columns} from model_caps where id = ?`, [id]);
    return row ? fromRow(row) : null;
  },
  write: async (db, id, cap) => {
    if (cap === null) {
      await db.run("delete from model_caps where id = ?", [id]);
      return;
    }
    await db.run(
      `insert into model_caps (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set kind = excluded.kind, name = excluded.name, limit_nanos = excluded.limit_nanos,
         counts = excluded.counts, strict = excluded.strict, extension_day = excluded.extension_day,
         extension_nanos = excluded.extension_nanos`,
      [
        id,
        cap.kind,
        cap.name,
        cap.limit === null ? null : toNanos(cap.limit),
        cap.counts,
        cap.isStrict ? 1 : 0,
        cap.extension?.day ?? null,
        cap.extension === null ? null : toNanos(cap.extension.amount),
      ],
    );
  },
  all: listCaps,
  dependants: async () => [],
  refuses: (_before, _after, actor) => (isOwner(actor) ? null : "only the owner decides what models may cost"),
};

interface CapRow {
  id: string;
  kind: string;
  name: string;
  limit_nanos: number | null;
  counts: string;
  strict: number;
  extension_day: string | null;
  extension_nanos: number | null;
}

function fromRow(row: CapRow): Cap {
  return {
    id: row.id,
    kind: row.kind as CapKind,
    name: row.name,
    limit: row.limit_nanos === null ? null : toDollars(row.limit_nanos),
    counts: row.counts as Cap["counts"],
    isStrict: row.strict === 1,
    extension:
      row.extension_day === null ? null : { day: row.extension_day, amount: toDollars(row.extension_nanos ?? 0) },
  };
}
