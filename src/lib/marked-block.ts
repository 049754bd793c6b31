/** How a block is told from what others wrote: a line before it and a line after it. */
export interface BlockMarks {
  readonly begin: string;
  readonly end: string;
}

export type BlockSearch =
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly from: number; readonly to: number }
  /** A mark without its other, or more than one block: where ours ends cannot be told. */
  | { readonly kind: "torn" };

export function findBlock(text: string, marks: BlockMarks): BlockSearch {
  const begins = findLinePositions(text, marks.begin);
  const ends = findLinePositions(text, marks.end);
  const [from] = begins;
  const [end] = ends;
  if (from === undefined && end === undefined) return { kind: "none" };
  if (from === undefined || end === undefined || begins.length > 1 || ends.length > 1 || end < from)
    return { kind: "torn" };
  return { kind: "one", from, to: end + marks.end.length };
}

/**
 * The text with this block in it: where ours was, else at the end, after an empty line. Null where it cannot be told
 * which part is ours. `withoutBlock` of it is the text as it was, to the byte: a text that does not end its last line
 * gets a block that does not end its own.
 */
export function withBlock(text: string, body: string, marks: BlockMarks): string | null {
  const found = findBlock(text, marks);
  if (found.kind === "torn") return null;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = `${marks.begin}\n${body}\n${marks.end}`.replaceAll("\n", eol);
  if (found.kind === "one") return text.slice(0, found.from) + block + text.slice(found.to);
  return text.endsWith("\n") ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`;
}

/** Null where it cannot be told which part is ours. */
export function withoutBlock(text: string, marks: BlockMarks): string | null {
  const found = findBlock(text, marks);
  if (found.kind !== "one") return found.kind === "none" ? text : null;
  const before = text.slice(0, found.from);
  const after = text.slice(found.to);
  if (after === "") return before.replace(/(?:\r?\n){1,2}$/, "");
  // The empty line that we put before it, and the end of its own last line.
  return before.replace(/(^|\n)\r?\n$/, "$1") + after.replace(/^\r?\n/, "");
}

function findLinePositions(text: string, mark: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) places.push(at);
  return places;
}
