import type { RetiredModel } from "../../domain/model/retired-model.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

export function listRetiredModels(db: Db): Promise<RetiredModel[]> {
  return db.all<RetiredModel>("select id, at, message from retired_models order by id");
}

/** Only the journal calls these. */
export const retiredModelNoun: Noun<RetiredModel> = {
  name: "retired-model",
  read: async (db, id) =>
    (await db.get<RetiredModel>("select id, at, message from retired_models where id = ?", [id])) ?? null,
  write: async (db, id, one) => {
    if (one === null) await db.run("delete from retired_models where id = ?", [id]);
    else
      await db.run(
        `insert into retired_models (id, at, message) values (?, ?, ?)
         on conflict (id) do update set at = excluded.at, message = excluded.message`,
        [id, one.at, one.message],
      );
  },
  all: listRetiredModels,
  dependants: async () => [],
};
