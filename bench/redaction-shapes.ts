import type { Random } from "../src/lib/random.ts";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdef`;
const WORDS =
  "sunshine winterfell dragon monkey harbour lantern pebble orchard thunder velvet marble falcon copper meadow anchor saddle ribbon glacier walnut timber cactus puzzle rocket silver".split(
    " ",
  );

/** Where a value of this shape fits: only in quotes, also unquoted (no spaces), or also in a URL. */
export type SecretPlacement = "quoted" | "bare" | "address";

export interface SecretShape {
  readonly name: string;
  readonly fit: SecretPlacement;
  /** True if the value cannot be a word. An ambiguous name such as "key" counts only with an opaque value. */
  readonly opaque: boolean;
  readonly make: (random: Random) => string;
}

const makeShape = (name: string, fit: SecretPlacement, opaque: boolean, make: SecretShape["make"]): SecretShape => ({
  name,
  fit,
  opaque,
  make,
});

/** Shapes of values, from random keys to simple words. */
export const SHAPES: readonly SecretShape[] = [
  makeShape("mixed 32", "address", true, (random) => withBoth(random, 32)),
  makeShape("mixed 12", "address", false, (random) => withBoth(random, 12)),
  makeShape("mixed 8", "address", false, (random) => withBoth(random, 8)),
  makeShape("letters 32", "address", true, (random) => drawCharacters(random, LOWER + UPPER, 32)),
  makeShape("lower case 24", "address", false, (random) => drawCharacters(random, LOWER, 24)),
  makeShape("digits 24", "address", false, (random) => drawCharacters(random, DIGITS, 24)),
  makeShape("dictionary word", "address", false, (random) => pickOne(random, WORDS)),
  makeShape("passphrase", "quoted", false, (random) =>
    Array.from({ length: 4 }, () => pickOne(random, WORDS)).join(" "),
  ),
  makeShape("words with dashes", "address", false, (random) =>
    Array.from({ length: 4 }, () => pickOne(random, WORDS)).join("-"),
  ),
  makeShape("signs and brackets", "quoted", false, (random) => {
    const body = drawCharacters(random, `${LOWER}${UPPER}${DIGITS}!#$%&()*+,-./:;<=>?@[]^_{|}~`, 14);
    return `${drawCharacters(random, LOWER + UPPER, 1)}${drawCharacters(random, DIGITS, 1)}${body}${drawCharacters(random, LOWER + DIGITS, 1)}`;
  }),
  makeShape("symbols", "bare", false, (random) => {
    const body = drawCharacters(random, `${LOWER}${UPPER}${DIGITS}!$&()*;<>?@^%+-_`, 18);
    return `${drawCharacters(random, LOWER + UPPER, 1)}${body}${drawCharacters(random, LOWER + DIGITS, 1)}`;
  }),
  makeShape("word and 123!", "bare", false, (random) => {
    const word = pickOne(random, WORDS);
    return `${word.charAt(0).toUpperCase()}${word.slice(1)}${drawCharacters(random, DIGITS, 3)}!`;
  }),
  makeShape("uuid", "address", false, (random) => {
    const hex = (count: number) => drawCharacters(random, HEX, count);
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${drawCharacters(random, "89ab", 1)}${hex(3)}-${hex(12)}`;
  }),
  makeShape("hex 32", "address", false, (random) => drawCharacters(random, HEX, 32)),
  makeShape("hex 40", "address", false, (random) => drawCharacters(random, HEX, 40)),
  makeShape("hex 64", "address", false, (random) => drawCharacters(random, HEX, 64)),
  makeShape("base64 44", "bare", true, (random) => `${drawCharacters(random, `${LOWER}${UPPER}${DIGITS}+/`, 43)}=`),
];

export function drawCharacters(random: Random, from: string, length: number): string {
  return Array.from({ length }, () => from[Math.floor(random() * from.length)]).join("");
}

export function pickOne<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Letters and digits, at least one of each. */
function withBoth(random: Random, length: number): string {
  const value = drawCharacters(random, LOWER + UPPER + DIGITS, length);
  return /\d/.test(value) && /[A-Za-z]/.test(value) ? value : withBoth(random, length);
}
