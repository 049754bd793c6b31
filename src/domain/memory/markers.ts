import { isRecord, tryParseJson } from "../../lib/json.ts";

/** What an agent wants kept, said inside its answer: `[MEMORY]{"content": "…"}`, with or without `[/MEMORY]` behind it. */
export interface Marker {
  readonly name: string;
  /** Null where the braces hold no JSON object: gone from what is shown, but not from here. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly raw: string;
}

export interface ExtractedMarkers {
  /** What a person sees: the answer without its markers. */
  readonly shown: string;
  readonly markers: readonly Marker[];
}

/** Taken out by matching braces, since JSON inside may hold brackets and braces of its own. Code is left alone: there a marker is an example. */
export function extractMarkers(answer: string): ExtractedMarkers {
  let shown = answer;
  const markers: Marker[] = [];
  // What is left may close up to a new marker: again, until there is none to be seen.
  for (;;) {
    const found = markersIn(shown);
    if (found.length === 0) return { shown, markers };
    markers.push(...found.map(({ name, data, raw }) => ({ name, data, raw })));
    shown = found.reduceRight((text, { start, end }) => cutOut(text, start, end), shown);
  }
}

/** Cheap: whether it is worth looking. */
export function hasMarker(text: string): boolean {
  return opening.test(text);
}

const opening = /\[(MEMORY|WIN|MISTAKE|STATE|JOURNAL|TASK_[A-Z]+)\]\s*(?=\{)/;
/** A fence, or code within a line. */
const code = /^(?<fence>```|~~~).*\n[^]*?^\k<fence>|`[^`\n]+`/m;

interface MarkerSpan extends Marker {
  readonly start: number;
  readonly end: number;
}

/** From left to right, so that what comes first decides: backticks inside a marker are its own, a marker inside code is none. */
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

/** Where the brace that opens at `from` is closed; braces inside JSON strings do not count. Null when it never is. */
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

/** A line that held nothing else goes with it. */
function cutOut(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const lineBefore = before.slice(before.lastIndexOf("\n") + 1);
  const lineAfter = after.split("\n", 1)[0] ?? "";
  if (lineBefore.trim() !== "" || lineAfter.trim() !== "") return before + after;
  return before.slice(0, before.length - lineBefore.length) + after.slice(lineAfter.length).replace(/^\n/, "");
}
