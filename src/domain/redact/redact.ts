import { detectNamedValue, NAME_WORDS } from "./assignment.ts";
import { CONTEXT_RULES } from "./contexts.ts";
import { entropyOf, isMasked, judgeNamed } from "./judge.ts";
import { type SecretDetector, type Secret, textBefore } from "./detector.ts";
import { PROVIDERS } from "./providers.ts";
import { TOKEN_RULES, type TokenRule } from "./rules.ts";

/**
 * Replaces every recognised secret by `[redacted:<rule>]` and leaves the text around it.
 * Idempotent and linear: one scan finds anchors, and an anchor may look only at a bounded stretch.
 */
export function redact(text: string): string {
  return replaceSecrets(text, (_secret, rule) => `[redacted:${rule}]`);
}

/** The same with other marks. A mark must begin with `[redacted:`, by which every rule knows that no secret is left there. */
export function replaceSecrets(text: string, markOf: (secret: string, rule: string) => string): string {
  let current = text;
  let found = findSecrets(text, 0, text.length);
  // What is left beside a replaced secret may read as another one, so the places around are read
  // again until nothing is found. Two passes are usual; the bound is for texts made to annoy.
  for (let pass = 0; found.length > 0 && pass < MAX_PASSES; pass++) {
    const marked = replaceAll(current, found, markOf);
    current = marked.text;
    found = marked.around.flatMap(([start, end]) => findSecrets(marked.text, start, end));
  }
  return current;
}

/** `redact` over every string of a JSON value; a string under a telling key is judged by that key too. */
export function redactValue<T>(value: T): T {
  return redactNode(value, "", 0) as T;
}

// Farther than any rule looks past its anchor for what would make a difference.
const REACH = 8192;
const MAX_PASSES = 16;
const MAX_DEPTH = 100;

function redactNode(value: unknown, key: string, depth: number): unknown {
  if (typeof value === "string") return redactString(value, key);
  if (typeof value !== "object" || value === null) return value;
  // Unlooked-at text must not pass as clean.
  if (depth >= MAX_DEPTH) return "[redacted:too-deep]";
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redactNode(item, key, depth + 1));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  // Most have none: they are handed on as they are, and nothing is made for them.
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
  /** The stretches of the new text in which a mark can have changed what the rules see. */
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
 * The scan keeps three characters as one 18-bit number and asks a table whether an anchor starts
 * with them; more tables know how it may go on. That costs a shift and a look-up per character,
 * however many rules there are.
 */
function findSecrets(text: string, start: number, end: number): readonly Secret[] {
  // Making the index costs a hook more than its work, so its few short texts are searched the plain way.
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
      // Characters beyond ASCII pass for others here; the anchors are compared exactly in lookAt.
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
/** So many characters behind its place a look may be spared by. */
const AHEAD = 5;
const DOT = 46;
/** The memory for a window, while no scan has it: a look may begin another one. */
let freeBuffer: Buffer | undefined;

/** The low byte of each character, out of the string at once; zeros behind its end. */
function bytesOf(text: string, start: number, end: number): Buffer {
  const bytes = freeBuffer ?? Buffer.allocUnsafeSlow(WINDOW + AHEAD);
  freeBuffer = undefined;
  const length = bytes.write(start === 0 && end >= text.length ? text : text.slice(start, end), "latin1");
  if (length < end - start) bytes.fill(0, length, end - start);
  return bytes;
}

/** What the first anchor finds that finds anything. */
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

// Written out: most looks end at the first or fourth character, before a built-in would have started.
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

/** Letters without case, digits as one, the punctuation anchors use, everything else 0. */
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
  /** Three characters → the number of a list of anchors, 0 for none. */
  readonly starts: Uint16Array;
  readonly anchors: readonly (readonly Anchor[])[];
  /** List number and class of the fourth character → 1 when an anchor of the list goes on so. */
  readonly fourths: Uint8Array;
  readonly fifths: Uint8Array;
  /** List number and first character → 1 when an anchor of the list begins so, its case included. */
  readonly firsts: Uint8Array;
  /** List number → 1 when all that is in it asks for a dot seven characters on. */
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
  // Shorter beginnings first: a longer one adds to the list of the shorter it refines.
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

/** Which class a list's anchors may have at this place; any behind their end. */
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

/** Without an index: every anchor that occurs, in the order in which the index would have come to it. */
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

/** All anchors, side by side in lists: what an anchor does is made only where it occurs. */
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

// Beyond ASCII, letters change their number when they change their case.
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

function tokenDetector(rule: TokenRule): SecretDetector {
  const { anchors, head, tail, digits, fold, entropy = 2.5, end = "(?![A-Za-z0-9_])" } = rule;
  const lengths = head?.lengths ?? [0];
  let pattern: RegExp | undefined;
  return (text, at, from) => {
    pattern ??= new RegExp(
      `${head?.pattern ?? ""}(?:${anchors.map((literal) => literalPattern(literal, digits)).join("|")})${tail}${end}`,
      fold ? "iy" : "y",
    );
    for (const length of lengths) {
      const start = at - length;
      if (start < from) continue;
      pattern.lastIndex = start;
      if (!pattern.test(text)) continue;
      const stop = pattern.lastIndex;
      if (end !== "" && !isBoundary(text, start)) continue;
      const secret = text.slice(start, stop);
      if (entropy > 0 && (isMasked(secret) || entropyOf(secret) < entropy)) continue;
      if (secret.endsWith("EXAMPLE")) continue;
      return { start, end: stop, rule: rule.rule };
    }
    return undefined;
  };
}

function literalPattern(literal: string, digits: true | undefined): string {
  const escaped = literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return digits ? escaped.replaceAll("0", "\\d") : escaped;
}

/** A token starts after a non-word character, or after an escape whose last character is a letter. */
function isBoundary(text: string, at: number): boolean {
  if (at === 0 || !/\w/.test(text.charAt(at - 1))) return true;
  return /(?:\\[nrtbf]|\\u[\da-f]{4}|%[\da-f]{2}|\[[\d;]{1,12}m)$/i.test(textBefore(text, at, 16));
}

/** A value under a name; when it has a known format, the format names the rule. */
function detectName(text: string, at: number, from: number): Secret | readonly Secret[] | undefined {
  const secret = detectNamedValue(text, at, from);
  if (secret === undefined || !("start" in secret)) return secret;
  const [inner, ...others] = findSecrets(text.slice(secret.start, secret.end), 0, Infinity);
  if (inner === undefined || others.length > 0) return secret;
  return inner.end - inner.start === secret.end - secret.start ? { ...secret, rule: inner.rule } : secret;
}
