import { OldhandError } from "../../lib/errors.ts";

export interface PostgresLocation {
  readonly connection: string;
  /** For people and logs: without user and password. */
  readonly place: string;
  readonly schema: string | null;
  /** Through a transaction pooler there is no session state: no prepared statements, no LISTEN. */
  readonly throughPooler: boolean;
}

// The usual ports of pgbouncer and Supabase's pooler.
const POOLER_PORTS = new Set(["6432", "6543"]);

export function parsePostgresUrl(text: string): PostgresLocation {
  if (!URL.canParse(text)) {
    throw new OldhandError("config", "the database address is not a URL", {
      hint: "OLDHAND_DATABASE=postgres://user:password@host:5432/database",
    });
  }
  const url = new URL(text);
  const pooler = url.searchParams.get("pooler");
  const schema = url.searchParams.get("schema");
  url.searchParams.delete("pooler");
  url.searchParams.delete("schema");
  if (schema !== null && !/^[a-z_][a-z0-9_]*$/.test(schema)) {
    throw new OldhandError("config", `"${schema}" is not a valid schema name`, {
      hint: "use lower-case letters, digits and _",
    });
  }
  const throughPooler = pooler === null ? POOLER_PORTS.has(url.port) : pooler === "transaction";
  // It would have to be set in every transaction, because poolers do not pass this setting on.
  if (schema !== null && throughPooler) {
    throw new OldhandError("config", "a schema cannot be chosen through a transaction pooler", {
      hint: "give oldhand a database of its own, or connect without the pooler",
    });
  }
  return {
    connection: url.toString(),
    place: `postgres://${url.host}${url.pathname}${schema === null ? "" : `?schema=${schema}`}`,
    schema,
    throughPooler,
  };
}
