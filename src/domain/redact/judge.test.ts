import { describe, expect, it } from "vitest";
import {
  entropyOf,
  isPlausiblePassword,
  isMasked,
  isOpaque,
  isPlaceholder,
  judgeNamed,
  looksLikeCredential,
  looksLikePassword,
  looksConspicuous,
  UUID,
} from "./judge.ts";

// Assembled at run time, so that secret scanners do not report this file.
const drawn = ["q7Rk2", "mZp9X", "w4Tb6", "Ls1Vd"].join("");
const random = (length: number) => Array.from({ length }, (_, at) => drawn[(at * 7) % drawn.length]).join("");
const hex = ["9f86d081", "884c7d65", "9a2feaa0", "c55ad015"].join("");
const version4 = "3b1f8a52-9c47-4e1d-8f60-2a7b5c9d1e34";
const version1 = "3b1f8a52-9c47-1e1d-8f60-2a7b5c9d1e34";
const capitals = ["QwnXbTzR", "kLmPaSdF", "gHjKlZxC", "vBnMqWeR"].join("");

describe("what stands for a secret", () => {
  it.each([
    "<password>",
    "<password",
    "prefix <your token> suffix",
    "a${b}",
    "a$(b)",
    "a{{b}}",
    "a{name}b",
    "a{}b",
    "$name",
    "$1",
    "$@",
    "${",
    "host:$port",
    "host/$port",
    "host.$port",
    "host@$port",
    "host_$port",
    "host-$port",
    "%USERNAME%",
    "%(name)",
    "%zz",
    "%{name}",
    "user %s",
    "user %d",
    "user %v",
    "user %q",
    "user %@a",
    "a%(b",
    "[value]",
    "(value)",
    "{value",
    "@value",
    "!secret",
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "abc...",
    "abc…",
    "a***b",
    "xxx",
    "axxx.xxxxb",
    "AKIA-xxxa",
    "1234567890",
    "98765432",
    "insert-it",
    "an-example",
    "a-sample",
    "placeholder1",
    "redacted1",
    "changeme1",
    "change-me-1",
    "change_me_1",
    "replace-it",
    "replace_it",
    "replaceit",
    "dummy1",
    "your-token",
    "your_token",
    "token-here",
    "token_here",
    "process.env.A",
    "os.environ.A",
    "getenv.A",
    "env.A",
    "x.env.A",
    "a-env.A",
    "TODO1",
    "a$HOME",
    "aaaaaaaa1",
    "******",
    "1111",
    "xxxxx1",
    "#####1",
    "1.....",
    "[redacted:password]",
    "AKIAEXAMPLE",
    "0abcdefghijklmnopqrstuvwxyz1",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  ])("is a placeholder: %j", (value) => {
    expect(isPlaceholder(value)).toBe(true);
  });

  it.each([
    "sunshine",
    "Orchard382!",
    "a<b",
    "a<1>b",
    "a>b",
    "a{b,c}d",
    "a$b",
    "a$0",
    "$0",
    "a.$1",
    "%4Aab",
    "a%b%",
    "100%d1",
    "a[b]",
    "a(b)",
    "a@b",
    "!Aa1",
    "a!secret",
    "!secret1",
    "truer",
    "untrue",
    "a..b",
    "a**b",
    "axx1",
    "maxxxis",
    "12345678",
    "987654",
    "changem",
    "yours1",
    "heretic",
    "tokenhere",
    "token-hereby",
    "environ1",
    "myenv.A",
    "envoy1",
    "a$HO1",
    "a$home",
    "aaaaaaa1",
    "11112",
    "####1",
    "a[redact:x]",
    "abcdefghijklmnopqrstuvwxy1",
    "1EXAMPL2",
  ])("is none: %j", (value) => {
    expect(isPlaceholder(value)).toBe(false);
  });

  it("has so many kinds of signs at times that it is a password all the same", () => {
    for (const value of ["aB3!$x&y(z)*w;${q?r@9", "k#9!&w^2{{z}}?p+q", "Tr0ub$HOME!x&z*q9"])
      expect([value, isPlaceholder(value)]).toEqual([value, false]);
    for (const value of ["aB3!$x&y(z)*w;xxxxxq?r@9", "${FIRST}-${SECOND}", "a1b2c3!${q}", "ab ${c} !&*^ 12 xy"])
      expect([value, isPlaceholder(value)]).toEqual([value, true]);
  });

  it("is a mask only where one sign repeats, or the alphabet runs through", () => {
    for (const value of ["aaaaaaaa", "--------1", "xxxxx", "XXXXX1", "****a*****", "7777", "x", "ghp_EXAMPLE1"])
      expect([value, isMasked(value)]).toEqual([value, true]);
    for (const value of ["00000000a", "aaaaaaab", "xXxXx1", "77778", "example", ""])
      expect([value, isMasked(value)]).toEqual([value, false]);
  });
});

describe("how much a text says", () => {
  it("is counted in bits a character", () => {
    expect(entropyOf("")).toBe(0);
    expect(entropyOf("aaaa")).toBeCloseTo(0, 12);
    expect(entropyOf("abab")).toBeCloseTo(1, 12);
    expect(entropyOf("abcd")).toBeCloseTo(2, 12);
    expect(entropyOf("aaab")).toBeCloseTo(0.811278, 6);
  });
});

describe("what is drawn at random", () => {
  it.each([
    drawn,
    hex,
    "a1b2c3d4e5",
    "a1b2.c3d4e5f6+g7/h8=",
    "k3Xw9qZt5L~p:2%R!8@#$^&*-",
    ["83920174", "65019283"].join(""),
    capitals,
    ["kqxvzjwp", "mtrbfgdh"].join(""),
    ["QZXKWVTR", "BNMLPSDF"].join(""),
    "aQzRkTwLpXbVmNdZ",
  ])("is opaque: %j", (value) => {
    expect(isOpaque(value)).toBe(true);
  });

  it.each([
    "a1b2c3d4e",
    "a1b2c3d4 e5",
    "a1b2(c3d4)e5",
    version4,
    ["83920174", "6501928"].join(""),
    ["kqxvzjwp", "mtrbfgd"].join(""),
    "internationalization",
    "getElementByIdentifier",
    "InternationalOrganization",
    "no-digits-at-all",
    "2026-11-17T06:54:37",
    "1234-5678-9012",
    "a1a1a1a1a1a1a1",
    "release2024candidate3",
    "src/domain/rule2/matcher3",
    "aaaaaaaaaaaaaaaaaaaa",
    "a1b2c3d4xxxxx",
    "1234567890123456",
    "ab12ab12ab12ab12ab12ab12",
    "a1b1a1b1a1b1",
  ])("is not: %j", (value) => {
    expect(isOpaque(value)).toBe(false);
  });

  it("may be a credential after its header's name", () => {
    for (const value of [
      drawn,
      version4,
      version1,
      "amber-copper-lantern-meadow",
      "dXNlcjpwYXNz=",
      "QWxhZGRpbjpvcGVu=",
      "Ab3Cd5Ef",
    ])
      expect([value, looksLikeCredential(value)]).toEqual([value, true]);
    for (const value of [
      "Ab3Cd5E",
      "required",
      "Ab3Cd5Ef(x)",
      "12345678",
      "a1a1a1a1",
      "required2here",
      "authorization1",
      "${TOKEN}1a",
      "amber-copper-lantern",
    ])
      expect([value, looksLikeCredential(value)]).toEqual([value, false]);
  });

  it("is told from a name by its form: eight, four, four, four and twelve hexadecimal digits", () => {
    expect(UUID.test(version1)).toBe(true);
    expect(UUID.test(version1.toUpperCase())).toBe(true);
    for (const no of [
      `${version1}0`,
      `0${version1}`,
      version1.slice(1),
      version1.slice(0, -1),
      version1.replace("-", ""),
    ])
      expect([no, UUID.test(no)]).toEqual([no, false]);
  });
});

describe("what somebody chose as a password", () => {
  it.each([
    "hunter22",
    "abc12!",
    "Maple$Tree91",
    "s3cret",
    "a!bcde",
    "pass-w0rd",
    "Qab1abababababa",
    "1a.b_c-d",
    random(128),
  ])("is letters with digits or signs: %j", (value) => {
    expect(looksLikePassword(value)).toBe(true);
  });

  it.each([
    "abc1!",
    random(129),
    "hunter 22",
    "hunter22()",
    "hunter{22}",
    "hunter[22]",
    "hunter<22>",
    "hunter|22",
    "hunter\\22",
    'hunter"22',
    "hunter'22",
    "hunter`22",
    "hunter,22",
    "hunter;22",
    ".hunter22",
    "/hunter22",
    "~hunter22",
    "$0hunter22",
    "%4hunter22",
    ":hunter22",
    "=hunter22",
    "-hunter22",
    "123456",
    "12.34:56",
    "config.db1.host2",
    "config?.db1",
    "std::string1",
    "a->b1c2",
    "hunter",
    "hunter-two",
    "1234!5678",
    "a1a1a1a1a1a1a1a1",
    "changeme1",
  ])("is not %j", (value) => {
    expect(looksLikePassword(value)).toBe(false);
  });

  it("is any word but those of manuals where it is given beside a user's name", () => {
    for (const value of ["abc", "sunshine", "orchard", "12345", "hunter22", "password1", "my-orchard-wall-garden-gate"])
      expect([value, isPlausiblePassword(value)]).toEqual([value, true]);
    for (const value of [
      "ab",
      "password",
      "your password",
      "invalid password",
      "the-secret",
      "string",
      "contraseña",
      "пароль",
      "<pass>",
      "$PASS",
      "staging",
      "Enter password:",
      "new_password",
    ])
      expect([value, isPlausiblePassword(value)]).toEqual([value, false]);
  });
});

describe("what stands out beside a word for a secret", () => {
  it.each([
    drawn,
    hex,
    version4,
    version1,
    "amber-copper-lantern-meadow",
    "9f86d0818843",
    "kqxvzjwpmtrb",
    "aQzRkTwLpXbV",
    "Orchard382!",
    "Maple$Tree9",
    "aB3!$x&y(z)*w;q?r@9",
    "xk!w&z^p*qv",
  ])("does: %j", (value) => {
    expect(looksConspicuous(value)).toBe(true);
  });

  it.each([
    "aB3!x",
    "aB3! x9k",
    "${DB_PASSWORD}",
    "/run/secrets/db",
    "getPassword()",
    "password",
    "9f86d081884",
    "deadbeefcafe",
    "kqxvzjwpmtr",
    "sunshinegarden",
    "hunter22",
    "a1b2c3!",
    "config.db.password",
    "orchard-wall",
  ])("does not: %j", (value) => {
    expect(looksConspicuous(value)).toBe(false);
  });

  it("does with signs of three kinds beside a digit, of four without one, not counting templates and markup", () => {
    for (const value of ["abc1!efg&ijk^", "abc!efg&ijk^lm*", "ab!cq7Rk2mZp9X"])
      expect([value, looksConspicuous(value)]).toEqual([value, true]);
    for (const value of ["abcd!efg&ijk^", "abc <b>!efg&1", "11!22&33^44", "foo(a!1, b&2, c^3)"])
      expect([value, looksConspicuous(value)]).toEqual([value, false]);
  });
});

describe("a value under a name", () => {
  const all = (name: string, value: string) =>
    (["quoted", "alone", "open"] as const).map((stand) => judgeNamed(name, value, stand) ?? "-").join(" ");

  it.each([
    // At least 4 characters and at most 4096.
    ["password", "abc", "- - -"],
    ["password", "abcd", "password password -"],
    ["password", "1234", "password password -"],
    ["password", random(4096), "password password password"],
    ["password", random(4097), "- - -"],
    // Under a certain name, a password is anything except a label, placeholder, path, version or type.
    ["password", "orchard", "password password -"],
    ["password", "hunter22", "password password password"],
    ["password", "my orchard", "- - -"],
    ["password", "amber copper lantern", "password - -"],
    ["password", "amber copper", "- - -"],
    ["password", "amber copper la", "- - -"],
    ["password", "amber copper 1234567", "- - -"],
    ["password", "amber copper 123456", "password - -"],
    ["password", "amber copper lantern12345", "- - -"],
    ["password", "amber copper lantern1234", "password - -"],
    ["password", "amber coPper lantern", "- - -"],
    ["password", `${"amber ".repeat(29)}copper`, "password - -"],
    ["password", `${"amber ".repeat(30)}copper`, "- - -"],
    ["password", "amber-copper-lantern-meadow", "password password password"],
    ["password", "required", "- - -"],
    ["password", "must be set", "- - -"],
    ["password", "contraseña", "- - -"],
    ["password", "password1", "password password password"],
    ["password", "/run/secrets/db", "- - -"],
    ["password", "~/keys/db.txt", "- - -"],
    ["password", "/home/ada/x y", "- - -"],
    ["password", "C:\\keys\\db", "- - -"],
    ["password", "https://vault/db", "- - -"],
    ["password", "vault:kv/db1!", "- - -"],
    ["password", "^1.2.3-beta", "- - -"],
    ["password", "1.2.x", "- - -"],
    ["password", "u64;", "- - -"],
    ["password", "uint32_t", "- - -"],
    ["password", "Uint8Array", "- - -"],
    ["password", "varchar255", "- - -"],
    ["password", "changeme", "- - -"],
    ["password", "openVault()", "password - -"],
    ["password", "a1||b2", "password - -"],
    ["password", "abc1(", "password - -"],
    ["password", "x1=>y2", "password - -"],
    ["password", "list[0]", "password - -"],
    ["password", "Map<string,x1>", "password - -"],
    ["password", "&Config1", "password - -"],
    ["password", "[]byte1", "- - -"],
    // "pass" alone is also used for tests.
    ["pass", "orchard", "password - -"],
    ["pass", "my orchard", "- - -"],
    ["pass", "required", "- - -"],
    ["pass", drawn, "password password password"],
    ["pass", "Orchard382!", "password password password"],
    // A name that makes a key likely.
    ["session_key", "hunter22", "secret secret -"],
    ["session_key", "hunter2", "- - -"],
    ["session_key", "orchards", "- - -"],
    ["session_key", "amber-copper-lantern-meadow", "secret secret -"],
    ["session_key", "1!2@3#a4$5%6", "secret secret -"],
    ["session_key", "list(a!1)?b@2", "secret secret -"],
    ["session_key", drawn, "secret secret secret"],
    ["session_key", version4, "secret secret secret"],
    ["session_key", version1, "secret secret -"],
    // A name that makes a key certain.
    ["api_key", "12345", "- - -"],
    ["api_key", "123456", "secret secret -"],
    ["api_key", "orchard", "secret secret -"],
    ["api_key", "orcha", "- - -"],
    ["api_key", "orchard-wall", "- - -"],
    ["api_key", "orchard.wall", "- - -"],
    ["api_key", "amber-copper-lantern-meadow", "secret secret secret"],
    ["api_key", "token12", "- - -"],
    ["api_key", "token1234", "secret secret -"],
    ["api_key", "a1b2c3d4", "secret secret secret"],
    ["api_key", "hunter22", "secret secret -"],
    ["ACME_KEY", "orchard", "- - -"],
    ["ACME_KEY", "orchards", "key key -"],
    ["ACME_KEY", "orchar1", "key key -"],
    ["token", "a1b2c3d4", "token token token"],
    ["token", "identifier", "- - -"],
    ["my_token", "orchard", "token token -"],
    // A name that only may mean a key: needs twenty random characters that are not a digest.
    ["keys", drawn, "- - -"],
    ["acme_keys", drawn, "key key key"],
    ["acme_keys", drawn.slice(0, 19), "- - -"],
    ["acme_keys", `${drawn}-x`, "- - -"],
    ["acme_keys", hex, "- - -"],
    ["acme_keys", `${hex}9f86d081`, "- - -"],
    ["acme_keys", `${hex}9f86`, "key key key"],
    ["acme_keys", "internationalizations", "- - -"],
    // Keys issued by a provider.
    ["okta", drawn, "okta-key okta-key okta-key"],
    ["okta", drawn.slice(0, 14), "okta-key okta-key okta-key"],
    ["okta", drawn.slice(0, 13), "- - -"],
    ["okta", random(128), "okta-key okta-key okta-key"],
    ["okta", random(129), "- - -"],
    ["okta", hex, "okta-key okta-key okta-key"],
    ["okta", "2026-11-17-06:54:37", "- - -"],
    ["okta", "abcdefabcdefabcd", "okta-key okta-key okta-key"],
    ["okta", `/home/${drawn}`, "- - -"],
    ["okta", `${drawn}xxxxx`, "- - -"],
    ["okta", "internationalization", "- - -"],
    ["okta", "orchard-wall-garden", "- - -"],
    ["okta", "internationalization2", "- - -"],
    ["okta", "inter2nationalization2", "okta-key okta-key okta-key"],
    ["okta", "a1a1a1a1a1a1a1g", "- - -"],
    ["okta_url", drawn, "- - -"],
    ["colour", drawn, "- - -"],
  ])("%s = %j is, in quotes, alone and in the open: %s", (name, value, found) => {
    expect(all(name, value)).toBe(found);
  });
});
