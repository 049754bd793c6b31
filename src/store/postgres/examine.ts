import type pg from "pg";
import type { ServerReach } from "../engine/db.ts";
import { storeError } from "./errors.ts";
import { measureReach } from "./reach.ts";
import { parsePostgresUrl } from "./url.ts";

/** Something that the owner of the server must do, with the SQL for it. */
export interface MissingRight {
  readonly what: string;
  readonly sql: string;
  /** False if oldhand works without it, only slower or not in full. */
  readonly isNeeded: boolean;
}

/** What was found at an address, before anything was changed there. */
export interface PostgresExam {
  /** The address to use: says explicitly whether there is a pooler, if its port does not. */
  readonly address: string;
  readonly place: string;
  readonly server: string;
  readonly role: string;
  readonly schema: string | null;
  readonly throughPooler: boolean;
  readonly missing: readonly MissingRight[];
  readonly reach: ServerReach;
}

/** Connects, looks, and changes nothing. */
export async function examinePostgres(address: string, connectMs: number): Promise<PostgresExam> {
  const { default: driver } = await import("pg");
  const asked = parsePostgresUrl(address);
  try {
    const throughPooler = await sharesConnections(driver, asked.connection, connectMs);
    const found = withPooler(address, throughPooler);
    const where = parsePostgresUrl(found);
    const client = await connect(driver, where.connection, connectMs);
    try {
      const [state] = (await client.query(LOOK, [where.schema])).rows as [Look];
      return {
        ...{ address: found, place: where.place, throughPooler },
        ...{ server: state.server, role: state.role, schema: state.schema },
        missing: listMissing(state, where.schema),
        reach: await measureReach(driver, where.connection, connectMs),
      };
    } finally {
      await client.end();
    }
  } catch (error) {
    throw storeError(error, asked.place);
  }
}

/**
 * True behind a transaction pooler: while one connection is in a transaction, the other is given another process of the
 * server than before, or both had the same one. A direct connection keeps its own process.
 */
async function sharesConnections(driver: typeof pg, connection: string, connectMs: number): Promise<boolean> {
  const first = await connect(driver, connection, connectMs);
  const second = await connect(driver, connection, connectMs).catch(async (error: unknown) => {
    await first.end();
    throw error;
  });
  try {
    const before = await processOf(first);
    await second.query("begin");
    const other = await processOf(second);
    const after = await processOf(first);
    await second.query("rollback");
    return other === before || after !== before;
  } finally {
    await first.end();
    await second.end();
  }
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select pg_backend_pid() as pid");
  return (rows[0] as { pid: number }).pid;
}

async function connect(driver: typeof pg, connectionString: string, connectMs: number): Promise<pg.Client> {
  const client = new driver.Client({
    connectionString,
    connectionTimeoutMillis: connectMs,
    application_name: "oldhand",
  });
  // A connection that is lost later is reported by the next statement.
  client.on("error", () => {});
  await client.connect();
  return client;
}

function withPooler(address: string, throughPooler: boolean): string {
  const url = new URL(address);
  url.searchParams.delete("pooler");
  const byPort = parsePostgresUrl(url.toString());
  if (byPort.throughPooler !== throughPooler) url.searchParams.set("pooler", throughPooler ? "transaction" : "none");
  return url.toString();
}

interface Look {
  readonly server: string;
  readonly role: string;
  /** The role that logs in; it may act as another. */
  readonly login: string;
  readonly database: string;
  readonly schema: string | null;
  /** A schema `oldhand` exists, whoever may use it. */
  readonly own_there: boolean;
  readonly path: string;
  /** May create schemas. */
  readonly creates_schemas: boolean;
  /** The schema that the tables would be in exists, and the role may create tables there. */
  readonly there: boolean;
  readonly creates: boolean;
  readonly queue: string;
  readonly queue_there: boolean;
  readonly queue_usable: boolean;
  readonly vector_installed: boolean;
  readonly vector_available: boolean;
  readonly vector_possible: boolean;
  /** Tables of an earlier migration that another role owns: this one cannot migrate them. */
  readonly foreign_owner: string | null;
}

/** `$1` is the schema of the address, or null. */
const LOOK = `
with place as (select coalesce($1::text, current_schema()::text) as schema),
  queue as (select case when schema is null or schema = 'public' then 'oldhand_queue' else schema || '_queue' end as name from place)
select current_setting('server_version') as server, current_user::text as role,
  session_user::text as login, exists (select from pg_namespace where nspname = 'oldhand') as own_there, current_database()::text as database,
  place.schema, current_setting('search_path') as path,
  has_database_privilege(current_database(), 'create') as creates_schemas,
  exists (select from pg_namespace where nspname = place.schema) as there,
  coalesce((select has_schema_privilege(oid, 'create') from pg_namespace where nspname = place.schema), false) as creates,
  queue.name as queue,
  exists (select from pg_namespace where nspname = queue.name) as queue_there,
  coalesce((select has_schema_privilege(oid, 'create') from pg_namespace where nspname = queue.name), false) as queue_usable,
  exists (select from pg_extension where extname = 'vector') as vector_installed,
  exists (select from pg_available_extensions where name = 'vector') as vector_available,
  exists (select from pg_available_extension_versions where name = 'vector'
    and (not superuser or trusted and has_database_privilege(current_database(), 'create')
      or (select rolsuper from pg_roles where rolname = current_user))) as vector_possible,
  (select min(tableowner::text) from pg_tables where schemaname = place.schema and tablename in ('meta', 'journal', 'events')
    and not pg_has_role(tableowner, 'usage')) as foreign_owner
from place, queue`;

function listMissing(look: Look, given: string | null): readonly MissingRight[] {
  const role = quoteName(look.role);
  const missing: MissingRight[] = [];
  const ownSchema = [
    look.own_there
      ? `grant usage, create on schema oldhand to ${role};`
      : `create schema oldhand authorization ${role};`,
    `alter role ${quoteName(look.login)} in database ${quoteName(look.database)} set search_path = oldhand;`,
  ].join(" ");
  if (look.schema === null)
    missing.push({
      what: `the search path (${look.path}) names no schema that exists`,
      sql: ownSchema,
      isNeeded: true,
    });
  else if (!look.there && !look.creates_schemas)
    missing.push({
      what: `the role ${look.role} may not create the schema ${look.schema}`,
      sql: `create schema ${quoteName(look.schema)} authorization ${role};`,
      isNeeded: true,
    });
  else if (look.there && !look.creates)
    missing.push({
      what: `the role ${look.role} may not create tables in the schema ${look.schema}`,
      sql:
        given === null && look.schema === "public"
          ? ownSchema
          : `grant usage, create on schema ${quoteName(look.schema)} to ${role};`,
      isNeeded: true,
    });
  if (look.foreign_owner !== null)
    missing.push({
      what: `the tables of the mind belong to ${look.foreign_owner}, and the role ${look.role} is no member of it`,
      sql: `grant ${quoteName(look.foreign_owner)} to ${role};`,
      isNeeded: true,
    });
  if (look.queue_there ? !look.queue_usable : !look.creates_schemas)
    missing.push({
      what: `the role ${look.role} may not ${look.queue_there ? "use" : "create"} the schema ${look.queue}; without it no job runs, and no backup can be restored`,
      sql: look.queue_there
        ? `grant usage, create on schema ${quoteName(look.queue)} to ${role};`
        : `create schema ${quoteName(look.queue)} authorization ${role};`,
      isNeeded: false,
    });
  if (!look.vector_installed && !(look.vector_available && look.vector_possible))
    missing.push({
      what: look.vector_available
        ? `pgvector is not set up in this database, and the role ${look.role} may not do it; search by meaning is slower`
        : "the server does not have pgvector; search by meaning is slower",
      sql: `${look.vector_available ? "" : "-- after the package pgvector is installed on the server:\n"}create extension if not exists vector schema ${quoteName(look.schema ?? "oldhand")};`,
      isNeeded: false,
    });
  return missing;
}

function quoteName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
