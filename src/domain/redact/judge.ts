import { type SecretKind, readName, type NameMeaning, wordSet, splitIdentifier } from "./names.ts";

/**
 * How a value is delimited: by quotes; alone up to the end of its line, cell, parameter or argument; or open, so that
 * it could also be a word of code or of a sentence.
 */
export type Delimiting = "quoted" | "alone" | "open";

/**
 * Returns the rule by which `value` under `name` is a secret, or undefined. Used for assignments in text and for keys
 * of JSON objects.
 */
export function judgeNamed(name: string, value: string, delimiting: Delimiting): string | undefined {
  if (value.length < 4 || value.length > 4096) return undefined;
  const { provider, meaning } = readName(name);
  if (provider !== undefined && isIssued(value)) return `${provider}-key`;
  if (name === "pass" && looksConspicuous(value)) return "password";
  return meaning !== undefined && fits(meaning, value, delimiting) ? meaning.kind : undefined;
}

function fits({ kind, sure }: NameMeaning, value: string, stand: Delimiting): boolean {
  if (!mayBe({ kind, sure }, value, stand)) return false;
  // The most expensive test comes last: most values fail another one first.
  return !ELSEWHERE.test(value) && !TYPE.test(value) && !isPlaceholder(value);
}

function mayBe({ kind, sure }: NameMeaning, value: string, stand: Delimiting): boolean {
  // "pass" is also used for tests.
  if (kind === "password" && sure === 2) return stand === "quoted" && !isLabel(value, kind) && !/\s/.test(value);
  if (sure === 1) return value.length >= 20 && /^[\w+/=]+$/.test(value) && isOpaque(value) && !DIGEST.test(value);
  if (isOpaque(value) || RANDOM_UUID.test(value)) return true;
  if (isLabel(value, kind)) return false;
  if (stand === "open")
    return (
      ((sure === 3 || kind === "token") && isMixed(value, kind) && !isCode(value)) || (sure === 3 && isDashed(value))
    );
  if (stand === "alone" && (isCode(value) || /\s/.test(value))) return false;
  return sure === 2
    ? value.length >= 8 && (isMixed(value, "password") || isSymbolic(value) || isDashed(value))
    : isChosen(value, kind);
}

/** True for anything that is plausible as a chosen secret and for no other purpose. */
function isChosen(value: string, kind: SecretKind): boolean {
  if (/\s/.test(value)) return isPassphrase(value);
  if (/^\d+$/.test(value)) return value.length >= (kind === "password" ? 4 : 6);
  if (kind === "password") return true;
  // A name made of words, such as the name of a setting or the place where a secret is stored.
  if (/^[a-z]+(?:[-_./:][a-z]+)+$/i.test(value)) return isDashed(value);
  return value.length >= 6 && (kind !== "key" || !/^[A-Za-z]+$/.test(value) || value.length >= 8);
}

/** A few plain words that form no sentence. */
function isPassphrase(value: string): boolean {
  const words = value.trim().split(/\s+/);
  return (
    words.length >= 3 && words.length <= 30 && words.every((word) => /^[A-Za-z][a-z]{2,}\d{0,4}$|^\d{1,6}$/.test(word))
  );
}

/** Four or more dashed words, which only a passphrase has. */
function isDashed(value: string): boolean {
  return (
    /^[A-Za-z]{3,12}(?:-[A-Za-z]{3,12}){3,9}$/.test(value) && !splitIdentifier(value).some((word) => PLAIN.has(word))
  );
}

/**
 * True if a value cannot be a word, a name or code. Required if the value is only near the word that calls it a secret:
 * in a sentence, below a label, before a comment.
 */
export function looksConspicuous(value: string): boolean {
  if (value.length < 6 || /\s/.test(value) || isPlaceholder(value)) return false;
  if (ELSEWHERE.test(value) || isCode(value) || isLabel(value, "password")) return false;
  if (isOpaque(value) || UUID.test(value) || isDashed(value) || isNoisy(value)) return true;
  if (/^[\da-f]+$/i.test(value) && /\d/.test(value)) return value.length >= 12;
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 12 && lettersAreRandom(value);
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s./:,()-]/].filter((kind) => kind.test(value)).length;
  return value.length >= 8 && kinds >= 3 && isMixed(value, "password");
}

/** Contains more kinds of special characters than templates, markup or code. */
function isNoisy(value: string): boolean {
  if (value.length < 10 || /\s/.test(value)) return false;
  const rest = value.replace(/\$?\{+[\w.$ -]*\}+|<[A-Za-z][\w .-]*>|\$\([^()]*\)|\$[A-Z_]+/g, "");
  const signs = new Set(rest.match(/[^\w\s./:"'`-]/g)).size;
  if (rest.length < 8 || !/[A-Za-z]/.test(rest) || isCode(value)) return false;
  return signs >= (/\d/.test(value) ? 3 : 4) || (signs > 0 && isOpaque(rest.replace(/[^A-Za-z0-9]/g, "")));
}

/** Letters with digits or special characters, as in passwords but not in words. */
function isMixed(value: string, kind: SecretKind): boolean {
  if (value.length < 6 || value.length > 128) return false;
  if (/[\s(){}[\]<>|\\"'`,;]/.test(value) || /^[./~$%@:=-]/.test(value)) return false;
  if (/^[\d.,:_-]+$/.test(value) || DOTTED.test(value)) return false;
  if (!/\d|[!@#$%^&*+~?]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (value.length >= 16 && entropyOf(value) < 2.5) return false;
  return kind === "password" || (value.length >= 8 && stretchesOf(value) >= 4) || value.length >= 24;
}

/** Contains several special characters that words and code do not have side by side. */
function isSymbolic(value: string): boolean {
  return (
    value.length >= 12 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    /^\S+$/.test(value) &&
    (value.match(/[!@#$%^&*()<>;?+]/g)?.length ?? 0) > 1 &&
    !isCode(value)
  );
}

/** True for text in place of a secret: masks, variables, templates, words like "example". */
export function isPlaceholder(value: string): boolean {
  return isMasked(value) || ((PLACEHOLDER.test(value) || VARIABLE.test(value)) && !isNoisy(value));
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
  if (value.length < 8 || isPlaceholder(value)) return false;
  if (RANDOM_UUID.test(value) || isOpaque(value) || isDashed(value)) return true;
  return (
    CREDENTIAL_CHARS.test(value) &&
    /\d|=$/.test(value) &&
    /[A-Za-z]/.test(value) &&
    entropyOf(value) >= 2.75 &&
    (wordiness(value) < 3.5 || value.endsWith("="))
  );
}

/** Weak secrets exist, so a password only has to be something that is neither a word nor code. */
export function looksLikePassword(value: string): boolean {
  return !isPlaceholder(value) && isMixed(value, "password");
}

/** For a value beside a user name, or after a flag that takes only a password: any word except those of manuals. */
export function isPlausiblePassword(value: string): boolean {
  return value.length >= 3 && !isPlaceholder(value) && !isLabel(value, "password");
}

const CREDENTIAL_CHARS = /^[\w=~@.+/:-]{8,4096}$/;
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// Version 4 only: the others are made from clocks and names, and identify rather than authorise.
const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const MASK = /([^0-9])\1{7}|^(.)\2*$|([xX*.#])\3{4}|\[redacted:/;
const PLACEHOLDER =
  /^<[^<>]*>?$|<[A-Za-z][\w .-]+>|\$\{|\$\(|\{\{|\{[\w.$ -]*\}|^\$[A-Za-z_{1-9@]|[/:.@_-]\$[A-Za-z_]|^%\w+%$|^%(?![\dA-F]{2})[\w({]|%[sdvq@]\b|%\(|^[[({@]|^![a-z]+$|^(?:true|false|null|none|nil|undefined)$|\.{3}|…|\*{3}|(?:^|[^a-z])x{3,}|123456789|9876543|insert|example|sample|placeholder|redacted|changeme|change[_-]me|replace[_-]?|dummy|your[_-]|[_-]here\b|process\.env|os\.environ|getenv|(?:^|[._-])env\.|todo/i;
// Capitals only, because passwords may contain a dollar sign too.
const VARIABLE = /\$[A-Z_]{3}/;
/** Paths, addresses and versions say where a secret is or what keeps it, not what it is. */
const ELSEWHERE =
  /^(?:~|\.{1,2})?\/[\w.@-]+(?:\/[\w.@-]*)*$(?<=\.\w{1,12}|\/[a-z_-]{2,40}|\/)|^\/(?:home|Users|usr|etc|var|tmp|opt|root|private|mnt|srv|run|workspace|app|data)\/|^[~^<>=v]{0,2}\d+(?:\.[\dx*]+)+(?:-[\w.]+)?$|^[A-Za-z]:[\\/]|^[a-z][a-z+.-]{1,12}:\/\/|^(?:data|urn|arn|file|vault|op|ref):/;
const DOTTED = /^[A-Za-z_$][\w$-]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$-]*)+$/;

/** A call, a member or a type, as it follows a name in code. */
function isCode(value: string): boolean {
  if (DOTTED.test(value) || /=>|^[\w.]+\|\||[({[]$/.test(value)) return true;
  return /^(?:[!&*]?[A-Za-z_$][\w$.:?]*(?:\(.*\)|\[.*\]|<[\w\s,[\]|<>]*>)|(?:\[\]|&|\*)[A-Za-z][\w.]*)[;,)}\]?]*$/.test(
    value,
  );
}

const TYPE =
  /^(?:[iuf](?:8|16|32|64|128|size)|u?int\d*_?t?|[A-Z][A-Za-z]+\d*(?:Array|Buffer|String|Type|Enum)|(?:var)?char\d*)[;,?]?$/;

/** Words about secrets, of types, manuals and messages: text made of them is not a secret. */
const PLAIN = wordSet(
  "password passwd pwd pass secret secrets token tokens key keys api auth authorization authentication bearer basic credential credentials username name login test testing tests fake mock foo bar baz change me your my our the some any none null nil undefined true false yes no default empty invalid valid wrong bad good correct incorrect expired missing required optional unknown unset hidden masked removed value string str text number int integer boolean bool object array buffer bytes byte function type class enum void never input output data result response request config settings env environment options option args arg param params props field fields column header body file path url uri id include omit origin inherit enabled disabled success failed failure error denied pending active plain raw hash hashed encrypted encoded generated current next previous public private shared local global self this is are was not of for to in with from and or be must should has have set get enter please confirm does do can cannot will at least only used use stored sent revoked rejected accepted found defined given provided supplied specified protected here there what when which nullable unique weak strong short long safe unsafe reset forgot new stdin stdout prompt development production staging dev prod passwort",
);

function isLabel(value: string, kind: SecretKind): boolean {
  // Secrets have names in other languages too.
  if (/^[\p{L} '-]+$/u.test(value) && /[^ -~]/.test(value)) return true;
  if (!/^[A-Za-z][A-Za-z0-9 _.:/,'!?()-]*$/.test(value) || isOpaque(value)) return false;
  const words = splitIdentifier(value.replace(/\d+/g, " "));
  const digits = /\d/.test(value);
  const plain = words.filter((word) => PLAIN.has(word)).length;
  // A passphrase may contain one of these words; a label consists mostly of them.
  if (plain === 0 || value.length < words.length * 3 || (words.length >= 4 && plain * 2 < words.length)) return false;
  // A plain word with a number may be a poor password, but for other kinds it is a name.
  return !digits || (kind !== "password" && /^[A-Za-z]+(?:[-_. :/]?[A-Za-z]+)*[-_. :/]?\d{1,3}$/.test(value));
}

/** True if it looks like an issued key: one long run of letters and digits. */
function isIssued(value: string): boolean {
  if (!/^[\w=+/.:%-]{14,128}$/.test(value) || ELSEWHERE.test(value) || isMasked(value)) return false;
  if (/^[0-9a-f:-]{16,}$/i.test(value)) return !/^[\d:-]+$/.test(value);
  const run = value
    .match(/[A-Za-z0-9]{12,}/g)
    ?.find((one) => /[A-Za-z]/.test(one) && (/\d\D*\d/.test(one) || wordiness(one) < 3.5));
  return run !== undefined && entropyOf(value) >= 3;
}

/** Opaque strings switch between letters and digits often; identifiers, versions and paths do not. */
export function isOpaque(value: string): boolean {
  if (value.length < 10 || !/^[\w.+/=~:%!@#$^&*-]+$/.test(value) || UUID.test(value)) return false;
  if (/^\d+$/.test(value)) return value.length >= 16 && !isPlaceholder(value);
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 16 && lettersAreRandom(value);
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (wordiness(value) >= 3.5) return false;
  const hex = /^[0-9a-f]+$/i.test(value);
  return entropyOf(value) >= (hex ? 2.8 : value.length < 20 ? 3 : 3.4) && !isPlaceholder(value);
}

/** True for letter sequences that no language has. */
function lettersAreRandom(value: string): boolean {
  if (isMasked(value)) return false;
  const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value.slice(1));
  if (mixed) return value.length / stretchesOf(value) < (value.length < 24 ? 3.5 : 4.2);
  const vowels = value.match(/[aeiouy]/gi)?.length ?? 0;
  return vowels / value.length < 0.25 || /[^aeiouy]{5}/i.test(value);
}

function stretchesOf(value: string): number {
  return value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z0-9_.-]/g)?.length ?? 0;
}

/** The mean length of stretches of one kind (word, capitals, digits), for the mixed run in which it is lowest. */
function wordiness(value: string): number {
  let best = Infinity;
  for (const run of value.split(/[^A-Za-z0-9]+/)) {
    if (run.length < 8) continue;
    const stretches = run.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g);
    if (stretches !== null && stretches.length > 2) best = Math.min(best, run.length / stretches.length);
  }
  return best;
}
