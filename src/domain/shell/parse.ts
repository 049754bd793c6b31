import {
  findClosingParen,
  findClosingAnsiQuote,
  findClosingBacktick,
  findClosingBrace,
  findClosingDoubleQuote,
  findLineEnd,
  readHeredoc,
  readSubstitution,
  collectSubstitutions,
} from "./spans.ts";
import type { HeredocMark } from "./spans.ts";

/** How a simple command is joined to the next one; a newline is `;`. */
export type ShellOperator = "&&" | "||" | "|" | ";" | "&";

export interface Redirect {
  /** `>`, `>>`, `<`, `&>`, `<<`, `<<<`, `>&` …, without the descriptor. */
  readonly kind: string;
  readonly descriptor: number | null;
  /** The file, the descriptor (`1` of `2>&1`) or the delimiter of a here-document. */
  readonly target: string;
  /** The text of a here-document, else null. */
  readonly body: string | null;
}

export interface SimpleCommand {
  /** Unquoted; `$(…)`, backticks and `${…}` stay as written. */
  readonly words: readonly string[];
  readonly assignments: readonly string[];
  readonly redirects: readonly Redirect[];
  readonly operator: ShellOperator | null;
  /** As written, with one blank between words, without here-document bodies. */
  readonly text: string;
}

/**
 * Parses the simple commands of a shell text in written order. Subshells, groups, loops and conditions are flattened,
 * because only the programs and how they are joined matter here.
 * Never throws: an unclosed quote or bracket extends to the end of the text, as in a shell.
 */
export function parseShell(text: string): readonly SimpleCommand[] {
  return new Parser(text).parse();
}

export interface ParsedShell {
  readonly commands: readonly SimpleCommand[];
  /** The shell texts inside `$(…)`, backticks and `<(…)`. Excludes single-quoted ones, which a shell does not run. */
  readonly substitutions: readonly string[];
  /** What the commands are in, in written order: `(`, `((`, `{`, `!`, `if`, `for`, `function` … */
  readonly structures: readonly string[];
}

/** Like `parseShell`, with the shell texts that run inside its words. */
export function parseWithSubstitutions(text: string): ParsedShell {
  const parser = new Parser(text);
  return { commands: parser.parse(), substitutions: parser.substitutions, structures: parser.structures };
}

interface OpenRedirect {
  kind: string;
  descriptor: number | null;
  target: string;
  body: string | null;
}

interface Heredoc extends HeredocMark {
  readonly redirect: OpenRedirect;
  /** True if the delimiter is quoted: the shell then expands nothing in the body. */
  readonly quoted: boolean;
}

interface Draft {
  words: string[];
  assignments: string[];
  redirects: OpenRedirect[];
  operator: ShellOperator | null;
  written: string[];
}

const emptyDraft = (): Draft => ({
  words: [],
  assignments: [],
  redirects: [],
  operator: null,
  written: [],
});

const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
/** Words that open or close a structure and are followed by a command. */
const structural = new Set(["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}", "esac"]);

class Parser {
  private at = 0;
  private draft = emptyDraft();
  private readonly done: Draft[] = [];
  private pending: Heredoc[] = [];
  /** In the header of `for x in …` or `case x in`, whose words are not commands. */
  private inHeader = false;
  /** The number of open `case` blocks, in which a `)` ends a pattern. */
  private cases = 0;
  readonly substitutions: string[] = [];
  readonly structures: string[] = [];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  parse(): readonly SimpleCommand[] {
    const { text } = this;
    while (this.at < text.length) this.step(text[this.at] ?? "");
    this.close(null);
    return this.done.map(({ words, assignments, redirects, operator, written }) => ({
      words,
      assignments,
      redirects,
      operator,
      text: written.join(" "),
    }));
  }

  private step(char: string): void {
    const { text, at } = this;
    if (char === " " || char === "\t" || char === "\r") this.at++;
    else if (char === "\n") this.newline();
    else if (char === "\\" && text[at + 1] === "\n") this.at += 2;
    else if (char === "#") this.at = findLineEnd(text, at);
    else if (char === ";" || char === "&" || char === "|") this.operator(char);
    else if (char === "(" || char === ")") this.parenthesis(char);
    else if ((char === "<" || char === ">") && text[at + 1] !== "(") this.redirect(null);
    else this.word();
  }

  private newline(): void {
    this.at++;
    this.readHeredocs();
    this.close(";");
  }

  private operator(char: string): void {
    const { text, at } = this;
    const next = text[at + 1];
    if (char === "&" && next === ">") return this.redirect(null);
    if (char === "|" && this.inHeader) {
      // `a|b)` in a case: alternatives of one pattern.
      this.at++;
      return;
    }
    if (this.inTest() && char !== ";" && next === char) return this.plain(char + char, 2);
    if (char === ";") {
      this.at += next === ";" ? (text[at + 2] === "&" ? 3 : 2) : next === "&" ? 2 : 1;
      this.close(";");
      if (next === ";" && this.cases > 0) this.inHeader = true;
    } else if (next === char) {
      this.at += 2;
      this.close(char === "&" ? "&&" : "||");
    } else {
      this.at += char === "|" && next === "&" ? 2 : 1;
      this.close(char === "|" ? "|" : "&");
    }
  }

  private parenthesis(char: string): void {
    const { text, at, draft } = this;
    if (this.inTest()) return this.plain(char, 1);
    if (char === "(" && text[at + 1] === "(" && draft.words.length === 0) {
      const end = findClosingParen(text, at, 0);
      this.structures.push("((");
      this.take("((", "((");
      return this.plain(text.slice(at + 2, end).replace(/\)\)$/, ""), end - at);
    }
    if (char === "(" && draft.words.length === 1 && text[at + 1] === ")") {
      // `name() {` defines a function: the name is not a command.
      this.structures.push("function");
      this.at += 2;
      this.draft = emptyDraft();
      return;
    }
    this.at++;
    if (char === ")" && this.inHeader && this.cases > 0) {
      this.draft = emptyDraft();
      this.inHeader = false;
    } else if (!this.inHeader) {
      if (char === "(") this.structures.push(char);
      this.close(null);
    }
  }

  private redirect(descriptor: number | null): void {
    const { text, at } = this;
    const kind = /^(?:&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||>|<)/.exec(text.slice(at, at + 3))?.[0] ?? "<";
    this.at += kind.length;
    this.blanks();
    const start = this.at;
    const target = this.readWord();
    const redirect: OpenRedirect = { kind, descriptor, target, body: null };
    this.draft.redirects.push(redirect);
    this.draft.written.push((descriptor ?? "") + kind + text.slice(start, this.at));
    if (kind === "<<" || kind === "<<-") {
      const quoted = text.slice(start, this.at) !== target;
      this.pending.push({ redirect, delimiter: target, indented: kind === "<<-", quoted });
    }
  }

  private blanks(): void {
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at++;
  }

  private readHeredocs(): void {
    for (const heredoc of this.pending) {
      const { end, body } = readHeredoc(this.text, this.at, heredoc);
      heredoc.redirect.body = body;
      if (!heredoc.quoted) collectSubstitutions(body, this.substitutions);
      this.at = end;
    }
    this.pending = [];
  }

  private word(): void {
    const start = this.at;
    let value = this.readWord();
    // `files=(a b)`: an array is one word, not a subshell.
    if (this.text[this.at] === "(" && /^[A-Za-z_]\w*\+?=$/.test(value)) {
      const array = this.raw(findClosingParen(this.text, this.at, 0));
      collectSubstitutions(array, this.substitutions);
      value += array;
    }
    const written = this.text.slice(start, this.at);
    const next = this.text[this.at];
    if ((next === "<" || next === ">") && /^\d+$/.test(written) && written.length < 4) {
      return this.redirect(Number(written));
    }
    this.take(value, written);
  }

  private take(value: string, written: string): void {
    const { draft } = this;
    if (this.inHeader) {
      this.header(written);
      return;
    }
    if (draft.words.length === 0) {
      if (assignment.test(written)) {
        draft.assignments.push(value);
        draft.written.push(written);
        return;
      }
      if (structural.has(written)) {
        if (written === "esac" && this.cases > 0) this.cases--;
        this.structures.push(written);
        return;
      }
      if (written === "for" || written === "select" || written === "case" || written === "function") {
        this.structures.push(written);
        this.inHeader = true;
        if (written === "case") this.cases++;
        return;
      }
    }
    draft.words.push(value);
    draft.written.push(written);
  }

  /** Inside `for x in …` up to its end, or a case pattern up to its `)`. */
  private header(written: string): void {
    if (written === "{") this.inHeader = false;
    else if (written === "esac" && this.cases > 0) {
      this.cases--;
      this.inHeader = false;
    }
  }

  private plain(word: string, length: number): void {
    this.at += length;
    this.take(word, word);
  }

  private inTest(): boolean {
    const { words } = this.draft;
    return words[0] === "[[" && words.at(-1) !== "]]";
  }

  private close(operator: ShellOperator | null): void {
    if (this.inHeader && this.cases === 0) this.inHeader = false;
    const { draft } = this;
    if (draft.words.length + draft.assignments.length + draft.redirects.length === 0) {
      // `( a; b ) | c`: the operator after the parenthesis belongs to the last command inside it.
      const last = this.done.at(-1);
      if (last && operator && (last.operator === null || last.operator === ";")) last.operator = operator;
      return;
    }
    draft.operator = operator;
    this.done.push(draft);
    this.draft = emptyDraft();
  }

  private readWord(): string {
    const { text } = this;
    let value = "";
    while (this.at < text.length) {
      const char = text[this.at] ?? "";
      if (endsWord(char)) {
        const substitution = (char === "<" || char === ">") && text[this.at + 1] === "(" && value === "";
        if (!substitution) break;
        value += this.substitution(2, findClosingParen(text, this.at + 1, 0));
      } else if (char === "'") value += this.single();
      else if (char === '"') value += this.double();
      else if (char === "\\") value += this.escape();
      else if (char === "`") value += this.substitution(1, findClosingBacktick(text, this.at));
      else if (char === "$") value += this.dollar();
      else if (char === "(") break;
      else {
        const from = this.at;
        while (++this.at < text.length && isPlain(text.charCodeAt(this.at)));
        value += text.slice(from, this.at);
      }
    }
    return value;
  }

  private raw(end: number): string {
    const piece = this.text.slice(this.at, end);
    this.at = end;
    return piece;
  }

  private substitution(opening: number, end: number): string {
    this.substitutions.push(readSubstitution(this.text, this.at + opening, end));
    return this.raw(end);
  }

  private single(): string {
    const end = this.text.indexOf("'", this.at + 1);
    const stop = end < 0 ? this.text.length : end;
    const value = this.text.slice(this.at + 1, stop);
    this.at = Math.min(stop + 1, this.text.length);
    return value;
  }

  private double(): string {
    const end = findClosingDoubleQuote(this.text, this.at, 0);
    const closed = end > this.at + 1 && this.text[end - 1] === '"';
    const inner = this.text.slice(this.at + 1, closed ? end - 1 : end);
    this.at = end;
    collectSubstitutions(inner, this.substitutions);
    return inner.includes("\\")
      ? inner.replace(/\\([$`"\\\n])/g, (_all, char: string) => (char === "\n" ? "" : char))
      : inner;
  }

  private escape(): string {
    const char = this.text[this.at + 1] ?? "";
    this.at = Math.min(this.at + 2, this.text.length);
    return char === "\n" ? "" : char;
  }

  private dollar(): string {
    const { text, at } = this;
    const next = text[at + 1];
    if (next === "(") return this.substitution(2, findClosingParen(text, at + 1, 0));
    if (next === "{") {
      const piece = this.raw(findClosingBrace(text, at + 1, 0));
      collectSubstitutions(piece.slice(2), this.substitutions);
      return piece;
    }
    if (next === "'") {
      const end = findClosingAnsiQuote(text, at + 2);
      const value = text.slice(at + 2, Math.max(at + 2, end - (text[end - 1] === "'" ? 1 : 0)));
      this.at = end;
      return value.replace(/\\(['"\\nt])/g, (_all, char: string) => (char === "n" ? "\n" : char === "t" ? "\t" : char));
    }
    this.at++;
    return next === '"' ? "" : "$";
  }
}

/** Letters, digits and characters without meaning to a shell: the fast path for most words. */
function isPlain(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 45 && code <= 57) ||
    code === 95 ||
    code === 61 ||
    code === 58
  );
}

function endsWord(char: string): boolean {
  return (
    char === " " ||
    char === "\t" ||
    char === "\n" ||
    char === "\r" ||
    char === ";" ||
    char === "&" ||
    char === "|" ||
    char === "<" ||
    char === ">" ||
    char === "(" ||
    char === ")"
  );
}
