/** Markdown as a tree. It is rendered as elements, never as HTML text, so nothing in it can run. */
export type MarkdownBlock =
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly MarkdownInline[] }
  | { readonly kind: "paragraph"; readonly children: readonly MarkdownInline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly children: readonly MarkdownBlock[] }
  | {
      readonly kind: "list";
      readonly start: number | null;
      readonly items: readonly (readonly MarkdownBlock[])[];
    }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly MarkdownInline[])[];
      readonly rows: readonly (readonly (readonly MarkdownInline[])[])[];
    }
  | { readonly kind: "rule" };

export type MarkdownInline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis" | "strike"; readonly children: readonly MarkdownInline[] }
  /** Only http and https. */
  | { readonly kind: "link"; readonly href: string; readonly children: readonly MarkdownInline[] }
  /** Never loaded: shown as its description and its address. */
  | { readonly kind: "image"; readonly href: string; readonly text: string }
  | { readonly kind: "break" };

const DEEPEST = 8;

export function parseMarkdown(text: string, depth = 0): readonly MarkdownBlock[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: MarkdownBlock[] = [];
  for (let at = 0; at < lines.length;) {
    const read = readBlock(lines, at, depth);
    if (read.block !== null) blocks.push(read.block);
    at = Math.max(read.next, at + 1);
  }
  return blocks;
}

type ReadBlock = { readonly block: MarkdownBlock | null; readonly next: number };

function readBlock(lines: readonly string[], at: number, depth: number): ReadBlock {
  const line = lines[at] ?? "";
  if (line.trim() === "") return { block: null, next: at + 1 };
  const fence = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/.exec(line);
  if (fence) return readCode(lines, at, fence[1] ?? "```", fence[2] ?? "");
  const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading)
    return {
      block: { kind: "heading", level: heading[1]?.length ?? 1, children: parseInline(heading[2] ?? "") },
      next: at + 1,
    };
  if (isRule(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (depth < DEEPEST && /^ {0,3}>/.test(line)) return readQuote(lines, at, depth);
  if (depth < DEEPEST && findMarker(line) !== null) return readList(lines, at, depth);
  if (isTableStart(lines, at)) return readTable(lines, at);
  return readParagraph(lines, at);
}

function isRule(line: string): boolean {
  return /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line);
}

function readCode(lines: readonly string[], at: number, fence: string, language: string): ReadBlock {
  const isEnd = (line: string) => line.trim().startsWith(fence) && /^(`+|~+)$/.test(line.trim());
  const end = lines.findIndex((line, index) => index > at && isEnd(line));
  // A text that is still being written may end inside.
  const last = end === -1 ? lines.length : end;
  return { block: { kind: "code", language, text: lines.slice(at + 1, last).join("\n") }, next: last + 1 };
}

function readQuote(lines: readonly string[], at: number, depth: number): ReadBlock {
  let next = at;
  while (next < lines.length && /^ {0,3}>/.test(lines[next] ?? "")) next++;
  const inner = lines.slice(at, next).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { block: { kind: "quote", children: parseMarkdown(inner.join("\n"), depth + 1) }, next };
}

type ListMarker = { readonly indent: number; readonly width: number; readonly start: number | null };

function findMarker(line: string): ListMarker | null {
  const found = /^(\s*)([-*+]|\d{1,9}[.)])(\s+|$)/.exec(line);
  if (found === null || isRule(line)) return null;
  const [whole, indent = "", sign = ""] = found;
  return { indent: indent.length, width: whole.length, start: /\d/.test(sign) ? Number.parseInt(sign, 10) : null };
}

function readList(lines: readonly string[], at: number, depth: number): ReadBlock {
  const first = findMarker(lines[at] ?? "");
  if (first === null) return { block: null, next: at + 1 };
  const items: string[][] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? "";
    const marker = findMarker(line);
    const indent = line.length - line.trimStart().length;
    if (marker !== null && marker.indent <= first.indent + 1) {
      if ((marker.start === null) !== (first.start === null)) break;
      items.push([line.slice(marker.width)]);
    } else if (line.trim() === "") {
      const after = lines[next + 1] ?? "";
      const goesOn = findMarker(after) !== null || after.length - after.trimStart().length > first.indent;
      if (after.trim() === "" || !goesOn) break;
      items.at(-1)?.push("");
    } else if (indent > first.indent || items.at(-1)?.at(-1) !== "")
      items.at(-1)?.push(line.slice(Math.min(indent, first.width)));
    else break;
  }
  const parsed = items.map((item) => parseMarkdown(item.join("\n"), depth + 1));
  return { block: { kind: "list", start: first.start, items: parsed }, next };
}

function isTableStart(lines: readonly string[], at: number): boolean {
  const below = lines[at + 1] ?? "";
  return (lines[at] ?? "").includes("|") && below.includes("-") && /^[\s|:-]+$/.test(below) && below.includes("|");
}

function readTable(lines: readonly string[], at: number): ReadBlock {
  let next = at + 2;
  while (next < lines.length && (lines[next] ?? "").includes("|")) next++;
  const head = splitCells(lines[at] ?? "");
  const rows = lines.slice(at + 2, next).map((line) => head.map((_, column) => splitCells(line)[column] ?? []));
  return { block: { kind: "table", head, rows }, next };
}

function splitCells(line: string): readonly (readonly MarkdownInline[])[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => parseInline(cell.trim().replaceAll("\\|", "|")));
}

function readParagraph(lines: readonly string[], at: number): ReadBlock {
  let next = at + 1;
  while (next < lines.length && !isParagraphEnd(lines, next)) next++;
  return { block: { kind: "paragraph", children: parseInline(lines.slice(at, next).join("\n")) }, next };
}

function isParagraphEnd(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return (
    line.trim() === "" || /^ {0,3}(?:`{3,}|~{3,}|#{1,6}\s|>)/.test(line) || isRule(line) || findMarker(line) !== null
  );
}

/** How far the end of a mark is looked for, so that a text of marks alone takes no time. */
const FARTHEST = 2_000;

export function parseInline(text: string, depth = 0): readonly MarkdownInline[] {
  const found: MarkdownInline[] = [];
  let plain = "";
  const flush = () => {
    if (plain !== "") found.push({ kind: "text", text: plain });
    plain = "";
  };
  for (let at = 0; at < text.length;) {
    const mark = depth < DEEPEST ? readMark(text, at, depth) : null;
    if (mark !== null) {
      flush();
      found.push(mark.inline);
      at = mark.next;
    } else if (text[at] === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
    } else plain += text[at++];
  }
  flush();
  return found;
}

type ReadMark = { readonly inline: MarkdownInline; readonly next: number };

function readMark(text: string, at: number, depth: number): ReadMark | null {
  const sign = text[at];
  if (sign === "`") return readInlineCode(text, at);
  if (sign === "\n")
    return / {2}$/.test(text.slice(Math.max(0, at - 2), at)) ? { inline: { kind: "break" }, next: at + 1 } : null;
  if (sign === "!" && text[at + 1] === "[") return readLink(text, at + 1, depth, true);
  if (sign === "[") return readLink(text, at, depth, false);
  if (sign === "<" || sign === "h") return readAddress(text, at);
  if (sign === "*" || sign === "_" || sign === "~") return readEmphasis(text, at, depth);
  return null;
}

function readInlineCode(text: string, at: number): ReadMark | null {
  const ticks = /^`+/.exec(text.slice(at, at + 20))?.[0] ?? "`";
  for (let end = text.indexOf(ticks, at + ticks.length); end !== -1 && end - at < FARTHEST;) {
    if (text[end + ticks.length] !== "`" && text[end - 1] !== "`") {
      const inner = text.slice(at + ticks.length, end).replaceAll("\n", " ");
      const trimmed = /^ .*[^ ].* $/.test(inner) ? inner.slice(1, -1) : inner;
      return { inline: { kind: "code", text: trimmed }, next: end + ticks.length };
    }
    end = text.indexOf(ticks, end + 1);
  }
  return null;
}

function readLink(text: string, at: number, depth: number, isImage: boolean): ReadMark | null {
  const found =
    /^\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+["'(][^"')]*["')])?\s*\)/.exec(
      text.slice(at, at + FARTHEST),
    );
  if (found === null) return null;
  const [whole, label = "", href = ""] = found;
  const next = at + whole.length;
  if (isImage) return { inline: { kind: "image", href, text: label }, next };
  const children = parseInline(label, depth + 1);
  if (!isWebAddress(href)) return { inline: { kind: "text", text: `${label} (${href})` }, next };
  return { inline: { kind: "link", href, children }, next };
}

function readAddress(text: string, at: number): ReadMark | null {
  const isMarked = text[at] === "<";
  if (at > 0 && !isMarked && /\w/.test(text[at - 1] ?? "")) return null;
  const found = /^<?(https?:\/\/[^\s<>"'`]+)/.exec(text.slice(at, at + FARTHEST));
  if (found === null) return null;
  const href = isMarked ? (found[1] ?? "") : (found[1] ?? "").replace(/[.,;:!?)\]*_]+$/, "");
  const close = isMarked && text[at + 1 + href.length] === ">" ? 2 : 0;
  if (!isWebAddress(href) || (isMarked && close === 0)) return null;
  return { inline: { kind: "link", href, children: [{ kind: "text", text: href }] }, next: at + href.length + close };
}

function isWebAddress(href: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(href) && URL.canParse(href);
}

function readEmphasis(text: string, at: number, depth: number): ReadMark | null {
  const sign = text[at] ?? "";
  const isDouble = text[at + 1] === sign;
  const mark = isDouble ? sign + sign : sign;
  if (sign === "~" && !isDouble) return null;
  if (/\s|^$/.test(text[at + mark.length] ?? "") || (sign === "_" && /\w/.test(text[at - 1] ?? ""))) return null;
  for (let end = text.indexOf(mark, at + mark.length); end !== -1 && end - at < FARTHEST;) {
    const isClosing = !/\s/.test(text[end - 1] ?? " ") && end > at + mark.length && text[end - 1] !== "\\";
    const isAlone = isDouble || (text[end + 1] !== sign && text[end - 1] !== sign);
    if (isClosing && isAlone && !(sign === "_" && /\w/.test(text[end + mark.length] ?? ""))) {
      const children = parseInline(text.slice(at + mark.length, end), depth + 1);
      const kind = sign === "~" ? "strike" : isDouble ? "strong" : "emphasis";
      return { inline: { kind, children }, next: end + mark.length };
    }
    end = text.indexOf(mark, end + (isAlone ? 1 : 2));
  }
  return null;
}
