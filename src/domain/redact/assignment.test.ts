import { describe, expect, it } from "vitest";
import { redact, redactValue } from "./redact.ts";

// Assembled at run time, so that secret scanners do not report this file.
const mixed = ["q7Rk2", "mZp9X", "w4Tb6", "Ls1Vd"].join("");
const letters = ["QwnXbTzR", "kLmPaSdF", "gHjKlZxC", "vBnMqWeR"].join("");
const word = ["sun", "shine"].join("");

describe("a value that the text around it calls a secret", () => {
  it.each([
    ["letters only", letters],
    ["lower case", ["kqxvzjwp", "mtrbfgdh", "lcnskqvx"].join("")],
    ["digits", ["83920174", "65019283", "74650192"].join("")],
    ["a dictionary word", word],
    ["signs", "aB3!$x&y(z)*w;q?r@9"],
    ["a word, digits and a sign", "Orchard382!"],
    ["a random UUID", "3b1f8a52-9c47-4e1d-8f60-2a7b5c9d1e34"],
    ["hex", ["9f86d081884c7d65", "9a2feaa0c55ad015"].join("")],
    ["few characters", "k3Xw9q"],
  ])("is one whatever its shape: %s", (_, value) => {
    for (const text of [
      `ACME_API_KEY=${value}`,
      `db:\n  password: ${value}\n`,
      `{"client_secret":"${value}"}`,
      `x --api-key '${value}'`,
    ])
      expect(redact(text)).not.toContain(value);
  });

  it("may be a passphrase without quotes, to the end of its line", () => {
    const words = ["copper", "lantern", "meadow", "thirty"].join(" ");
    expect(redact(`ssh passphrase: ${words}\nnext`)).toBe("ssh passphrase: [redacted:password]\nnext");
    for (const text of [
      "passphrase: enter the one from the vault",
      "Passphrase: required for this key",
      "passphrase: ask the team lead for it",
    ])
      expect(redact(text)).toBe(text);
  });

  it("may be a passphrase in quotes, but no sentence", () => {
    const phrase = ["harbour", "lantern", "pebble", "orchard"].join(" ");
    expect(redact(`password: "${phrase}"`)).toBe('password: "[redacted:password]"');
    expect(redact('password: "Password must have a digit"')).toBe('password: "Password must have a digit"');
  });

  it("ends where the next parameter begins, and nowhere before its own end", () => {
    expect(redact(`https://h/cb?access_token=${mixed}&state=1#top`)).toBe(
      "https://h/cb?access_token=[redacted:secret]&state=1#top",
    );
    expect(redact(`user=ada&password=${word}&scope=a`)).toBe("user=ada&password=[redacted:password]&scope=a");
    expect(redact("DJANGO_SECRET_KEY=a1(b;c)d&e<f>g!h*2\nDEBUG=1")).toBe(
      "DJANGO_SECRET_KEY=[redacted:secret]\nDEBUG=1",
    );
  });

  it("holds its & where no address and no other parameter is near", () => {
    const value = ["Tr0ub4dor", "3x"].join("&");
    for (const [text, clean] of [
      [`password=${value}`, "password=[redacted:password]"],
      [`Use password=${value}, please.`, "Use password=[redacted:password], please."],
      [`user=ada password=${value} host=h`, "user=ada password=[redacted:password] host=h"],
      [`https://h/?password=${value}`, "https://h/?password=[redacted:password]&3x"],
      [`run PASSWORD=${word}1&&make all`, "run PASSWORD=[redacted:password]&&make all"],
      [`<p>password=${word}1&nbsp;now</p>`, "<p>password=[redacted:password]&nbsp;now</p>"],
      [`PASSWORD=${word}1 make & wait`, "PASSWORD=[redacted:password] make & wait"],
    ] as const)
      expect(redact(text)).toBe(clean);
  });

  it.each([
    ["my acme api key: @", "my acme api key: [redacted:secret]"],
    ["API key   @", "API key   [redacted:secret]"],
    ["the token is @.", "the token is [redacted:token]."],
    ['{"password":"Maple$Tree91"}', '{"password":"[redacted:password]"}'],
    ["the passphrase is 'correct horse melon staple', ask Bob", "the passphrase is '[redacted:password]', ask Bob"],
    [
      "The password for the staging box is @ and the user is deploy.",
      "The password for the staging box is [redacted:password] and the user is deploy.",
    ],
    ["use `@` as the password", "use `[redacted:password]` as the password"],
    ["Password:\n@\n", "Password:\n[redacted:password]\n"],
    ["password: |\n  @\nuser: ada", "password: |\n  [redacted:password]\nuser: ada"],
    ["client_secret: >-\n  @\n", "client_secret: >-\n  [redacted:secret]\n"],
    ["| password | @ |", "| password | [redacted:password] |"],
    [
      " id | password\n----+---------\n  1 | @\n  2 | @\n",
      " id | password\n----+---------\n  1 | [redacted:password]\n  2 | [redacted:password]\n",
    ],
    ["user,password\nada,@\n", "user,password\nada,[redacted:password]\n"],
    ["\u001b[33mpassword\u001b[0m=@", "\u001b[33mpassword\u001b[0m=[redacted:password]"],
    [
      "\u001b[1mAPI key:\u001b[22m \u001b[32m@\u001b[39m",
      "\u001b[1mAPI key:\u001b[22m \u001b[32m[redacted:secret]\u001b[39m",
    ],
    ["CREATE USER ada WITH PASSWORD '@';", "CREATE USER ada WITH PASSWORD '[redacted:password]';"],
    ["CREATE USER 'a'@'%' IDENTIFIED BY '@@';", "CREATE USER 'a'@'%' IDENTIFIED BY '[redacted:password]';"],
    [
      "INSERT INTO u (name, password) VALUES ('a', '@');",
      "INSERT INTO u (name, password) VALUES ('a', '[redacted:password]');",
    ],
    ['user.setPassword("@");', 'user.setPassword("[redacted:password]");'],
    ['jwtSecret := []byte("@")', 'jwtSecret := []byte("[redacted:secret]")'],
    ['if (password !== "@") return;', 'if (password !== "[redacted:password]") return;'],
    ["os.getenv('API_KEY', '@')", "os.getenv('API_KEY', '[redacted:secret]')"],
    ['variable "db_password" {\n  default = "@"\n}', 'variable "db_password" {\n  default = "[redacted:password]"\n}'],
    ["%7B%22token%22%3A%22@%22%7D", "%7B%22token%22%3A%22[redacted:secret]%22%7D"],
    ["body=password%3D@%26x%3D1", "body=password%3D[redacted:password]%26x%3D1"],
    ["aws configure set aws_secret_access_key @", "aws configure set aws_secret_access_key [redacted:aws-key]"],
    ["REDIS_AUTH=@", "REDIS_AUTH=[redacted:secret]"],
    ["HASH_SALT=@", "HASH_SALT=[redacted:secret]"],
    ["Ocp-Apim-Subscription-Key: @", "Ocp-Apim-Subscription-Key: [redacted:secret]"],
  ])("is found in %j", (form, clean) => {
    const text = form.includes("@@") ? form.replace("@@", letters) : form.replaceAll("@", letters);
    expect(redact(text)).toBe(clean);
  });

  it("is judged by the key of a JSON value in the same way", () => {
    expect(redactValue({ password: word, api_key: letters, token: "identifier", cache_key: letters })).toEqual({
      password: "[redacted:password]",
      api_key: "[redacted:secret]",
      token: "identifier",
      cache_key: letters,
    });
  });

  it("is no secret when it stands for one, or says where one is", () => {
    for (const value of [
      "<your password>",
      "${DB_PASSWORD}",
      "$PASSWORD",
      "{{ password }}",
      "xxxxxxxx",
      "********",
      "changeme",
      "YOUR_PASSWORD",
      "null",
      "None",
      "process.env.PASSWORD",
      "getPassword()",
      "string",
      "/run/secrets/db",
      "config.db.password",
    ])
      expect(redact(`password: ${value}`)).toBe(`password: ${value}`);
  });
});

describe("a value beside a word that only sounds like a secret", () => {
  it.each([
    `cache key: ${letters}`,
    `primary_key = ${letters}`,
    "monkey: banana-2024",
    "token: identifier",
    'fields = ["username", "password", "remember"]',
    "--- PASS: TestParseV2 (0.00s)",
    "arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod/db-a1b2c3",
    '{"key": "9a038989604e8da62ecddbe2094b16ce1b778be1"}',
    '{"session_id":"5a0f7a5e-6f0b-4f5c-8f7e-0f1a2b3c4d5e"}',
    "const conf = {\n  password: hashed\n};",
  ])("stays: %j", (text) => {
    expect(redact(text)).toBe(text);
  });
});
