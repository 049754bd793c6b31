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
  if (code.startsWith("28") || code === "3D000") {
    return new OldhandError("config", `the database at ${place} refused the connection: ${text}`, {
      hint: "check OLDHAND_DATABASE",
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
  return error;
}
