import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** Files under a folder whose bytes contain one of these words. */
export function filesWith(folder: string, words: readonly string[]): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const bytes = readIfThere(join(folder, name));
    return bytes !== null && words.some((word) => bytes.includes(word));
  });
}

/** Null for a folder, and for a file that is gone since it was listed: a server writes some of its files anew at any time. */
function readIfThere(path: string): Buffer | null {
  try {
    return statSync(path).isFile() ? readFileSync(path) : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The folder of a PostgreSQL database's tables and indexes, after a checkpoint. */
export async function filesOfServer(database: string): Promise<string> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    await client.query("checkpoint");
    const { rows } = await client.query(
      "select current_setting('data_directory') as dir, (select oid from pg_database where datname = current_database()) as oid",
    );
    const [row] = rows as { dir: string; oid: number }[];
    return join(row?.dir ?? "", "base", String(row?.oid));
  } finally {
    await client.end();
  }
}
