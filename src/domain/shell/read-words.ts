import type { FlagTable } from "./flags.ts";

/** The words after a program, split into flags and operands. */
export interface ParsedWords {
  readonly flags: readonly Flag[];
  readonly operands: readonly Operand[];
}

export interface Flag {
  /** The canonical name of all spellings. */
  readonly name: string;
  /** As written, without the value. */
  readonly written: string;
  readonly value: string | null;
  /** For an undeclared flag: the next word, which may be its value or an operand. */
  readonly perhaps: string | null;
}

export interface Operand {
  readonly text: string;
  /** The undeclared flag before it, whose value it may be. */
  readonly behind: string | null;
}

/** Splits words into flags, values and operands, as far as the table allows: `-rf x`, `--env=staging`, `-XDELETE`. */
export function parseWords(words: readonly string[], table: FlagTable): ParsedWords {
  const flags: Flag[] = [];
  const operands: Operand[] = [];
  let open: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      for (const text of words.slice(at + 1)) operands.push({ text, behind: null });
      break;
    }
    if (!isFlag(word)) {
      operands.push({ text: word, behind: open });
      open = null;
      continue;
    }
    const next = words[at + 1] ?? null;
    const { found, tookNext } = flagsIn(word, next, table);
    flags.push(...found);
    if (tookNext) at++;
    open = found.at(-1)?.perhaps == null ? null : (found.at(-1)?.name ?? null);
  }
  return { flags, operands };
}

/** Negative numbers count as flags too, like `kill -9` and `head -20`; all are compared as written. */
function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}

interface Found {
  readonly found: readonly Flag[];
  readonly tookNext: boolean;
}

function flagsIn(word: string, next: string | null, table: FlagTable): Found {
  if (word.startsWith("--") || table.oneDash || !isGroup(word, table)) return whole(word, next, table);
  const found: Flag[] = [];
  for (let at = 1; at < word.length; at++) {
    const written = `-${word[at] ?? ""}`;
    const name = table.nameOf(written) ?? written;
    const rest = word.slice(at + 1);
    if (table.takesValue(written)) {
      const value = rest === "" ? next : rest.replace(/^=/, "");
      found.push({ name, written, value, perhaps: null });
      return { found, tookNext: rest === "" };
    }
    const perhaps = rest === "" ? mayBeValue(written, next, table) : null;
    found.push({ name, written, value: null, perhaps });
  }
  return { found, tookNext: false };
}

function whole(word: string, next: string | null, table: FlagTable): Found {
  const equals = word.indexOf("=");
  const written = equals < 0 ? word : word.slice(0, equals);
  const name = table.nameOf(written) ?? written;
  if (equals >= 0) return { found: [{ name, written, value: word.slice(equals + 1), perhaps: null }], tookNext: false };
  if (table.takesValue(written)) return { found: [{ name, written, value: next, perhaps: null }], tookNext: true };
  return { found: [{ name, written, value: null, perhaps: mayBeValue(written, next, table) }], tookNext: false };
}

function mayBeValue(flag: string, next: string | null, table: FlagTable): string | null {
  return next === null || isFlag(next) || table.nameOf(flag) !== null ? null : next;
}

/** People type no longer groups; a longer word with one dash is a single flag. */
const LONGEST_GROUP = 3;

/** `-rf` is `-r -f`. Undeclared flags are split only in short groups. */
function isGroup(word: string, table: FlagTable): boolean {
  for (let at = 1; at < word.length; at++) {
    const flag = `-${word[at] ?? ""}`;
    if (table.takesValue(flag)) return true;
    if (table.nameOf(flag) === null) return /^-[A-Za-z]+$/.test(word) && word.length <= LONGEST_GROUP + 1;
  }
  return true;
}
