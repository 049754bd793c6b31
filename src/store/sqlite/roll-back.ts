import type { Connection } from "./engine.ts";

/** The transaction, or what was done since the savepoint of that name. */
export function rollBack(connection: Connection, name: string | null): void {
  try {
    connection.exec(name === null ? "rollback" : `rollback to ${name}; release ${name}`);
  } catch (error) {
    // On a full disk SQLite itself may have rolled back already; the first error is the one to tell.
    if (!/no transaction is active|no such savepoint/i.test(String(error))) throw error;
  }
}
