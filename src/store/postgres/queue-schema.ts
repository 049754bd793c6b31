import type { Db } from "../engine/db.ts";

/** pg-boss's tables are in a schema of their own, beside the mind's. */
export async function findQueueSchema(db: Db): Promise<string> {
  const row = await db.get<{ name: string }>("select current_schema() as name");
  return row === undefined || row.name === "public" ? "oldhand_queue" : `${row.name}_queue`;
}

/** The table of jobs with its schema; null if the queue was never opened on this database. */
export async function findJobTable(db: Db): Promise<string | null> {
  const name = `${await findQueueSchema(db)}.job`;
  const row = await db.get<{ there: string | null }>("select cast(to_regclass(?) as text) as there", [name]);
  return row?.there == null ? null : name;
}

export async function clearJobs(tx: Db): Promise<void> {
  const jobs = await findJobTable(tx);
  if (jobs !== null) await tx.run(`delete from ${jobs}`);
}

export function grantHint(schema: string, role: string): string {
  return `the queue of work keeps its tables there. As the owner of the database: create schema ${schema} authorization "${role}"`;
}

/** Before its first use nothing is wrong if the role may create the schema. */
export async function findQueueFault(db: Db): Promise<{ readonly what: string; readonly hint: string } | null> {
  const schema = await findQueueSchema(db);
  const found = await db.get<{ jobs: string | null; role: string; there: boolean; creates: boolean }>(
    `select cast(to_regclass(?) as text) as jobs, current_user as role,
       exists (select 1 from pg_namespace where nspname = ?) as there,
       case when exists (select 1 from pg_namespace where nspname = ?) then has_schema_privilege(?, 'create')
         else has_database_privilege(current_database(), 'create') end as creates`,
    [`${schema}.job`, schema, schema, schema],
  );
  if (found === undefined || found.jobs !== null || found.creates) return null;
  const what = found.there
    ? `the role ${found.role} may not use the schema ${schema}`
    : `the role ${found.role} may not create the schema ${schema}`;
  return { what, hint: grantHint(schema, found.role) };
}
