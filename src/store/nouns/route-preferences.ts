import { isOwner } from "../../domain/actor.ts";
import type { EvolutionKind } from "../../domain/evolution/evolution.ts";
import type { RoutePreference } from "../../domain/evolution/route-preference.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const columns = "id, task_type, complexity, model, instead_of, kind, why, at";

export async function listRoutePreferences(db: Db): Promise<RoutePreference[]> {
  return (await db.all<PreferenceRow>(`select ${columns} from route_preferences order by id`)).map(fromRow);
}

export async function getRoutePreference(db: Db, id: string): Promise<RoutePreference | null> {
  const row = await db.get<PreferenceRow>(`select ${columns} from route_preferences where id = ?`, [id]);
  return row === undefined ? null : fromRow(row);
}

/** Only the journal calls these. Which model goes first is the owner's decision. */
export const routePreferenceNoun: Noun<RoutePreference> = {
  name: "route-preference",
  read: getRoutePreference,
  write: async (db, id, one) => {
    if (one === null) {
      await db.run("delete from route_preferences where id = ?", [id]);
      return;
    }
    await db.run(
      `insert into route_preferences (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (id) do update set task_type = excluded.task_type, complexity = excluded.complexity,
         model = excluded.model, instead_of = excluded.instead_of, kind = excluded.kind, why = excluded.why,
         at = excluded.at`,
      [id, one.taskType, one.complexity, one.model, one.insteadOf, one.kind, one.why, one.at],
    );
  },
  all: listRoutePreferences,
  dependants: async () => [],
  refuses: (_before, _after, actor) =>
    isOwner(actor) || actor.kind === "maintenance" ? null : "only the owner decides which model goes first",
};

interface PreferenceRow {
  readonly id: string;
  readonly task_type: string;
  readonly complexity: string;
  readonly model: string;
  readonly instead_of: string;
  readonly kind: string;
  readonly why: string;
  readonly at: number;
}

function fromRow(row: PreferenceRow): RoutePreference {
  return {
    id: row.id,
    taskType: row.task_type,
    complexity: row.complexity as Complexity,
    model: row.model,
    insteadOf: row.instead_of,
    kind: row.kind as EvolutionKind,
    why: row.why,
    at: row.at,
  };
}
