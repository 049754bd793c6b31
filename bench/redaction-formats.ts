import type { Random } from "../src/lib/random.ts";
import { drawCharacters } from "./redaction-shapes.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ALNUM = `${LETTERS}0123456789`;
const BASE58 = ALNUM.replaceAll(/[0OIl]/g, "");
const HEX = "0123456789abcdef";
// A part of the word list that wallets use.
const WALLET =
  "abandon ability absent acid alpha badge balance cabin canoe danger dawn eager early fabric faint gadget garlic habit hammer icon idle jacket jazz kangaroo kitchen label ladder machine magnet naive napkin oak obey pact paddle quantum quiz rabbit raccoon sad saddle table tail ugly umbrella vacant vague wage wagon yard year zebra zone".split(
    " ",
  );

export interface KnownFormat {
  readonly name: string;
  readonly make: (random: Random) => { readonly text: string; readonly secret: string };
}

const format = (name: string, text: string, value: (random: Random) => string): KnownFormat => ({
  name,
  make: (random) => {
    const secret = value(random);
    return { text: text.replace("@@", () => secret), secret };
  },
});

const words = (count: number) => (random: Random) =>
  Array.from({ length: count }, () => WALLET[Math.floor(random() * WALLET.length)]).join(" ");

/** Secrets recognisable by their shape alone, or with their own notation. */
export const KNOWN_FORMATS: readonly KnownFormat[] = [
  format("mnemonic 12", "mnemonic: @@", words(12)),
  format("mnemonic 24", 'SEED_PHRASE="@@"', words(24)),
  format("mnemonic prose", "my recovery phrase is @@", words(12)),
  format(
    "extended private key",
    "master @@ of the wallet",
    (random) => `xprv9s21ZrQH143K${drawCharacters(random, BASE58, 96)}`,
  ),
  format(
    "wallet import format",
    "sweep @@ now",
    (random) => `L${drawCharacters(random, "12345", 1)}${drawCharacters(random, BASE58, 50)}`,
  ),
  format("wallet import format, old", "sweep @@ now", (random) => `5J${drawCharacters(random, BASE58, 49)}`),
  format("ethereum key", "private key: 0x@@", (random) => drawCharacters(random, HEX, 64)),
  format(
    "telegram address",
    "https://api.telegram.org/bot@@/getMe",
    (random) => `${drawCharacters(random, "123456789", 9)}:AA${drawCharacters(random, ALNUM, 33)}`,
  ),
  format(
    "shadow",
    "ada:@@:19800:0:99999:7:::",
    (random) => `$6$${drawCharacters(random, ALNUM, 16)}$${drawCharacters(random, ALNUM, 86)}`,
  ),
  format(
    "htpasswd",
    "ada:@@",
    (random) => `$apr1$${drawCharacters(random, ALNUM, 8)}$${drawCharacters(random, ALNUM, 22)}`,
  ),
  format("bcrypt", "ada:@@", (random) => `$2y$10$${drawCharacters(random, ALNUM, 53)}`),
  format(
    "argon2",
    "hash @@",
    (random) =>
      `$argon2id$v=19$m=65536,t=3,p=4$${drawCharacters(random, ALNUM, 22)}$${drawCharacters(random, ALNUM, 43)}`,
  ),
  format(
    "vercel blob",
    "put with @@",
    (random) => `vercel_blob_rw_${drawCharacters(random, ALNUM, 16)}_${drawCharacters(random, ALNUM, 30)}`,
  ),
  format("1password", "@@", (random) => `ops_eyJ${drawCharacters(random, ALNUM, 300)}`),
];
