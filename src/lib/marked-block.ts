/** The lines before and after our block, which separate it from what others wrote. */
export interface BlockMarks {
  readonly begin: string;
  readonly end: string;
}

export type BlockSearch =
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly from: number; readonly to: number }
  /** One mark is missing, or there is more than one block: the end of ours is unknown. */
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
 * The text with this block: at its old place, or at the end after an empty line. Null if it is unclear which part is
 * ours. `withoutBlock` restores the previous text byte for byte; if the text has no final newline, neither has the
 * block.
 */
export function withBlock(text: string, body: string, marks: BlockMarks): string | null {
  const found = findBlock(text, marks);
  if (found.kind === "torn") return null;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = `${marks.begin}\n${body}\n${marks.end}`.replaceAll("\n", eol);
  if (found.kind === "one") return text.slice(0, found.from) + block + text.slice(found.to);
  return text.endsWith("\n") ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`;
}

/** Null if it is unclear which part is ours. */
export function withoutBlock(text: string, marks: BlockMarks): string | null {
  const found = findBlock(text, marks);
  if (found.kind !== "one") return found.kind === "none" ? text : null;
  const before = text.slice(0, found.from);
  const after = text.slice(found.to);
  if (after === "") return before.replace(/(?:\r?\n){1,2}$/, "");
  // Removes the empty line that we put before it, and the newline after it.
  return before.replace(/(^|\n)\r?\n$/, "$1") + after.replace(/^\r?\n/, "");
}

function findLinePositions(text: string, mark: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) places.push(at);
  return places;
}
