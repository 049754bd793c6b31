import { OldhandError } from "../../src/lib/errors.ts";
import { numberParsers } from "../../src/store/postgres/open.ts";
import type { SimConnection } from "./engines.ts";

/** A PostgreSQL inside this process, from the development packages. */
export async function openPglite(): Promise<SimConnection> {
  const { PGlite } = await import("@electric-sql/pglite").catch((cause: unknown) => {
    throw new OldhandError("unsupported", "PGlite is not installed", {
      hint: "run this in a checkout after npm install, or name a server: --postgres ADDRESS/DATABASE",
      cause,
    });
  });
  const pglite = await PGlite.create();
  return {
    // As one text: PGlite takes four times as long for a statement with parameters.
    query: async (text, values = []) => {
      const all = await pglite.exec(text.replaceAll(/\$(\d+)/g, (_, n: string) => quote(values[Number(n) - 1])));
      const last = all.at(-1);
      return { rows: all.flatMap((one) => one.rows), rowCount: last?.affectedRows || (last?.rows.length ?? 0) };
    },
    close: () => pglite.close(),
  };
}

function quote(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number") return String(value);
  const list = Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(",")}}` : null;
  const text = list ?? (typeof value === "object" ? JSON.stringify(value) : String(value));
  return `'${text.replaceAll("'", "''")}'`;
}

/** An empty database of a server. */
export async function openServer(address: string): Promise<SimConnection> {
  const { default: driver } = await import("pg");
  const client = new driver.Client({ connectionString: address, types: { getTypeParser: numberParsers(driver) } });
  await client.connect();
  return {
    query: async (text, values, name) => {
      const result: unknown = await client.query(
        values === undefined ? { text } : { text, values: [...values], ...(name === undefined ? {} : { name }) },
      );
      const all = (Array.isArray(result) ? result : [result]) as readonly {
        rows: unknown[];
        rowCount: number | null;
      }[];
      return { rows: all.flatMap((one) => one.rows), rowCount: all.at(-1)?.rowCount ?? 0 };
    },
    close: () => client.end(),
  };
}
