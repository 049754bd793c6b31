import type { Random } from "./random.ts";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdef`;
const WORDS =
  "sunshine winterfell dragon monkey harbour lantern pebble orchard thunder velvet marble falcon copper meadow anchor saddle ribbon glacier walnut timber cactus puzzle rocket silver".split(
    " ",
  );

/** Where a value of this shape can stand: anywhere quoted, anywhere without spaces, inside an address. */
export type Fit = "quoted" | "bare" | "address";

export interface Shape {
  readonly name: string;
  readonly fit: Fit;
  /** Nobody would take it for a word: the only kind that an ambiguous name, such as "key", can vouch for. */
  readonly opaque: boolean;
  readonly make: (random: Random) => string;
}

const shape = (name: string, fit: Fit, opaque: boolean, make: Shape["make"]): Shape => ({ name, fit, opaque, make });

/** The shapes of values, from a key drawn at random to a word anyone could have chosen. */
export const SHAPES: readonly Shape[] = [
  shape("mixed 32", "address", true, (random) => withBoth(random, 32)),
  shape("mixed 12", "address", false, (random) => withBoth(random, 12)),
  shape("mixed 8", "address", false, (random) => withBoth(random, 8)),
  shape("letters 32", "address", true, (random) => draw(random, LOWER + UPPER, 32)),
  shape("lower case 24", "address", false, (random) => draw(random, LOWER, 24)),
  shape("digits 24", "address", false, (random) => draw(random, DIGITS, 24)),
  shape("dictionary word", "address", false, (random) => pick(random, WORDS)),
  shape("passphrase", "quoted", false, (random) => Array.from({ length: 4 }, () => pick(random, WORDS)).join(" ")),
  shape("words with dashes", "address", false, (random) =>
    Array.from({ length: 4 }, () => pick(random, WORDS)).join("-"),
  ),
  shape("signs and brackets", "quoted", false, (random) => {
    const body = draw(random, `${LOWER}${UPPER}${DIGITS}!#$%&()*+,-./:;<=>?@[]^_{|}~`, 14);
    return `${draw(random, LOWER + UPPER, 1)}${draw(random, DIGITS, 1)}${body}${draw(random, LOWER + DIGITS, 1)}`;
  }),
  shape("symbols", "bare", false, (random) => {
    const body = draw(random, `${LOWER}${UPPER}${DIGITS}!$&()*;<>?@^%+-_`, 18);
    return `${draw(random, LOWER + UPPER, 1)}${body}${draw(random, LOWER + DIGITS, 1)}`;
  }),
  shape("word and 123!", "bare", false, (random) => {
    const word = pick(random, WORDS);
    return `${word.charAt(0).toUpperCase()}${word.slice(1)}${draw(random, DIGITS, 3)}!`;
  }),
  shape("uuid", "address", false, (random) => {
    const hex = (count: number) => draw(random, HEX, count);
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${draw(random, "89ab", 1)}${hex(3)}-${hex(12)}`;
  }),
  shape("hex 32", "address", false, (random) => draw(random, HEX, 32)),
  shape("hex 40", "address", false, (random) => draw(random, HEX, 40)),
  shape("hex 64", "address", false, (random) => draw(random, HEX, 64)),
  shape("base64 44", "bare", true, (random) => `${draw(random, `${LOWER}${UPPER}${DIGITS}+/`, 43)}=`),
];

export function draw(random: Random, from: string, length: number): string {
  return Array.from({ length }, () => from[Math.floor(random() * from.length)]).join("");
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Letters and digits, at least one of each. */
function withBoth(random: Random, length: number): string {
  const value = draw(random, LOWER + UPPER + DIGITS, length);
  return /\d/.test(value) && /[A-Za-z]/.test(value) ? value : withBoth(random, length);
}
