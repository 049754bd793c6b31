import { connect } from "../src/store/sqlite/engine.ts";
import { DIMS, makeText, makeVector } from "./made-memories.ts";

/** The simplest FTS5 search over the same texts: all words of the query, joined by OR. */
export function openPlainWords(rows: number) {
  const db = connect(":memory:");
  db.exec("create virtual table plain using fts5 (text, tokenize = 'porter unicode61')");
  const insert = db.prepare("insert into plain (rowid, text) values (?, ?)");
  db.exec("begin");
  for (let n = 0; n < rows; n++) insert.run(n, makeText(n));
  db.exec("commit");
  const select = db.prepare("select rowid as id from plain where plain match ? order by bm25(plain) limit 10");
  return {
    search: (query: string) =>
      select.all(
        query
          .split(" ")
          .map((word) => `"${word}"`)
          .join(" OR "),
      ),
    close: () => db.close(),
  };
}

export interface PlainScan {
  readonly name: string;
  nearest(query: Int8Array): readonly unknown[];
  close(): void;
}

/** sqlite-vec over the same vectors, as in its guide; a loop over floats if it is not installed. */
export async function openPlainScan(rows: number): Promise<PlainScan> {
  return (await vecScan(rows)) ?? loopScan(rows);
}

async function vecScan(rows: number): Promise<PlainScan | null> {
  const db = connect(":memory:", { allowExtension: true });
  try {
    const { getLoadablePath } = await import("sqlite-vec");
    db.enableLoadExtension(true);
    db.loadExtension(getLoadablePath());
  } catch {
    db.close();
    return null;
  }
  db.exec(`create virtual table vec using vec0 (embedding float[${DIMS}] distance_metric=cosine)`);
  const insert = db.prepare("insert into vec (embedding) values (?)");
  db.exec("begin");
  for (let n = 0; n < rows; n++) insert.run(floats(makeVector(n)));
  db.exec("commit");
  const select = db.prepare("select rowid as id, distance from vec where embedding match ? order by distance limit 10");
  return {
    name: "sqlite-vec, float32",
    nearest: (query) => select.all(floats(query)),
    close: () => db.close(),
  };
}

function floats(vector: Int8Array): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

function loopScan(rows: number): PlainScan {
  const matrix = new Float32Array(rows * DIMS);
  for (let n = 0; n < rows; n++) matrix.set(makeVector(n), n * DIMS);
  return {
    name: "a loop over float32",
    nearest: (query) => {
      const scores = new Float32Array(rows);
      for (let n = 0; n < rows; n++) {
        let sum = 0;
        const from = n * DIMS;
        for (let d = 0; d < DIMS; d++) sum += (matrix[from + d] as number) * (query[d] as number);
        scores[n] = sum;
      }
      return [...scores.keys()].toSorted((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, 10);
    },
    close: () => {},
  };
}
