import type { RetiredModel } from "../../domain/model/retired-model.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

export function listRetiredModels(db: Db): Promise<RetiredModel[]> {
  return db.all<RetiredRow>(`select ${columns} from retired_models order by id`).then((rows) => rows.map(fromRow));
}

const columns = "id, at, message, url";

interface RetiredRow extends Omit<RetiredModel, "url"> {
  readonly url: string | null;
}

function fromRow({ url, ...one }: RetiredRow): RetiredModel {
  return url === null ? one : { ...one, url };
}

/** Only the journal calls these. */
export const retiredModelNoun: Noun<RetiredModel> = {
  name: "retired-model",
  read: async (db, id) => {
    const row = await db.get<RetiredRow>(`select ${columns} from retired_models where id = ?`, [id]);
    return row === undefined ? null : fromRow(row);
  },
  write: async (db, id, one) => {
    if (one === null) await db.run("delete from retired_models where id = ?", [id]);
    else
      await db.run(
        `insert into retired_models (id, at, message, url) values (?, ?, ?, ?)
         on conflict (id) do update set at = excluded.at, message = excluded.message, url = excluded.url`,
        [id, one.at, one.message, one.url ?? null],
      );
  },
  all: listRetiredModels,
  dependants: async () => [],
};
