import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";

// Assembled at run time, so that secret scanners do not report this file.
const value = ["q7Rk2", "mZp9X", "w4Tb6", "Ls1Vd"].join("");
const word = ["winter", "fell"].join("");
const begin = ["-----BEGIN", "PRIVATE KEY-----"].join(" ");
const end = begin.replace("BEGIN", "END");

describe("a secret without a name", () => {
  it.each([
    ["mysql -uroot -p@ app", "mysql -uroot -p[redacted:password] app"],
    ["mongosh h -u ada -p @", "mongosh h -u ada -p [redacted:password]"],
    ["redis-cli -a '@' ping", "redis-cli -a '[redacted:password]' ping"],
    ["ldapsearch -x -w @ -b dc=a", "ldapsearch -x -w [redacted:password] -b dc=a"],
    ["sqlcmd -S h -P @", "sqlcmd -S h -P [redacted:password]"],
    ["smbclient //h/s -U ada%@", "smbclient //h/s -U ada%[redacted:password]"],
    ["http -a ada:@ https://h/", "http -a ada:[redacted:password] https://h/"],
    [
      "kubectl create secret generic a --from-literal=x=@",
      "kubectl create secret generic a --from-literal=x=[redacted:password]",
    ],
    ["npm config set //r.dev/:_authToken @", "npm config set //r.dev/:_authToken [redacted:secret]"],
    [
      "echo '@' | docker login -u a --password-stdin",
      "echo '[redacted:password]' | docker login -u a --password-stdin",
    ],
  ])("is what a known program takes there: %j", (form, clean) => {
    expect(redact(form.replace("@", word))).toBe(clean);
  });

  it.each([
    "mkdir -p build/out",
    "ssh -p 2222 ada@host",
    "docker run -p 8080:80 nginx",
    "cp -a src/one dst",
    "mysql -P 3307 -h db",
    'mysql -p"$DB_PASSWORD"',
    "git checkout -b feature=1",
    "Log in with the password of the vault. <<<oldhand d1d0f3a2b4c5e6f7 [1] note",
  ])("is nothing that another program takes there: %j", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("is the value of a cookie that says who is there", () => {
    expect(redact(`Cookie: theme=dark; sessionid=${word}; lang=en`)).toBe(
      "Cookie: theme=dark; sessionid=[redacted:cookie]; lang=en",
    );
    expect(redact(`Set-Cookie: connect.sid=${value}; Path=/; HttpOnly`)).toBe(
      "Set-Cookie: connect.sid=[redacted:cookie]; Path=/; HttpOnly",
    );
  });

  it("is the user or the signature of an address, where it is drawn at random", () => {
    expect(redact(`git clone https://${value}@github.com/a/b`)).toBe(
      "git clone https://[redacted:url-password]@github.com/a/b",
    );
    expect(redact("git clone https://someone-else@github.com/a/b")).toBe(
      "git clone https://someone-else@github.com/a/b",
    );
    expect(redact(`https://b.s3.h/k?X-Amz-Signature=${"9f86d081884c7d65".repeat(4)}&x=1`)).toBe(
      "https://b.s3.h/k?X-Amz-Signature=[redacted:signature]&x=1",
    );
    expect(redact("postgres://user:password@localhost/app")).toBe("postgres://user:password@localhost/app");
  });

  it("is a line of .pgpass, and of netrc in any order", () => {
    expect(redact(`db.acme.dev:5432:app:ada:${word}\n`)).toBe("db.acme.dev:5432:app:ada:[redacted:pgpass]\n");
    expect(redact(`machine h password ${word} login ada`)).toBe(
      "machine h password [redacted:netrc-password] login ada",
    );
    expect(redact(`default login ada password ${word}`)).toBe("default login ada password [redacted:netrc-password]");
  });

  it("is all that a Kubernetes secret holds, in JSON, in a list and as plain text", () => {
    expect(redact(`{"kind":"Secret","stringData":{"pw":"${word}"}}`)).toBe(
      '{"kind":"Secret","stringData":{"pw":"[redacted:kubernetes-secret]"}}',
    );
    expect(redact(`kind: List\nitems:\n- kind: Secret\n  data:\n    pw: ${value}\n`)).not.toContain(value);
    expect(redact(`kind: Secret\nstringData:\n  pw: ${word}\ntype: Opaque\n`)).toBe(
      "kind: Secret\nstringData:\n  pw: [redacted:kubernetes-secret]\ntype: Opaque\n",
    );
  });

  it("is a private key whose beginning or end is cut off, or that is quoted", () => {
    const line = value.repeat(3);
    expect(redact(`${line}\n${line}\n${end}`)).toBe(`[redacted:private-key]\n${end}`);
    expect(redact(`> ${begin}\n> ${line}\n> ${line}`)).toBe(`> ${begin}[redacted:private-key]`);
  });

  it.each([
    ["mnemonic", `mnemonic: ${"abandon ability absent acid ".repeat(3).trim()}`],
    ["wallet-key", `xprv9s21ZrQH143K${"q7Rk2mZp9Xw4Tb6Ls1Vd".repeat(5).slice(0, 96)}`],
    ["wallet-key", `L4${"q7Rk2mZp9Xw4Tb6Ls1Vd".repeat(3).slice(0, 50)}`],
    ["password-hash", `ada:$6$saltsalt$${"q7Rk2mZp9Xw4Tb6Ls1Vd".repeat(5).slice(0, 86)}:19800:0:99999:7:::`],
    ["password-hash", `ada:$apr1$saltsalt$${"q7Rk2mZp9Xw4Tb6Ls1Vd".repeat(2).slice(0, 22)}`],
    [
      "telegram-token",
      `https://api.telegram.org/bot123456789:AA${"q7Rk2mZp9Xw4Tb6Ls1Vd".repeat(2).slice(0, 33)}/getMe`,
    ],
    ["vercel-token", `vercel_blob_rw_${value.slice(0, 16)}_${value.repeat(2).slice(0, 30)}`],
  ])("is known by its format: %s", (rule, text) => {
    expect(redact(text)).toContain(`[redacted:${rule}]`);
  });
});
