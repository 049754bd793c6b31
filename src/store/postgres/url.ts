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
  const fault = findAddressFault(text);
  if (fault !== null) throw new OldhandError("config", fault.what, { hint: fault.hint });
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
  checkCertificates(url);
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

/**
 * The same place with the login that its address has now. An address of another place, or one that cannot be read, is not
 * used: an open mind stays the same mind.
 */
export function followLocation(opened: PostgresLocation, readAddress: (() => string) | undefined): PostgresLocation {
  if (readAddress === undefined) return opened;
  let last = opened.connection;
  return {
    ...opened,
    get connection() {
      const address = readAddress();
      const now = findAddressFault(address) === null ? parsePostgresUrl(address) : null;
      if (now?.place === opened.place && now.throughPooler === opened.throughPooler) last = now.connection;
      return last;
    },
  };
}

/** What is wrong with an address; null if it can be read. Never shows a part of it: that may be of the password. */
export function findAddressFault(text: string): { readonly what: string; readonly hint: string } | null {
  const example = "postgres://user:password@host:5432/database";
  const hint = `such as ${example}; in user and password, @ is written %40, # %23, / %2F, ? %3F, : %3A and % %25`;
  // After the host, none of these has a meaning: the password goes on there.
  const rest = /^postgres(?:ql)?:\/\/[^/?#]*(.*)$/s.exec(text)?.[1] ?? "";
  if (/[@#]/.test(rest))
    return { what: "the address cannot be read: its password has characters that must be encoded", hint };
  return URL.canParse(text) ? null : { what: "the database address is not a URL", hint };
}

/**
 * The driver checks the certificate in all of these modes, and warns on several lines that this will change. Here it stays:
 * `no-verify` encrypts without a check.
 */
function checkCertificates(url: URL): void {
  if (url.searchParams.get("uselibpqcompat") === "true") return;
  if (["require", "prefer", "verify-ca"].includes(url.searchParams.get("sslmode") ?? ""))
    url.searchParams.set("sslmode", "verify-full");
}
