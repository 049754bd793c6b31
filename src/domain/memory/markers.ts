import { isRecord, tryParseJson } from "../../lib/json.ts";

/**
 * Something that an agent wants stored, inside its answer: `[MEMORY]{"content": "…"}`, optionally closed by
 * `[/MEMORY]`.
 */
export interface Marker {
  readonly name: string;
  /** Null if the braces contain no JSON object. Such a marker is removed from the shown text all the same. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly raw: string;
}

export interface ExtractedMarkers {
  /** The answer without its markers, for the user. */
  readonly shown: string;
  readonly markers: readonly Marker[];
}

/**
 * Finds the end by matching braces, because the JSON may contain brackets and braces. Markers in code are examples,
 * and those in quoted lines are somebody else's; both stay.
 */
export function extractMarkers(answer: string): ExtractedMarkers {
  let shown = answer;
  const markers: Marker[] = [];
  // Removing a marker may form a new one, so repeat until none is left.
  for (;;) {
    const found = markersIn(shown);
    if (found.length === 0) return { shown, markers };
    markers.push(...found.map(({ name, data, raw }) => ({ name, data, raw })));
    shown = found.reduceRight((text, { start, end }) => cutOut(text, start, end), shown);
  }
}

/** A fast test before `extractMarkers`. */
export function hasMarker(text: string): boolean {
  return opening.test(text);
}

const opening = /\[(MEMORY|WIN|MISTAKE|STATE|JOURNAL|BLOCKED|STRATEGY|ANSWER|COMMIT|TASK_[A-Z]+)\]\s*(?=\{)/;
/** A code fence, inline code, a quoted line, or a block of data that oldhand quoted. */
const code =
  /^(?<fence>```|~~~).*\n[^]*?^\k<fence>|`[^`\n]+`|^[ \t]*>.*$|<<<oldhand (?<mark>\w+)\n[^]*?\noldhand \k<mark>>>>/m;

interface MarkerSpan extends Marker {
  readonly start: number;
  readonly end: number;
}

/**
 * Scans from left to right, so that the outer construct wins: backticks inside a marker belong to it, a marker inside
 * code is ignored.
 */
function markersIn(text: string): readonly MarkerSpan[] {
  const found: MarkerSpan[] = [];
  const pattern = new RegExp(`${opening.source}|${code.source}`, "gm");
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [all, name] = match;
    if (name === undefined) continue;
    const start = match.index;
    const open = start + all.length;
    const close = closingBrace(text, open);
    if (close === null) continue;
    const tail = text.slice(close + 1).match(new RegExp(`^\\s*\\[/${name}\\]`))?.[0].length ?? 0;
    const data = tryParseJson(text.slice(open, close + 1));
    const end = close + 1 + tail;
    found.push({ name, data: isRecord(data) ? data : null, raw: text.slice(start, end), start, end });
    pattern.lastIndex = end;
  }
  return found;
}

/**
 * Returns the index of the brace that closes the one at `from`, ignoring braces in JSON strings; null if it is missing.
 */
function closingBrace(text: string, from: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at;
  }
  return null;
}

/** Also removes the line if the marker was alone on it. */
function cutOut(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const lineBefore = before.slice(before.lastIndexOf("\n") + 1);
  const lineAfter = after.split("\n", 1)[0] ?? "";
  if (lineBefore.trim() !== "" || lineAfter.trim() !== "") return before + after;
  return before.slice(0, before.length - lineBefore.length) + after.slice(lineAfter.length).replace(/^\n/, "");
}
