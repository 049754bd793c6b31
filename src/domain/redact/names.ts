import { providerOf } from "./providers.ts";

/** The kind of secret that a name denotes. */
export type SecretKind = "password" | "authorization" | "secret" | "token" | "key";

export interface NameMeaning {
  readonly kind: SecretKind;
  /**
   * How certain the name makes it. 3: any value except a placeholder. 2: a value that cannot be a word. 1: only a value
   * that is clearly random and not a digest.
   */
  readonly sure: 1 | 2 | 3;
}

export interface NameReading {
  /** The provider whose secret it would be. */
  readonly provider: string | undefined;
  readonly meaning: NameMeaning | undefined;
}

/** Cached, because the same few names recur. If a name is too long, its end decides. */
export function readName(whole: string): NameReading {
  const name = whole.slice(-LONGEST_NAME);
  const known = names.get(name);
  if (known) return known;
  const words = splitIdentifier(name);
  const flat = name.toLowerCase();
  const mayNameSecret = TELLING.test(flat) && flat !== "user.signingkey";
  const made = { provider: providerOf(words), meaning: mayNameSecret ? meaningOf(words, LOUD.test(name)) : undefined };
  if (names.size < 3_000) names.set(name, made);
  return made;
}

const LONGEST_NAME = 100;
const names = new Map<string, NameReading>();
// A part of every name with a meaning. Most names have none, and a hook then compiles one pattern instead of ten.
const TELLING = /key|token|pass|pw|psk|secret|auth|cred|pat|salt|pepper|signing|unseal|wif/;

/** Splits an identifier into lower-case words. */
export function splitIdentifier(identifier: string): readonly string[] {
  return (identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d{0,3}|[A-Z]|\d+/g) ?? []).map((word) => word.toLowerCase());
}

/** Creates the set on first use, because most hooks do not need it. */
export function wordSet(words: string): Pick<ReadonlySet<string>, "has"> {
  let made: ReadonlySet<string> | undefined;
  return { has: (word) => (made ??= new Set(words.split(" "))).has(word) };
}

// The style of environment variables: DB_PASSWORD, ACME_KEY.
const LOUD = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
// Words that do not change a name's meaning: SECRET_KEY_2, api_key_prod, passwordConfirm.
const SUFFIX =
  /^(?:\d{1,3}|v\d|value|prod|production|dev|staging|test|live|base(?:64)?|b64|default|old|new|primary|secondary|header|string|plain|raw|confirm|confirmation|again|repeat|equals|eq)$/;
const PASSWORD = /(?:password|passwd|passphrase|passcode)s?$|^(?:\w{0,8}pwd|\w{0,8}pass|pw|psk|passwort|passe)$/;
const NO_PASSWORD = wordSet(
  "compass bypass surpass trespass encompass overpass underpass multipass renderpass subpass",
);
/** `api key`, `access token`: after these words, only a secret is meant. */
const UNMISTAKABLE = wordSet(
  "api secret access private signing encryption encrypt decryption master auth webhook shared hmac unseal bearer refresh personal oauth subscription jwt consumer deploy bot xapi gitlab github registry npm pypi app root admin storageaccount",
);
const LIKELY = wordSet(
  "account service license client application project server session security user push id recovery push install write read",
);
const NOT_SECRET = wordSet(
  "csrf xsrf page next continuation cursor sync public pub max num min count total input output prompt completion cache cached stop eos bos pad unk sep mask cls design idempotency sort partition primary foreign natural idx index bucket map dict hash storage object row column group lookup dedupe dedup unique composite query route item node event message entry translation i18n metadata config option state prev previous last first current cancellation cancel invalid unexpected expected parse lexer any each every no missing config feature flag state context range order commit build content file path host known authorized",
);

/** True if a word before "key" or "token" qualifies it. */
export function isQualifier(word: string): boolean {
  const plain = word.toLowerCase();
  return UNMISTAKABLE.has(plain) || LIKELY.has(plain) || NOT_SECRET.has(plain);
}

/** The meaning of a name, by its last words: `aws_secret_access_key` is a secret, `secret_name` is not. */
function meaningOf(words: readonly string[], loud: boolean): NameMeaning | undefined {
  let end = words.length;
  while (end > 1 && SUFFIX.test(words[end - 1]!)) end--;
  const last = (words[end - 1] ?? "").replace(/\d{1,3}$/, "");
  const before = words[end - 2] ?? "";
  if (PASSWORD.test(last) && !NO_PASSWORD.has(last))
    return { kind: "password", sure: last === "pass" && before === "" ? 2 : 3 };
  if (last === "authorization" || (last === "auth" && (before === "x" || before === "basic")))
    return { kind: "authorization", sure: 3 };
  if (/^(?:pat|auth|salt|pepper|signing|unseal|wif)$/.test(last)) {
    if (before === "" && last !== "auth") return undefined;
    return { kind: "secret", sure: loud ? 3 : 2 };
  }
  if (NOT_SECRET.has(before)) return undefined;
  if (/^cred(?:ential)?s?$|secrets?$/.test(last)) return { kind: "secret", sure: 3 };
  return meaningOfNoun(last, before, loud);
}

function meaningOfNoun(last: string, before: string, loud: boolean): NameMeaning | undefined {
  const noun = /^(.*?)(key|token)(s?)$/.exec(last);
  if (noun === null) return undefined;
  const qualifier = noun[1] === "" ? before : noun[1]!;
  if (NOT_SECRET.has(qualifier)) return undefined;
  if (noun[3] === "s") return qualifier === "" ? undefined : { kind: noun[2] as SecretKind, sure: 1 };
  if (UNMISTAKABLE.has(qualifier)) return { kind: "secret", sure: 3 };
  if (LIKELY.has(qualifier)) return { kind: "secret", sure: loud ? 3 : 2 };
  // In `monkey`, "key" is only part of a word.
  const glued = noun[1] !== "" || qualifier === "";
  if (noun[2] === "token") return { kind: "token", sure: loud || !glued ? 3 : 2 };
  return { kind: "key", sure: loud ? 3 : glued ? 1 : 2 };
}
