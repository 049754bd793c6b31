import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Connection } from "../src/store/sqlite/engine.ts";
import { unzip } from "./data.ts";

/** One line of a messages file. */
export interface CorpusMessage {
  readonly session: string;
  readonly seq: number;
  readonly ts: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly speaker?: string;
}

export interface CorpusQuestion {
  readonly id: string;
  readonly kind: string;
  readonly query: string;
  /** Sessions, or turns as `session#seq`. */
  readonly gold: readonly string[];
}

/** The content of one mind, and the questions about it. */
export interface Corpus {
  readonly name: string;
  readonly messages: readonly CorpusMessage[];
  readonly questions: readonly CorpusQuestion[];
}

/** Each record becomes a separate mind with its own questions. */
export function readLocomo(file: string): readonly Corpus[] {
  const records = JSON.parse(unzip(file)) as readonly {
    readonly id: string;
    readonly turns: readonly {
      readonly id: string;
      readonly session: number;
      readonly date: string;
      readonly speaker: string;
      readonly text: string;
      readonly caption: string | null;
    }[];
    readonly questions: readonly { readonly q: string; readonly category: number; readonly gold: readonly string[] }[];
  }[];
  return records.map(({ id, turns, questions }) => {
    const [first] = turns;
    const turn = (gold: string) => {
      const [session = "", seq = ""] = gold.slice(1).split(":");
      return `${id}:${session}#${seq}`;
    };
    return {
      name: id,
      messages: turns.map((one) => ({
        session: `${id}:${one.session}`,
        seq: Number(one.id.split(":")[1]),
        ts: parseSpokenDate(one.date),
        role: one.speaker === first?.speaker ? "user" : "assistant",
        text: one.caption === null ? one.text : `${one.text} [${one.caption}]`,
        speaker: one.speaker,
      })),
      questions: questions
        .filter((one) => one.gold.length > 0)
        .map((one, at) => ({
          id: `${id}/${at}`,
          kind: String(one.category),
          query: one.q,
          gold: one.gold.map(turn),
        })),
    };
  });
}

/** All sessions in one mind: the sessions of other questions are noise. */
export function readLongMemEval(file: string): Corpus {
  const pool = JSON.parse(unzip(file)) as {
    readonly sessions: Readonly<
      Record<
        string,
        { readonly date: string; readonly turns: readonly { readonly role: string; readonly content: string }[] }
      >
    >;
    readonly questions: readonly {
      readonly id: string;
      readonly type: string;
      readonly q: string;
      readonly gold: readonly string[];
    }[];
  };
  return {
    name: "pool",
    messages: Object.entries(pool.sessions).flatMap(([session, { date, turns }]) =>
      turns.map((turn, seq) => ({
        session,
        seq,
        ts: parseDottedDate(date),
        role: turn.role === "user" ? "user" : "assistant",
        text: turn.content,
      })),
    ),
    questions: pool.questions.map((one) => ({ id: one.id, kind: one.type, query: one.q, gold: one.gold })),
  };
}

/** Parses `1:56 pm on 8 May, 2023`. */
function parseSpokenDate(text: string): string {
  const [, time = "", day = ""] = /^(.*?) on (.*)$/.exec(text) ?? [];
  return toIso(`${day} ${time} UTC`);
}

/** Parses `2023/03/27 (Mon) 05:51`. */
function parseDottedDate(text: string): string {
  return toIso(
    `${text
      .replace(/ \(\w+\)/, "")
      .replaceAll("/", "-")
      .replace(" ", "T")}Z`,
  );
}

function toIso(text: string): string {
  const at = Date.parse(text);
  return new Date(Number.isNaN(at) ? 0 : at).toISOString();
}

/** The baseline: FTS5 with its own tokenizer, the query's words joined by OR, ranked by bm25. */
export interface PlainSearch {
  search(query: string, limit: number): readonly CorpusMessage[];
  close(): void;
}

export function openPlainSearch(
  messages: readonly CorpusMessage[],
  tokenizer: "unicode61" | "porter unicode61",
): PlainSearch {
  const db: Connection = connect(":memory:");
  db.exec(`create virtual table plain using fts5 (text, tokenize = '${tokenizer}')`);
  const insert = db.prepare("insert into plain (rowid, text) values (?, ?)");
  db.exec("begin");
  for (const [at, one] of messages.entries())
    insert.run(at, one.speaker === undefined ? one.text : `${one.speaker}: ${one.text}`);
  db.exec("commit");
  const select = db.prepare("select rowid as id from plain where plain match ? order by bm25(plain) limit ?");
  return {
    search: (query, limit) => {
      const words = [...new Set(query.match(/[\p{L}\p{N}_]+/gu) ?? [])].map((word) => `"${word}"`).join(" OR ");
      const rows = words === "" ? [] : (select.all(words, limit) as { id: number }[]);
      return rows.flatMap((row) => messages[row.id] ?? []);
    },
    close: () => db.close(),
  };
}

/** Writes the messages as a file to import, in a temporary folder. */
export function writeMessagesFile(messages: readonly CorpusMessage[]): {
  readonly dir: string;
  readonly path: string;
  remove(): void;
} {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const path = join(dir, "messages.jsonl");
  writeFileSync(path, messages.map((one) => `${JSON.stringify(one)}\n`).join(""));
  return { dir, path, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
