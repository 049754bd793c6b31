/** Finds the ends of quotes, substitutions and here-documents in a shell text. */

export interface HeredocMark {
  readonly delimiter: string;
  readonly indented: boolean;
}

/** Deeper nesting is read as plain text, so that the stack cannot overflow. */
const maxDepth = 60;

export function findLineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

export function readHeredoc(
  text: string,
  from: number,
  { delimiter, indented }: HeredocMark,
): { end: number; body: string } {
  for (let at = from; at < text.length;) {
    const end = findLineEnd(text, at);
    const line = text.slice(at, end).replace(/\r$/, "");
    if ((indented ? line.replace(/^\t+/, "") : line) === delimiter) {
      return { end: Math.min(end + 1, text.length), body: text.slice(from, at) };
    }
    at = end + 1;
  }
  return { end: text.length, body: text.slice(from) };
}

/** Returns the index after the parenthesis that closes the one at `open`. Skips quotes, comments and here-documents. */
export function findClosingParen(text: string, open: number, depth: number): number {
  if (depth > maxDepth) return text.length;
  const heredocs: HeredocMark[] = [];
  let at = open + 1;
  while (at < text.length) {
    const char = text[at];
    if (char === ")") return at + 1;
    if (char === "(") at = findClosingParen(text, at, depth + 1);
    else if (char === "'") at = after(text, "'", at + 1);
    else if (char === '"') at = findClosingDoubleQuote(text, at, depth + 1);
    else if (char === "`") at = findClosingBacktick(text, at);
    else if (char === "$" && text[at + 1] === "{") at = findClosingBrace(text, at + 1, depth + 1);
    else if (char === "\\") at += 2;
    else if (char === "#" && /\s/.test(text[at - 1] ?? "")) at = findLineEnd(text, at);
    else if (char === "<" && text[at + 1] === "<" && text[at + 2] !== "<") {
      const match = /^<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([\w.+-]+))/.exec(text.slice(at, at + 80));
      if (match)
        heredocs.push({
          delimiter: match[2] ?? match[3] ?? match[4] ?? "",
          indented: match[1] === "-",
        });
      at += match ? match[0].length : 2;
    } else if (char === "<" && text[at + 1] === "<") at += 3;
    else if (char === "\n" && heredocs.length > 0) {
      at++;
      for (const heredoc of heredocs.splice(0)) at = readHeredoc(text, at, heredoc).end;
    } else at++;
  }
  return text.length;
}

export function findClosingDoubleQuote(text: string, open: number, depth: number): number {
  if (depth > maxDepth) return text.length;
  let at = open + 1;
  while (at < text.length) {
    const char = text[at];
    if (char === '"') return at + 1;
    if (char === "\\") at += 2;
    else if (char === "`") at = findClosingBacktick(text, at);
    else if (char === "$" && text[at + 1] === "(") at = findClosingParen(text, at + 1, depth + 1);
    else if (char === "$" && text[at + 1] === "{") at = findClosingBrace(text, at + 1, depth + 1);
    else at++;
  }
  return text.length;
}

export function findClosingBrace(text: string, open: number, depth: number): number {
  if (depth > maxDepth) return text.length;
  let at = open + 1;
  while (at < text.length) {
    const char = text[at];
    if (char === "}") return at + 1;
    if (char === "\\") at += 2;
    else if (char === '"') at = findClosingDoubleQuote(text, at, depth + 1);
    else if (char === "$" && text[at + 1] === "(") at = findClosingParen(text, at + 1, depth + 1);
    else if (char === "$" && text[at + 1] === "{") at = findClosingBrace(text, at + 1, depth + 1);
    else at++;
  }
  return text.length;
}

export function findClosingBacktick(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "`") return at + 1;
  }
  return text.length;
}

export function findClosingAnsiQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "'") return at + 1;
  }
  return text.length;
}

/** Collects the shell texts that run inside an expanded text, such as one in double quotes. */
export function collectSubstitutions(text: string, into: string[]): void {
  if (!text.includes("$(") && !text.includes("`")) return;
  for (let at = 0; at < text.length;) {
    const opening = text[at] === "`" ? 1 : text[at] === "$" && text[at + 1] === "(" ? 2 : 0;
    if (opening === 0) at += text[at] === "\\" ? 2 : 1;
    else {
      const end = opening === 1 ? findClosingBacktick(text, at) : findClosingParen(text, at + 1, 0);
      into.push(readSubstitution(text, at + opening, end));
      at = end;
    }
  }
}

/** The shell text of a substitution, without its closing mark (which may be missing). */
export function readSubstitution(text: string, from: number, end: number): string {
  const inner = text.slice(from, end);
  return /[)`]$/.test(inner) ? inner.slice(0, -1) : inner;
}

function after(text: string, char: string, from: number): number {
  const end = text.indexOf(char, from);
  return end < 0 ? text.length : end + 1;
}
