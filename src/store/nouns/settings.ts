import { isOwner } from "../../domain/actor.ts";
import type { SettingState } from "../../domain/journalled-settings.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

/** Members of the settings file, as the last change left them. Only the journal calls these; the file itself is written apart. */
export const settingNoun: Noun<SettingState> = {
  name: "setting",
  read: async (db, id) => {
    const row = await db.get<{ state: string }>("select state from settings where id = ?", [id]);
    return row === undefined ? null : parseState(row.state);
  },
  write: async (db, id, state) => {
    if (state === null) await db.run("delete from settings where id = ?", [id]);
    else
      await db.run(
        "insert into settings (id, state) values (?, ?) on conflict (id) do update set state = excluded.state",
        [id, JSON.stringify(state)],
      );
  },
  all: listSettingStates,
  dependants: async () => [],
  refuses: (_before, _after, actor) => (isOwner(actor) ? null : "only the owner changes settings"),
};

async function listSettingStates(db: Db): Promise<SettingState[]> {
  return (await db.all<{ state: string }>("select state from settings order by id")).map(({ state }) =>
    parseState(state),
  );
}

/** The table stores only what this noun wrote. */
function parseState(text: string): SettingState {
  return JSON.parse(text) as SettingState;
}
