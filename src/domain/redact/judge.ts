import { NAMED_RULES, type NamedRule } from "./rules.ts";

/**
 * Which rule, if any, says that `value` under `name` is a secret.
 * Pure text judgement, shared by assignments in text and by keys of JSON objects.
 */
export function judgeNamed(name: string, value: string): string | undefined {
  if (value.length < 6 || value.length > 4096) return undefined;
  const { words, rows, meaning } = knownName(name);
  // No provider's format has white space in it.
  const byName =
    rows.length === 0 || /\s/.test(value) ? undefined : namedFormat(rows, name.toLowerCase(), words, value);
  if (byName !== undefined) return byName;
  return meaning !== undefined && FITS[meaning](value) ? meaning : undefined;
}

interface Name {
  readonly words: readonly string[];
  /** The providers it could mean. */
  readonly rows: readonly NamedRule[];
  readonly meaning: Meaning | undefined;
}

/** The same few names stand over most values. */
function knownName(name: string): Name {
  const known = names.get(name);
  if (known) return known;
  const words = wordsOf(name);
  const flat = name.toLowerCase();
  const rows = NAMED_RULES.filter((row) => row.leads.some((lead) => flat.includes(lead)));
  const made = { words, rows, meaning: meaningOf(words) };
  if (names.size < 500 && name.length < 100) names.set(name, made);
  return made;
}

const names = new Map<string, Name>();

type Meaning = "password" | "authorization" | "secret" | "token" | "key";

const FITS: Readonly<Record<Meaning, (value: string) => boolean>> = {
  password: looksLikePassword,
  authorization: looksLikeCredential,
  secret: (value) => looksRandom(value) || RANDOM_UUID.test(value),
  // Bare "token" is also a word of parsers and of paging, so an identifier under it proves nothing.
  token: looksRandom,
  // Most keys of most programs open nothing; only what is plainly drawn at random, and no digest, counts.
  key: (value) => value.length >= 20 && !DIGEST.test(value) && looksRandom(value),
};

/** Text that stands where a secret would stand: masks, variables, templates, words like "example". */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || isMasked(value);
}

/** A token format filled with one repeated character, or with the alphabet. */
export function isMasked(value: string): boolean {
  return MASK.test(value) || value.includes("EXAMPLE") || /abcdefghijklmnopqrstuvwxyz/i.test(value);
}

/** Shannon entropy in bits per character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** A credential after "Authorization:": an opaque word, not English and not a variable. */
export function looksLikeCredential(value: string): boolean {
  return (
    value.length >= 8 &&
    CREDENTIAL_CHARS.test(value) &&
    /\d|=$/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !isPlaceholder(value) &&
    entropyOf(value) >= 2.75 &&
    (wordiness(value) < 3.5 || value.endsWith("="))
  );
}

/** Weak secrets exist, so a password only has to be something nobody writes as a word or as code. */
export function looksLikePassword(value: string): boolean {
  if (value.length < 6 || value.length > 128 || isPlaceholder(value)) return false;
  if (/[\s(){}[\]<>|\\"'`,;]/.test(value) || /^[./~$%@:=-]/.test(value)) return false;
  if (/^[\d.,:_-]+$/.test(value) || /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+$/.test(value)) return false;
  return /\d|[!@#$%^&*+~?]/.test(value) && /[A-Za-z]/.test(value) && !/^(?:https?:)?\/\//.test(value);
}

const CREDENTIAL_CHARS = /^[\w=~@.+/:-]{8,4096}$/;
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// Version 4: the others are made of clocks and names, and identify rather than admit.
const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const MASK = /([^0-9])\1{7}|^(.)\2*$|([xX*.#])\3{4}|\[redacted:/;
const PLACEHOLDER =
  /^[<[{$%@(]|[<>{}]|\$[A-Za-z_]{2}|%[sdvq@]\b|^(?:true|false|null|none|nil|undefined)$|\.{3}|…|\*{3}|(?:^|[^a-z])x{3,}|123456789|9876543|insert|example|sample|placeholder|redacted|changeme|change[_-]me|dummy|your[_-]|[_-]here\b|process\.env|os\.environ|getenv|(?:^|[._-])env\.|todo/i;

/** What a name says about its value, by its last words: `aws_secret_access_key` is a secret, `secret_name` is not. */
function meaningOf(words: readonly string[]): Meaning | undefined {
  let end = words.length;
  while (end > 1 && SUFFIX.test(words[end - 1]!)) end--;
  const last = (words[end - 1] ?? "").replace(/\d{1,3}$/, "");
  const before = words[end - 2] ?? "";
  if (/(?:password|passwd|passphrase|passcode)s?$|^(?:\w{0,8}pwd|\w{0,4}pass|pw)$/.test(last)) return "password";
  if (last === "authorization" || (last === "auth" && (before === "x" || before === "basic"))) return "authorization";
  if (NOT_SECRET.has(before)) return undefined;
  if (/^cred(?:ential)?s?$|secrets?$/.test(last) || (last === "pat" && before !== "")) return "secret";
  const noun = /^(.*?)(key|token)s?$/.exec(last);
  if (noun === null) return undefined;
  const qualifier = noun[1] === "" ? before : noun[1]!;
  if (NOT_SECRET.has(qualifier)) return undefined;
  if (SECRET_KEY.has(qualifier)) return "secret";
  if (noun[2] === "token") return "token";
  return qualifier === "" ? undefined : "key";
}

// Words that leave a name's meaning alone: SECRET_KEY_2, api_key_prod.
const SUFFIX =
  /^(?:\d{1,3}|v\d|value|prod|production|dev|staging|test|live|base64|b64|default|old|new|primary|secondary|header|string)$/;
const SECRET_KEY: ReadonlySet<string> = new Set(
  "api secret access private signing encryption encrypt master auth account service license client consumer deploy admin root session webhook application app project server personal refresh bearer id bot user push oauth registry security xapi gitlab github".split(
    " ",
  ),
);
const NOT_SECRET: ReadonlySet<string> = new Set(
  "csrf xsrf page next continuation cursor sync public pub max num min count total input output prompt completion cache cached stop eos bos pad design idempotency sort partition primary foreign natural idx index bucket map dict hash storage".split(
    " ",
  ),
);

interface CompiledName {
  readonly name: RegExp;
  readonly value: RegExp;
}
const compiled = new Map<NamedRule, CompiledName>();

function namedFormat(
  rows: readonly NamedRule[],
  flat: string,
  words: readonly string[],
  value: string,
): string | undefined {
  for (const row of rows) {
    const { name, value: shape } = compile(row);
    if (!shape.test(value) || !(name.test(flat) || name.test(words.join("_")))) continue;
    if (!isMasked(value) && entropyOf(value) >= (row.entropy ?? 2.5)) return row.rule;
  }
  return undefined;
}

function compile(row: NamedRule): CompiledName {
  const known = compiled.get(row);
  if (known !== undefined) return known;
  const fresh = {
    name: new RegExp(atWord(row.name)),
    value: new RegExp(`^(?:${row.value})$`, "i"),
  };
  compiled.set(row, fresh);
  return fresh;
}

// A provider's name must stand as a word of the identifier: "CameraKit" does not name Meraki.
const atWord = (names: string) =>
  `(?<![a-z])(?:${names})(?:(?![a-z])|(?=e?_|api|key|token|secret|auth|access|client|app|pass|login))`;

/** Identifier → its words in lower case. */
function wordsOf(identifier: string): readonly string[] {
  return (identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d{0,3}|[A-Z]|\d+/g) ?? []).map((word) => word.toLowerCase());
}

/** Opaque strings change between letters and digits often; identifiers, versions and paths do not. */
function looksRandom(value: string): boolean {
  if (value.length < 10 || !/^[\w.+/=~:%-]+$/.test(value)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || UUID.test(value)) return false;
  if (wordiness(value) >= 3.5) return false;
  const hex = /^[0-9a-f]+$/i.test(value);
  return entropyOf(value) >= (hex ? 2.8 : value.length < 20 ? 3 : 3.4) && !isPlaceholder(value);
}

/** Mean length of the stretches of one kind (word, capitals, digits) in the longest mixed run. */
function wordiness(value: string): number {
  let best = Infinity;
  for (const run of value.split(/[^A-Za-z0-9]+/)) {
    if (run.length < 8) continue;
    const stretches = run.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g);
    if (stretches !== null && stretches.length > 2) best = Math.min(best, run.length / stretches.length);
  }
  return best;
}
