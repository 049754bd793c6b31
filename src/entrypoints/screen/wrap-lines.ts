import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/**
 * One line in lines of a width, as the library wraps it. It looks at every character as a cluster of Unicode; most lines
 * are plain ASCII and need none of that.
 */
export function wrapLine(line: string, width: number): readonly string[] {
  if (!isAscii(line)) return wrapTextWithAnsi(line, width);
  if (line.length <= width) return [line];
  const wrapped: string[] = [];
  let current = "";
  for (const [token] of line.matchAll(/ +|[^ ]+/g)) {
    const isSpace = token.startsWith(" ");
    if (token.length > width && !isSpace) {
      if (current !== "") wrapped.push(current);
      const pieces = cutWord(token, width);
      wrapped.push(...pieces.slice(0, -1));
      current = pieces.at(-1) ?? "";
    } else if (current.length + token.length > width && current !== "") {
      wrapped.push(current.trimEnd());
      current = isSpace ? "" : token;
    } else current += token;
  }
  if (current !== "") wrapped.push(current);
  return wrapped.map((one) => one.trimEnd());
}

function cutWord(word: string, width: number): readonly string[] {
  return Array.from({ length: Math.ceil(word.length / width) }, (_, at) => word.slice(at * width, (at + 1) * width));
}

/** How many columns a line takes, with or without styles. */
export function widthOf(line: string): number {
  // oxlint-disable-next-line no-control-regex -- the styles of the screen
  const bare = line.replaceAll(/\x1b\[[\d;]*m/g, "");
  return isAscii(bare) ? bare.length : visibleWidth(line);
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** True for paragraphs in which Markdown would change nothing: they are wrapped without reading them as Markdown. */
export function isPlainProse(text: string): boolean {
  return text
    .trimEnd()
    .split("\n\n")
    .every((one) => PARAGRAPH.test(one) && !ADDRESS.test(one));
}

const PARAGRAPH = /^[A-Za-z("'](?:[A-Za-z0-9 ,.;:'"()?!%/=-]*[A-Za-z0-9,.;:'"()?!%/=-])?$/;
const ADDRESS = /:\/\/|www\./i;
