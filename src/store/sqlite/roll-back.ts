import type { Connection } from "./engine.ts";

/** Rolls back the transaction, or to the savepoint of that name. */
export function rollBack(connection: Connection, name: string | null): void {
  try {
    connection.exec(name === null ? "rollback" : `rollback to ${name}; release ${name}`);
  } catch (error) {
    // On a full disk SQLite may have rolled back already; then the first error is the one to report.
    if (!/no transaction is active|no such savepoint/i.test(String(error))) throw error;
  }
}
