import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { newPlace, type Place } from "../program.ts";
import { stores } from "../stores.ts";

const isThere = stores.some((store) => store.name === "postgres");
const canMakeCertificates = spawnSync("openssl", ["version"]).status === 0;

describe.runIf(isThere)("an address that an administrator has not finished", () => {
  let admin: pg.Client;
  let place: Place;
  beforeAll(async () => {
    place = newPlace();
    admin = new pg.Client({ connectionString: `${inject("postgres")}/postgres` });
    await admin.connect();
    await admin.query("create role stranger login password 'x'");
    await admin.query("create database closed_house");
    await admin.query("revoke all on database closed_house from public");
    await admin.query("create database bare_house");
    await admin.query("alter role stranger in database bare_house set search_path to nowhere");
  });
  afterAll(async () => {
    place.remove();
    await admin.query("drop database closed_house with (force)");
    await admin.query("drop database bare_house with (force)");
    await admin.query("drop role stranger");
    await admin.end();
  });

  const addressOf = (database: string, more = "") => {
    const url = new URL(`${inject("postgres")}/${database}${more}`);
    url.username = "stranger";
    url.password = "x";
    return url.toString();
  };
  /** A command that opens the mind, and the one that sets it up. */
  const bothSay = async (address: string, what: RegExp, hint: RegExp) => {
    const opened = await place.run(["status"], { env: { OLDHAND_DATABASE: address } });
    const setUp = await place.run(["init", "--database", address]);
    for (const { code, stderr } of [opened, setUp]) {
      expect(stderr).toMatch(what);
      expect(stderr).toMatch(hint);
      expect(stderr).not.toMatch(/this is a bug|SECURITY WARNING|\n {4}at /i);
      expect(code).toBe(2);
    }
  };

  it("says that the role may not connect", () =>
    bothSay(
      addressOf("closed_house"),
      /refused the connection: permission denied for database "closed_house"/,
      /grant connect on database/,
    ));

  it("says that the role has no schema", async () => {
    const address = addressOf("bare_house");
    const ran = await place.run(["status"], { env: { OLDHAND_DATABASE: address } });
    expect(ran.stderr).toMatch(/the role has no schema in the database at/);
    expect(ran.stderr).toMatch(/oldhand init --database/);
    expect(ran.code).toBe(2);
    const examined = await place.run(["init", "--database", address]);
    expect(examined).toMatchObject({ code: 1, stdout: expect.stringContaining("names no schema that exists") });
  });

  it("says that the server has no TLS", () =>
    bothSay(
      addressOf("postgres", "?sslmode=require"),
      /does not offer TLS, and the address asks for it \(sslmode=require\)/,
      /sslmode=disable/,
    ));

  it.skipIf(!canMakeCertificates)("says that the certificate of the server cannot be checked", async () => {
    const server = await startSelfSigned();
    try {
      const { port } = server.address() as AddressInfo;
      await bothSay(
        `postgres://ada:x@127.0.0.1:${port}/mind?sslmode=require`,
        /the certificate of the database at .* cannot be checked: self-signed certificate/,
        /sslrootcert=.*sslmode=no-verify/,
      );
    } finally {
      server.close();
    }
  });

  it("says that there is no such host, and that a user or a database is unknown", async () => {
    await bothSay(
      "postgres://ada:x@no-such-host.invalid:5432/mind",
      /there is no host no-such-host\.invalid/,
      /check the name in the address/,
    );
    await bothSay(
      addressOf("no_such_house"),
      /refused the connection: database "no_such_house" does not exist/,
      /address/,
    );
  });

  it.each(["p@xyz#w/qrk", "12/34", "a?b", "p#w"])(
    "with the unencoded password %s is refused, and shows no part of it",
    async (password) => {
      const ran = await place.run(["init", "--database", `postgres://ada:${password}@db.example.com:5432/mind`]);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toMatch(/must be encoded/);
      expect(ran.stderr).toContain("%40");
      for (const part of password.split(/[@#/?]/).filter((one) => one.length > 1))
        expect(ran.stderr).not.toContain(part);
    },
  );
});

/** A server that speaks TLS after the request of a PostgreSQL client, with a certificate that nobody signed. */
async function startSelfSigned(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-tls-"));
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const asked = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"];
  spawnSync("openssl", [...asked, "-keyout", key, "-out", cert]);
  const options = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(dir, { recursive: true });
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("S");
      new TLSSocket(socket, { ...options, isServer: true }).on("error", () => {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
