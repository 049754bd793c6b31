import { detectNamedValue, NAME_WORDS } from "./assignment.ts";
import { CONTEXT_RULES } from "./contexts.ts";
import { judgeNamed } from "./judge.ts";
import type { SecretDetector, Secret } from "./detector.ts";
import { PROVIDERS } from "./providers.ts";
import { TOKEN_RULES, type TokenRule } from "./rules.ts";
import { tokenDetector } from "./token-detector.ts";

/**
 * Replaces every recognised secret by `[redacted:<rule>]` and leaves the text around it. Idempotent and linear: one
 * scan finds anchors, and each anchor tests only a bounded range.
 */
export function redact(text: string): string {
  return replaceSecrets(text, (_secret, rule) => `[redacted:${rule}]`);
}

/** The same with other marks. A mark must begin with `[redacted:`, by which every rule knows that no secret is left there. */
export function replaceSecrets(text: string, markOf: (secret: string, rule: string) => string): string {
  let current = text;
  let found = findSecrets(text, 0, text.length);
  // The text beside a replaced secret may look like another one, so the ranges around are scanned again until nothing
  // is found. Two passes are usual; the limit guards against hostile input.
  for (let pass = 0; found.length > 0 && pass < MAX_PASSES; pass++) {
    const marked = replaceAll(current, found, markOf);
    current = marked.text;
    found = marked.around.flatMap(([start, end]) => findSecrets(marked.text, start, end));
  }
  return current;
}

/** Applies `redact` to every string of a JSON value. A string under a telling key is also judged by that key. */
export function redactValue<T>(value: T): T {
  return redactNode(value, "", 0) as T;
}

// Farther than any rule looks beyond its anchor for something that matters.
const REACH = 8192;
const MAX_PASSES = 16;
const MAX_DEPTH = 100;

function redactNode(value: unknown, key: string, depth: number): unknown {
  if (typeof value === "string") return redactString(value, key);
  if (typeof value !== "object" || value === null) return value;
  // Text that was not scanned must not pass as clean.
  if (depth >= MAX_DEPTH) return "[redacted:too-deep]";
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redactNode(item, key, depth + 1));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  // Most values have no secret: they are returned as they are, without allocation.
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members);
  let changed: Map<string, unknown> | undefined;
  for (const name of names) {
    const next = redactNode(members[name], name, depth + 1);
    if (next !== members[name]) (changed ??= new Map()).set(name, next);
  }
  if (changed === undefined) return value;
  return Object.fromEntries(names.map((name) => [name, changed.has(name) ? changed.get(name) : members[name]]));
}

function redactString(text: string, key: string): string {
  const clean = redact(text);
  if (clean !== text || key === "") return clean;
  const rule = judgeNamed(key, text, "quoted");
  return rule === undefined ? text : `[redacted:${rule}]`;
}

interface RedactedText {
  readonly text: string;
  /** The ranges of the new text in which a mark may have changed what the rules match. */
  readonly around: readonly (readonly [start: number, end: number])[];
}

function replaceAll(
  text: string,
  secrets: readonly Secret[],
  markOf: (secret: string, rule: string) => string,
): RedactedText {
  const parts: string[] = [];
  const around: [number, number][] = [];
  let from = 0;
  let length = 0;
  for (const { start, end, rule } of secrets.toSorted((a, b) => a.start - b.start)) {
    if (start < from) continue;
    const mark = markOf(text.slice(start, end), rule);
    parts.push(text.slice(from, start), mark);
    length += start - from + mark.length;
    from = end;
    const before = around.at(-1);
    if (before !== undefined && length - REACH <= before[1]) before[1] = length + REACH;
    else around.push([Math.max(0, length - REACH), length + REACH]);
  }
  parts.push(text.slice(from));
  return { text: parts.join(""), around };
}

interface Anchor {
  readonly literal: string;
  readonly fold: boolean;
  readonly digits: boolean;
  readonly detect: SecretDetector;
}

/**
 * Scans for anchors. Keeps three characters as one 18-bit number and looks up whether an anchor starts with them; more
 * tables tell how it may continue. This costs a shift and a lookup per character, however many rules there are.
 */
function findSecrets(text: string, start: number, end: number): readonly Secret[] {
  // Building the index costs a hook more than the search, so short texts are searched without it.
  if (index === undefined && text.length < SHORT && isAscii(text)) return findInShort(text, start, end);
  const { classes, starts, fourths, fifths, firsts, dotted, anchors } = (index ??= buildIndex());
  let found: Secret[] | undefined;
  const length = Math.min(text.length, end);
  let three = 0;
  let from = 0;
  for (let base = start; base < length;) {
    const last = Math.min(length - base, WINDOW);
    const bytes = bytesOf(text, base, base + last + AHEAD);
    let at = 0;
    for (; at < last; at++) {
      // Non-ASCII characters are mapped to others here; `startsWith` compares the anchors exactly.
      three = ((three << 6) | classes[bytes[at]!]!) & 0x3ffff;
      const here = starts[three]!;
      if (here === 0 || fourths[(here << 6) | classes[bytes[at + 1]!]!] === 0) continue;
      if (dotted[here] === 1 && bytes[at + 5] !== DOT) continue;
      if (fifths[(here << 6) | classes[bytes[at + 2]!]!] === 0) continue;
      if (at > 1 && firsts[(here << 8) | bytes[at - 2]!] === 0) continue;
      const first = base + at - 2;
      if (first < from) continue;
      const secrets = runDetectors(text, first, from, anchors[here]!);
      if (secrets === undefined) continue;
      (found ??= []).push(...secrets);
      from = Math.max(from, ...secrets.map((secret) => secret.end));
      at = Math.max(at, from - 1 - base);
    }
    freeBuffer = bytes;
    base += at;
  }
  return found ?? NONE;
}

const NONE: readonly Secret[] = [];
const WINDOW = 1 << 14;
/** How many characters after a position the tables may read. */
const AHEAD = 5;
const DOT = 46;
/** The buffer for a window, while no scan uses it: a detector may start another scan. */
let freeBuffer: Buffer | undefined;

/** Copies the low byte of each character at once; zeros after the end of the text. */
function bytesOf(text: string, start: number, end: number): Buffer {
  const bytes = freeBuffer ?? Buffer.allocUnsafeSlow(WINDOW + AHEAD);
  freeBuffer = undefined;
  const length = bytes.write(start === 0 && end >= text.length ? text : text.slice(start, end), "latin1");
  if (length < end - start) bytes.fill(0, length, end - start);
  return bytes;
}

/** Returns what the first successful anchor finds. */
function runDetectors(
  text: string,
  at: number,
  from: number,
  anchors: readonly Anchor[],
): readonly [Secret, ...Secret[]] | undefined {
  for (const anchor of anchors) {
    if (!startsWith(text, at, anchor)) continue;
    const secrets = anchor.detect(text, at, from);
    if (secrets === undefined) continue;
    if ("start" in secrets) return [secrets];
    const [one, ...more] = secrets;
    if (one !== undefined) return [one, ...more];
  }
  return undefined;
}

// Written as a loop: most comparisons end at the first or fourth character, which is faster than a built-in.
function startsWith(text: string, at: number, { literal, fold, digits }: Anchor): boolean {
  for (let i = 0; i < literal.length; i++) {
    const code = text.charCodeAt(at + i);
    const wanted = literal.charCodeAt(i);
    if (code === wanted) continue;
    if (fold && code >= 65 && code <= 90 && code + 32 === wanted) continue;
    if (digits && wanted === 48 && code >= 48 && code <= 57) continue;
    return false;
  }
  return true;
}

/** Classes: letters without case, digits as one, the punctuation that anchors use; everything else is 0. */
function classTable(): Uint8Array {
  const classes = new Uint8Array(256);
  for (let i = 0; i < 26; i++) classes[65 + i] = classes[97 + i] = i + 1;
  for (let i = 48; i < 58; i++) classes[i] = 27;
  [..."_-.:/~|@=<&? +$*{}\"\\'"].forEach((char, i) => (classes[char.charCodeAt(0)] = 28 + i));
  return classes.copyWithin(128, 0, 128);
}

interface Index {
  /** The low byte of a character → its class. */
  readonly classes: Uint8Array;
  /** Three characters → the number of an anchor list, 0 for none. */
  readonly starts: Uint16Array;
  readonly anchors: readonly (readonly Anchor[])[];
  /** List number and class of the fourth character → 1 if an anchor of the list may continue so. */
  readonly fourths: Uint8Array;
  readonly fifths: Uint8Array;
  /** List number and first character → 1 if an anchor of the list begins so, case included. */
  readonly firsts: Uint8Array;
  /** List number → 1 if all its anchors require a dot seven characters later. */
  readonly dotted: Uint8Array;
}
let index: Index | undefined;

function buildIndex(): Index {
  const classes = classTable();
  const starts = new Uint16Array(1 << 18);
  const anchors: Anchor[][] = [[]];
  const ranges = new Map<string, Anchor[]>();
  for (const anchor of allAnchors()) {
    const beginning = anchor.literal.slice(0, 3).toLowerCase();
    const there = ranges.get(beginning);
    if (there === undefined) ranges.set(beginning, [anchor]);
    else there.push(anchor);
  }
  // Shorter prefixes first: a longer one extends the list of the shorter one that it refines.
  for (const [beginning, group] of [...ranges].toSorted(([a], [b]) => a.length - b.length)) {
    let first = 0;
    for (let i = 0; i < 3; i++) first = (first << 6) | (i < beginning.length ? classes[beginning.charCodeAt(i)]! : 0);
    const width = 1 << (6 * (3 - beginning.length));
    anchors.push([...anchors[starts[first]!]!, ...group]);
    starts.fill(anchors.length - 1, first, first + width);
  }
  const dotted = Uint8Array.from(anchors, (list) => (list.every(({ literal }) => literal === ".") ? 1 : 0));
  return {
    classes,
    starts,
    anchors,
    dotted,
    fourths: continuationTable(anchors, classes, 3),
    fifths: continuationTable(anchors, classes, 4),
    firsts: firstsOf(anchors),
  };
}

/** The classes that a list's anchors may have at this position; any after their end. */
function continuationTable(anchors: readonly (readonly Anchor[])[], classes: Uint8Array, place: number): Uint8Array {
  const table = new Uint8Array(anchors.length << 6);
  anchors.forEach((list, here) => {
    for (const { literal } of list) {
      if (literal.length > place) table[(here << 6) | classes[literal.charCodeAt(place)]!] = 1;
      else table.fill(1, here << 6, (here + 1) << 6);
    }
  });
  return table;
}

function firstsOf(anchors: readonly (readonly Anchor[])[]): Uint8Array {
  const table = new Uint8Array(anchors.length << 8);
  anchors.forEach((list, here) => {
    for (const { literal, fold, digits } of list) {
      const first = literal.charAt(0);
      const like = digits && first === "0" ? "0123456789" : fold ? first + first.toUpperCase() : first;
      for (const char of like) table[(here << 8) | char.charCodeAt(0)] = 1;
    }
  });
  return table;
}

const SHORT = 2_000;

/** Without the index: tests every anchor that occurs, in the same order as with the index. */
function findInShort(text: string, start: number, end: number): readonly Secret[] {
  const last = Math.min(text.length, end) - 3;
  const places = anchorsIn(text).flatMap(({ anchor, rank, hits }) => hits.map((at) => ({ at, rank, anchor })));
  const found: Secret[] = [];
  let from = 0;
  for (const { at, anchor } of places.toSorted((a, b) => a.at - b.at || a.rank - b.rank)) {
    const secrets = at >= Math.max(start, from) && at <= last ? runDetectors(text, at, from, [anchor]) : undefined;
    if (secrets === undefined) continue;
    found.push(...secrets);
    from = Math.max(from, ...secrets.map((secret) => secret.end));
  }
  return found;
}

function anchorsIn(text: string): readonly { anchor: Anchor; rank: number; hits: readonly number[] }[] {
  const folded = text.toLowerCase();
  const zeroed = folded.replace(/\d/g, "0");
  const { lower, exact, digits, owners } = (anchorLists ??= buildAnchorLists());
  const there: { anchor: Anchor; rank: number; hits: readonly number[] }[] = [];
  for (let at = 0; at < lower.length; at++) {
    const literal = lower[at]!;
    const searched = digits[at] ? zeroed : folded;
    if (!searched.includes(literal)) continue;
    const rank = Math.min(literal.length, 3) * 100_000 + at;
    there.push({ anchor: anchorOf(exact[at]!, owners[at]!), rank, hits: findOccurrences(literal, searched) });
  }
  return there;
}

/** All anchors in parallel lists. A detector is created only if its anchor occurs. */
interface AnchorLists {
  readonly lower: string[];
  readonly exact: string[];
  readonly digits: boolean[];
  readonly owners: (TokenRule | SecretDetector)[];
}
let anchorLists: AnchorLists | undefined;

function buildAnchorLists(): AnchorLists {
  const list: AnchorLists = { lower: [], exact: [], digits: [], owners: [] };
  const add = (anchors: readonly string[], digits: boolean, owner: TokenRule | SecretDetector) => {
    for (const literal of anchors) {
      list.lower.push(literal.toLowerCase());
      list.exact.push(literal);
      list.digits.push(digits);
      list.owners.push(owner);
    }
  };
  for (const rule of TOKEN_RULES) add(rule.anchors, rule.digits ?? false, rule);
  for (const { anchors, detect: look } of CONTEXT_RULES) add(anchors, false, look);
  add(nameAnchors(), false, detectName);
  return list;
}

function anchorOf(literal: string, owner: TokenRule | SecretDetector): Anchor {
  return typeof owner === "function"
    ? { literal, fold: true, digits: false, detect: owner }
    : tokenAnchor(owner, literal, tokenDetector(owner));
}

function findOccurrences(literal: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) places.push(at);
  return places;
}

// Non-ASCII letters may change their length when their case changes.
function isAscii(text: string): boolean {
  return !/[^ -~\s]/.test(text);
}

function tokenAnchor(rule: TokenRule, literal: string, detect: SecretDetector): Anchor {
  return {
    literal: rule.fold ? literal.toLowerCase() : literal,
    fold: rule.fold ?? false,
    digits: rule.digits ?? false,
    detect,
  };
}

function nameAnchors(): readonly string[] {
  return [...NAME_WORDS, ...PROVIDERS];
}

function allAnchors(): readonly Anchor[] {
  const tokens = TOKEN_RULES.flatMap((rule) => {
    const look = tokenDetector(rule);
    return rule.anchors.map((literal) => tokenAnchor(rule, literal, look));
  });
  const contexts = CONTEXT_RULES.flatMap(({ anchors, detect: look }) =>
    anchors.map((literal) => anchorOf(literal, look)),
  );
  return [...tokens, ...contexts, ...nameAnchors().map((literal) => anchorOf(literal, detectName))];
}

/** A value under a name. If the value has a known format, that format gives the rule. */
function detectName(text: string, at: number, from: number): Secret | readonly Secret[] | undefined {
  const secret = detectNamedValue(text, at, from);
  if (secret === undefined || !("start" in secret)) return secret;
  const [inner, ...others] = findSecrets(text.slice(secret.start, secret.end), 0, Infinity);
  if (inner === undefined || others.length > 0) return secret;
  return inner.end - inner.start === secret.end - secret.start ? { ...secret, rule: inner.rule } : secret;
}
