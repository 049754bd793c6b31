import { judgeNamed } from "./judge.ts";
import { matchEnd, type Secret, textBefore } from "./detector.ts";
import { judgeValue, type NameSpan } from "./name-span.ts";
import { readQuoted, readWide } from "./value.ts";

/** A cell beside its name or below it. */
export function detectTableCell(span: NameSpan): Secret | readonly Secret[] | undefined {
  const { text, start, end } = span;
  if (matchEnd(SIGN, text, end) < 0) return undefined;
  const inserted = detectInsertedValue(span);
  if (inserted !== undefined) return inserted;
  const lineStart = Math.max(0, start - WIDEST) + text.slice(Math.max(0, start - WIDEST), start).lastIndexOf("\n") + 1;
  const lineEnd = endOfLine(text, end);
  if (lineEnd - lineStart > WIDEST) return undefined;
  const below = belowHeader(span, lineStart, lineEnd);
  if (below.length > 0) return below;
  const at = matchEnd(CELL, text, end);
  if (at < 0 || !/(?:^|[|│\n])[ \t`*]{0,20}$/.test(text.slice(Math.max(lineStart - 1, start - 24), start)))
    return undefined;
  const value = readWide(text, at);
  if (value === undefined || matchEnd(/[ \t`*]{0,200}(?:[|│]|$|\r?\n)/y, text, value.end) < 0) return undefined;
  return judgeValue(span, value);
}

const WIDEST = 600;
const SIGN = /[`*"' \t]{0,20}(?:[|│,)\t]|$|\r?\n| {2})/y;
const MOST_ROWS = 40;
const CELL = /[`*]{0,2}[ \t]{0,40}[|│][ \t`]{0,40}/y;
const RULE = /^[\s|+:=│─┼├┤╪╞╡-]{3,}$/;

/** `insert into users (name, password) values ('ada', 'V')`: the value at the same position. */
function detectInsertedValue(span: NameSpan): Secret | undefined {
  const { text, start, end } = span;
  const names = /insert\s+into\s+\S{1,80}\s*\(([^()]{0,300})$/i.exec(textBefore(text, start, 400))?.[1];
  const at = names === undefined ? -1 : matchEnd(VALUES, text, end);
  if (at < 0) return undefined;
  let value = at;
  for (let column = (names?.split(",").length ?? 1) - 1; column > 0; column--) {
    value = matchEnd(SQL_VALUE, text, value);
    if (value < 0) return undefined;
  }
  return judgeValue(span, readQuoted(text, value));
}

const VALUES = /[^()]{0,300}\)\s{0,20}values\s{0,20}\(\s{0,20}/iy;
const SQL_VALUE = /(?:'[^'\r\n]{0,300}'|[^',()\r\n]{0,100}(?:\([^()\r\n]{0,100}\))?)\s{0,4},\s{0,10}/y;

/**
 * The cells of the column that the name heads, in a table with a rule under its header or in plain lists of names and
 * values.
 */
function belowHeader({ text, name, start }: NameSpan, lineStart: number, lineEnd: number): readonly Secret[] {
  const head = text.slice(lineStart, lineEnd);
  const nextEnd = endOfLine(text, lineEnd + 1);
  const ruled = RULE.test(text.slice(lineEnd + 1, nextEnd)) && nextEnd > lineEnd + 3;
  const sign = signOf(head, ruled);
  if (sign === undefined) return [];
  const column = text.slice(lineStart, start).split(sign).length - 1;
  const columns = head.split(sign).length;
  const found: Secret[] = [];
  let row = ruled ? nextEnd + 1 : lineEnd + 1;
  for (let rows = 0; rows < MOST_ROWS && row < text.length; rows++) {
    const rowEnd = endOfLine(text, row);
    const line = text.slice(row, rowEnd);
    const cells = line.split(sign);
    if (cells.length !== columns || line.length > WIDEST || RULE.test(line)) break;
    const cell = cells[column] ?? "";
    const value = cell.trim().replace(/^["'`]|["'`]$/g, "");
    // The header is repeated.
    if (value === name) break;
    const rule = judgeNamed(name, value, "alone");
    if (rule !== undefined) {
      const before = cells.slice(0, column).reduce((sum, one) => line.indexOf(one, sum) + one.length, 0);
      const at = row + line.indexOf(value, before);
      found.push({ start: at, end: at + value.length, rule });
    }
    row = rowEnd + 1;
  }
  return found;
}

function signOf(head: string, ruled: boolean): string | RegExp | undefined {
  const drawn = ["|", "│"].find((sign) => head.includes(sign));
  if (drawn !== undefined) return ruled ? drawn : undefined;
  // Only names, as CSV files begin; or capitals, as tools print columns.
  const sign = [",", "\t"].find((one) => head.includes(one));
  if (sign !== undefined) return head.split(sign).every((name) => NAME.test(name)) ? sign : undefined;
  return /^[A-Z][A-Z_-]*(?: {2,40}[A-Z][A-Z_ -]*)+\s*$/.test(head) ? COLUMNS : undefined;
}

const NAME = /^ ?["']?[A-Za-z][\w ]{0,30}["']?$/;
const COLUMNS = / {2,40}/;

/** The end of a line that is longer than any row is not searched. */
function endOfLine(text: string, at: number): number {
  const end = text.slice(at, at + WIDEST + 2).indexOf("\n");
  return end < 0 ? Math.min(text.length, at + WIDEST + 2) : at + end;
}
