import { OldhandError, errorMessage, systemErrorCode } from "../../lib/errors.ts";

/** Errors of PostgreSQL and the network, as messages for the user. */
export function storeError(error: unknown, place: string): unknown {
  if (error instanceof OldhandError) return error;
  const code = systemErrorCode(error);
  const text = errorMessage(error);
  if (code === "26000" || code === "42P05") {
    return new OldhandError("config", `the database at ${place} is behind a transaction pooler`, {
      hint: "add ?pooler=transaction to the address",
      cause: error,
    });
  }
  if (code === "42P01")
    return new OldhandError("store-corrupt", `the mind at ${place} is incomplete: ${text}`, {
      hint: "`oldhand doctor --fix` rebuilds what can be rebuilt",
      cause: error,
    });
  if (code === "53100")
    return new OldhandError("store-full", `the disk of the database at ${place} is full`, {
      hint: "free some space on the server",
      cause: error,
    });
  if (code === "25006")
    return new OldhandError("store-readonly", `the database at ${place} is read-only`, {
      hint: "connect to the primary server",
      cause: error,
    });
  if (code === "54000")
    return new OldhandError("input", `a name is too long for the database at ${place}: ${text}`, {
      hint: "shorten it",
      cause: error,
    });
  // 25P03: this process was stopped inside a transaction for too long.
  if (code === "55P03" || code === "57014" || code === "25P03")
    return new OldhandError("store-locked", `the database at ${place} is busy`, { hint: "try again", cause: error });
  return (
    accessError(error, code, text, place) ??
    tlsError(error, code, text, place) ??
    networkError(error, code, text, place) ??
    error
  );
}

const TEAM = "docs/team.md has the SQL for a role; `oldhand init --database` says what is missing";

/** The server answered, but its administrator has something left to do, or the address is wrong. */
function accessError(error: unknown, code: string, text: string, place: string): OldhandError | null {
  if (code === "3F000")
    return new OldhandError("config", `the role has no schema in the database at ${place}: ${text}`, {
      hint: TEAM,
      cause: error,
    });
  if (code === "42501" && /for database/.test(text))
    return new OldhandError("config", `the database at ${place} refused the connection: ${text}`, {
      hint: "as the owner of the database: grant connect on database NAME to the role of the address",
      cause: error,
    });
  if (code === "42501")
    return new OldhandError("config", `the role may not do this in the database at ${place}: ${text}`, {
      hint: TEAM,
      cause: error,
    });
  if (code.startsWith("28") || code === "3D000")
    return new OldhandError("config", `the database at ${place} refused the connection: ${text}`, {
      hint: "check user, password and database in the address",
      cause: error,
    });
  return null;
}

function tlsError(error: unknown, code: string, text: string, place: string): OldhandError | null {
  if (/does not support SSL/.test(text))
    return new OldhandError(
      "config",
      `the server of ${place} does not offer TLS, and the address asks for it (sslmode=require)`,
      {
        hint: "switch TLS on at the server; only in a network that nobody else reads, use sslmode=disable",
        cause: error,
      },
    );
  if (/CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code))
    return new OldhandError("config", `the certificate of the database at ${place} cannot be checked: ${text}`, {
      hint: "add &sslrootcert=FILE to the address, with the certificate that signed it; sslmode=no-verify encrypts without this check",
      cause: error,
    });
  if (code === "ENOENT" && /\.(?:pem|crt|cer|key)/.test(text))
    return new OldhandError("config", `a file that the address names cannot be read: ${text}`, {
      hint: "check sslrootcert, sslcert and sslkey in the address",
      cause: error,
    });
  return null;
}

function networkError(error: unknown, code: string, text: string, place: string): OldhandError | null {
  if (code === "ENOTFOUND") {
    const { hostname } = new URL(place);
    return new OldhandError("store-unreachable", `there is no host ${hostname}`, {
      hint: "check the name in the address of the database, and the network",
      cause: error,
    });
  }
  if (
    /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|57P|08)/.test(code) ||
    /timeout|Connection terminated|not queryable/i.test(text)
  ) {
    return new OldhandError("store-unreachable", `the database at ${place} does not answer`, {
      hint: "is the server running? `oldhand doctor` checks the connection",
      cause: error,
    });
  }
  return null;
}
