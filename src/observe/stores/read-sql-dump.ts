import { tryParseJson } from "../../lib/json.ts";
import { readWholeText } from "../transcripts/whole-text.ts";

/** A row of another product's table, by the names of its columns. */
export type TableRow = Readonly<Record<string, unknown>>;

/** The rows of these tables in a dump of PostgreSQL, as `copy` or `insert` statements. */
export function readSqlDump(file: string, tables: readonly string[]): Readonly<Record<string, readonly TableRow[]>> {
  const text = readWholeText(file);
  return Object.fromEntries(
    tables.map((table) => [table, [...readCopies(text, table), ...readInserts(text, table)]] as const),
  );
}

/** True if the text of a dump has rows of this table. */
export function isInSqlDump(text: string, table: string): boolean {
  return new RegExp(`^\\s*(?:copy|insert\\s+into)\\s+${named(table)}`, "im").test(text);
}

function named(table: string): string {
  return `(?:"?\\w+"?\\.)?"?${table}"?\\s*\\(([^)]*)\\)`;
}

function splitColumns(list: string): readonly string[] {
  return list.split(",").map((one) => one.trim().replaceAll('"', ""));
}

function* readCopies(text: string, table: string): Iterable<TableRow> {
  for (const found of text.matchAll(new RegExp(`^copy\\s+${named(table)}\\s+from\\s+stdin[^\\n]*\\n`, "gim"))) {
    const names = splitColumns(found[1] ?? "");
    const from = found.index + found[0].length;
    const end = text.indexOf("\n\\.", from - 1);
    const lines = text.slice(from, end === -1 ? undefined : end).split("\n");
    for (const line of lines.filter((one) => one !== "")) {
      const values = line.split("\t").map((cell) => (cell === "\\N" ? null : readCell(unescapeCopy(cell))));
      yield Object.fromEntries(names.map((name, at) => [name, values[at] ?? null]));
    }
  }
}

const copyEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v" };

function unescapeCopy(cell: string): string {
  return cell.replaceAll(/\\(.)/g, (_all, letter: string) => copyEscapes[letter] ?? letter);
}

function* readInserts(text: string, table: string): Iterable<TableRow> {
  for (const found of text.matchAll(new RegExp(`^\\s*insert\\s+into\\s+${named(table)}\\s*values\\s*`, "gim"))) {
    const names = splitColumns(found[1] ?? "");
    let at = found.index + found[0].length;
    while (text[at] === "(") {
      const row = readTuple(text, at + 1);
      yield Object.fromEntries(names.map((name, index) => [name, row.values[index] ?? null]));
      at = row.end;
      while (/[\s,]/.test(text[at] ?? "")) at++;
    }
  }
}

/** The values up to the closing bracket. Casts such as `::jsonb` are left out. */
function readTuple(text: string, from: number): { readonly values: readonly unknown[]; readonly end: number } {
  const values: unknown[] = [];
  let at = from;
  let word = "";
  let quoted: string | null = null;
  let depth = 0;
  const push = () => {
    values.push(quoted === null ? readWord(word.trim()) : readCell(quoted));
    [word, quoted] = ["", null];
  };
  for (; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "'" && depth === 0) {
      const string = readString(text, at + 1, /e$/i.test(word.trim()));
      quoted = string.value;
      at = string.end;
    } else if (character === "'") {
      const string = readString(text, at + 1, false);
      word += JSON.stringify(string.value);
      at = string.end;
    } else if (character === "[" || character === "(") {
      depth++;
      word += character;
    } else if (depth > 0 && (character === "]" || character === ")")) {
      depth--;
      word += character;
    } else if (character === "," && depth === 0) push();
    else if (character === ")") break;
    else word += character;
  }
  push();
  return { values, end: at + 1 };
}

/** From behind the opening quote up to the closing one, whose place is `end`. */
function readString(text: string, from: number, hasEscapes: boolean): { readonly value: string; readonly end: number } {
  let value = "";
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "'" && text[at + 1] === "'") value += text[at++];
    else if (character === "'") return { value, end: at };
    else if (hasEscapes && character === "\\") {
      const letter = text[++at] ?? "";
      value += copyEscapes[letter] ?? letter;
    } else value += character;
  }
  return { value, end: text.length };
}

/** What stands without quotes: null, true, a number, `array['a', 'b']`. */
function readWord(word: string): unknown {
  const bare = word.replace(/::.*$/s, "").trim();
  if (/^null$/i.test(bare) || bare === "" || /^default$/i.test(bare)) return null;
  if (/^(?:true|false)$/i.test(bare)) return bare.toLowerCase() === "true";
  const list = /^array\s*(\[[^]*\])$/i.exec(bare)?.[1];
  if (list !== undefined) return tryParseJson(list) ?? [];
  return Number.isNaN(Number(bare)) ? bare : Number(bare);
}

/** A text; JSON and lists of PostgreSQL become what they say. */
function readCell(text: string): unknown {
  if (/^[[{]/.test(text)) {
    const value = tryParseJson(text);
    if (value !== undefined) return value;
    const list = /^\{([^]*)\}$/.exec(text)?.[1];
    if (list !== undefined) return tryParseJson(`[${list.replaceAll(/(?<=^|,)([^",]+)(?=,|$)/g, '"$1"')}]`) ?? text;
  }
  return text;
}
