import { isRecord } from "../../lib/json.ts";
import { keyedHash } from "../../lib/keyed-hash.ts";
import { judgeNamed } from "../redact/judge.ts";
import { replaceSecrets } from "../redact/redact.ts";

/**
 * Replaces the secrets of one session by placeholders, and back. A placeholder is `oldhand-secret-` and ten letters or digits: a
 * plain word that survives quotes, JSON, URLs and shells, and that a model repeats unchanged. It is a keyed hash of the session
 * and the secret, so the same secret always has the same placeholder, and the placeholder reveals nothing without the key.
 */
export interface Placeholders {
  /** Replaces each secret in a text or JSON value by its placeholder. Names of members never change. */
  hide<T>(value: T): T;
  /** Replaces each secret, and each placeholder of one, by `[redacted:RULE]`, so that the value may be stored. */
  redact<T>(value: T): T;
  /** Replaces each placeholder by its secret. Unknown placeholders stay. */
  restore<T>(value: T): T;
  /** Restores a text that arrives in pieces. `json`: the text is JSON, so secrets are escaped. */
  restorePieces(options?: { readonly json?: boolean }): PieceRestorer;
  /** How many secrets have a placeholder. */
  readonly count: number;
}

export interface PieceRestorer {
  /** Returns the text that is final so far. An end that may be the start of a placeholder is held back. */
  push(piece: string): string;
  end(): string;
}

export function newPlaceholders(of: { readonly session: string; readonly key: string }): Placeholders {
  const secretOf = new Map<string, string>();
  const placeholderOf = new Map<string, string>();
  /** By placeholder: what kind of secret it stands for. */
  const ruleOf = new Map<string, string>();
  let literals: RegExp | null = null;

  const nameSecret = (secret: string, rule: string): string => {
    const known = placeholderOf.get(secret);
    if (known !== undefined) return known;
    let name = "";
    for (let salt = 0; name === "" || secretOf.has(name); salt++)
      name = PREFIX + keyedHash(of.key, `${of.session}\n${salt}\n${secret}`, DIGITS);
    secretOf.set(name, secret);
    placeholderOf.set(secret, name);
    ruleOf.set(name, rule);
    literals = null;
    return name;
  };
  const restoreText = (text: string, json = false): string =>
    text.replace(PLACEHOLDER, (name) => {
      const secret = secretOf.get(name);
      if (secret === undefined) return name;
      return json ? JSON.stringify(secret).slice(1, -1) : secret;
    });
  const markSecrets = (text: string, key: string): string => {
    // Words around an existing placeholder must not make it look like a secret.
    const open = text.replace(PLACEHOLDER, (name) => (secretOf.has(name) ? markOf(name) : name));
    const marked = replaceSecrets(open, (secret, rule) => markOf(nameSecret(restoreText(unmark(secret)), rule)));
    const rule = marked !== text || key === "" ? undefined : judgeNamed(key, text, "quoted");
    return rule === undefined ? marked : markOf(nameSecret(text, rule));
  };
  const clean = newCleanTexts();
  /** Every request of a session has all of its texts: most were searched before, and have no secret. */
  const markUnlessClean = (text: string, key: string): string => {
    if (clean.has(text, key)) return text;
    const marked = markSecrets(text, key);
    if (marked === text) clean.add(text, key);
    return marked;
  };
  const finishText = (marked: string): string => {
    if (placeholderOf.size === 0) return unmark(marked);
    literals ??= literalPattern(placeholderOf.keys());
    const all = literals === null ? marked : marked.replace(literals, (secret) => placeholderOf.get(secret) ?? secret);
    return unmark(all);
  };
  const redactText = (marked: string): string =>
    marked
      .split(ANY_MARK)
      .map((part, at) => (at % 2 === 0 ? finishText(part) : unmark(part)))
      .join("")
      .replace(PLACEHOLDER, (name) => (ruleOf.has(name) ? `[redacted:${ruleOf.get(name) ?? ""}]` : name));

  return {
    // First finds all secrets, then replaces them, so that a secret revealed by a later text is hidden in earlier texts too.
    hide: <T>(value: T) => mapTexts(mapTexts(value, markUnlessClean), finishText) as T,
    redact: <T>(value: T) => mapTexts(mapTexts(value, markSecrets), redactText) as T,
    restore: <T>(value: T) => (secretOf.size === 0 ? value : (mapTexts(value, (text) => restoreText(text)) as T)),
    restorePieces: ({ json = false } = {}) => {
      let held = "";
      return {
        push: (piece) => {
          if (secretOf.size === 0) return piece;
          const text = restoreText(held + piece, json);
          const length = possibleBeginning(text);
          held = text.slice(text.length - length);
          return text.slice(0, text.length - length);
        },
        end: () => {
          const rest = held;
          held = "";
          return rest;
        },
      };
    },
    get count() {
      return secretOf.size;
    },
  };
}

/** Texts in which nothing looks like a secret, whatever else is known; by the name of the member they stand in. */
function newCleanTexts() {
  const known = new Map<string, Set<string>>();
  let characters = 0;
  return {
    has: (text: string, key: string) => known.get(key)?.has(text) === true,
    add: (text: string, key: string): void => {
      // A placeholder is a mark only while its secret is known.
      if (text.length > LONGEST_CLEAN || text.includes(PREFIX)) return;
      characters += text.length;
      // Full: what is still used is searched once more.
      if (characters > MOST_CLEAN || known.size > MOST_KEYS) {
        known.clear();
        characters = text.length;
      }
      const texts = known.get(key) ?? new Set();
      known.set(key, texts.add(text));
    },
  };
}

const LONGEST_CLEAN = 50_000;
const MOST_CLEAN = 2_000_000;
const MOST_KEYS = 200;

const PREFIX = "oldhand-secret-";
const DIGITS = 10;
const LENGTH = PREFIX.length + DIGITS;
const PLACEHOLDER = new RegExp(`${PREFIX}[0-9a-z]{${DIGITS}}`, "g");

/** The form of a placeholder during the search. The rules for secrets skip it. */
function markOf(name: string): string {
  return `[redacted:${name}]`;
}

const MARK = new RegExp(`\\[redacted:(${PREFIX}[0-9a-z]{${DIGITS}})\\]`, "g");

/** A mark of a secret, also of one that was redacted before. */
const ANY_MARK = /(\[redacted:[^\]]*\])/;

function unmark(text: string): string {
  return text.replace(MARK, "$1");
}

/** How many characters at the end may be the start of a placeholder. */
function possibleBeginning(text: string): number {
  for (let length = Math.min(text.length, LENGTH - 1); length > 0; length--) {
    const end = text.slice(-length);
    if (
      length <= PREFIX.length
        ? PREFIX.startsWith(end)
        : end.startsWith(PREFIX) && /^[0-9a-z]+$/.test(end.slice(PREFIX.length))
    )
      return length;
  }
  return 0;
}

/**
 * Matches known secrets anywhere. Short ones must be whole words, because they could be parts of other words. Very short ones must
 * also have a letter and a digit, because they could be words of their own, such as `test`.
 */
function literalPattern(secrets: Iterable<string>): RegExp | null {
  const patterns = [...secrets]
    .filter(
      (secret) => secret.length >= SHORT || (secret.length >= SHORTEST && /[a-z]/i.test(secret) && /\d/.test(secret)),
    )
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => {
      const literal = secret.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return secret.length >= LONG ? literal : `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`;
    });
  return patterns.length === 0 ? null : new RegExp(patterns.join("|"), "g");
}

const SHORTEST = 5;
const SHORT = 8;
const LONG = 16;

/** Maps every string of a JSON value. Returns the same object if nothing changes. */
function mapTexts(value: unknown, map: (text: string, key: string) => string, key = ""): unknown {
  if (typeof value === "string") return map(value, key);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mapTexts(item, map, key));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, mapTexts(member, map, name)] as const);
  return members.some(([name, member]) => member !== value[name]) ? Object.fromEntries(members) : value;
}
