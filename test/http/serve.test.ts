import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionPath } from "../../dashboard/src/browser/route.ts";
import { operations } from "../../src/operations.ts";
import { newPlace, type Place, sample, describeRun } from "../program.ts";
import { stores } from "../stores.ts";
import { raw, serveFrom, type Serving } from "./serving.ts";

let place: Place;
let serving: Serving;

beforeAll(async () => {
  place = newPlace();
  await place.json(["import", sample]);
  await place.json(["distil", "--write"]);
  serving = await serveFrom(place);
});
afterAll(async () => {
  await serving.stop();
  place.remove();
});

const bearer = () => ({ authorization: `Bearer ${serving.token}` });
const asJson = () => ({ ...bearer(), "content-type": "application/json" });
const post = (path: string, over: { headers?: Record<string, string>; body?: string } = {}) =>
  raw(serving.port, path, { method: "POST", headers: { ...asJson(), ...over.headers }, body: over.body ?? "{}" });

describe("a search", () => {
  it("says whether its hits contain the words or are only near in meaning", async () => {
    const search = async (query: string) => {
      const { body } = await post("/api/sessions/search", { body: JSON.stringify({ query }) });
      return JSON.parse(body) as { note: string | null; hits: { by: string }[] };
    };
    const known = await search("docker daemon");
    expect(known.note).toBeNull();
    expect(known.hits[0]).toMatchObject({ by: "words" });
    expect((await search("docker nonsensewordxyz")).note).toBe("No hit contains: nonsensewordxyz.");
  });
});

describe("who is answered", () => {
  it("no token, a wrong one, half of one: 401 and nothing of the mind", async () => {
    const headers = { "content-type": "application/json" };
    for (const authorization of [
      undefined,
      "Bearer wrong",
      `Bearer ${serving.token.slice(0, -1)}`,
      "Basic eA==",
      "",
      serving.token,
      `Token ${serving.token}`,
    ]) {
      const response = await raw(serving.port, "/api/status", {
        method: "POST",
        headers: authorization === undefined ? headers : { ...headers, authorization },
        body: "{}",
      });
      expect(response.status).toBe(401);
      expect(response.body).not.toContain(place.home);
    }
    const { body } = await raw(serving.port, "/api/status", { method: "POST", headers, body: "{}" });
    expect(body).toMatch(/send the header `authorization: Bearer TOKEN`.* In a browser, open the address/);
    expect((await raw(serving.port, "/api/live")).status).toBe(401);
    expect((await raw(serving.port, `/api/live?token=${serving.token}`)).status).toBe(401);
    expect((await raw(serving.port, "/api/nothing", { method: "POST" })).status).toBe(401);
  });

  it("a field that the route does not have: 400, with the field that was probably meant", async () => {
    const response = await post("/api/sessions/list", { body: JSON.stringify({ limits: 1 }) });
    expect(response.status).toBe(400);
    expect(response.body).toMatch(/the body has an unknown field \\"limits\\"/);
    expect(response.body).toContain("did you mean limit?");
  });

  it.each([
    "application/jsonp",
    "application/json-seq",
    "text/plain; application/json",
    "application/jsonx; charset=utf-8",
  ])("a body of another type that only looks like JSON's (%s): 400", async (type) => {
    expect((await post("/api/status", { headers: { "content-type": type } })).status).toBe(400);
    expect(
      (await post("/api/status", { headers: { "content-type": "Application/JSON ; charset=utf-8" } })).status,
    ).toBe(200);
  });

  it.each(['<img src=x onerror=alert("1.0")>', "a/b.json", '"quoted".js', "../../etc/passwd", "a.b.c", "%2e%2e"])(
    "a session called %j has a page",
    async (id) => {
      const page = await raw(serving.port, sessionPath(id));
      expect([page.status, page.body]).toEqual([200, expect.stringContaining("<!doctype html>")]);
    },
  );

  it("a file that is not there is missing", async () => {
    for (const path of ["/assets/none.js", "/none.js", "/assets/"])
      expect((await raw(serving.port, path)).status).toBe(404);
  });

  it("the right token: the mind", async () => {
    expect(await serving.call("status")).toMatchObject({ status: 200, body: { counts: { events: 71 } } });
  });

  it.each([
    "evil.example",
    "evil.example:4517",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "0.0.0.0",
    "192.168.0.1",
  ])("a page that reached us by another name (%j): 421, with or without the token", async (host) => {
    expect((await post("/api/status", { headers: { host } })).status).toBe(421);
    expect((await raw(serving.port, "/", { headers: { host } })).status).toBe(421);
  });

  it.each(["127.0.0.1", "localhost", "[::1]"])("%s is our name", async (name) => {
    expect((await post("/api/status", { headers: { host: `${name}:${serving.port}` } })).status).toBe(200);
  });

  it.each(["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "http://localhost.evil.example"])(
    "another site's page (%s): 403, even with the token",
    async (origin) => {
      expect((await post("/api/status", { headers: { origin } })).status).toBe(403);
    },
  );

  it("our own page, by whichever name it was opened", async () => {
    for (const name of ["127.0.0.1", "localhost"]) {
      const host = `${name}:${serving.port}`;
      expect((await post("/api/status", { headers: { host, origin: `http://${host}` } })).status).toBe(200);
    }
  });

  it("another site's preflight is not granted", async () => {
    const response = await raw(serving.port, "/api/status", {
      method: "OPTIONS",
      headers: { origin: "http://evil.example", "access-control-request-method": "POST" },
    });
    expect(response.status).toBe(403);
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("listens on loopback only", async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter((one) => !one.internal && one.family === "IPv4");
    for (const { address } of others) {
      const refused = await new Promise<boolean>((resolve) => {
        const socket = connect({ host: address, port: serving.port });
        socket.once("connect", () => {
          socket.destroy();
          resolve(false);
        });
        socket.once("error", () => resolve(true));
      });
      expect([address, refused]).toEqual([address, true]);
    }
    const hex = serving.port.toString(16).toUpperCase().padStart(4, "0");
    const table = process.platform === "linux" ? readFileSync("/proc/net/tcp", "utf8") : "";
    const listening = table.split("\n").filter((line) => line.includes(`:${hex} 00000000:0000 0A`));
    if (process.platform === "linux")
      expect(listening.map((line) => line.trim().split(/\s+/)[1])).toEqual([`0100007F:${hex}`]);
  });
});

describe("an operation as a stream of events", () => {
  const stream = (path: string, body: object = {}, signal: AbortSignal | null = null) =>
    fetch(`http://127.0.0.1:${serving.port}/api/${path}`, {
      method: "POST",
      headers: { ...asJson(), accept: "text/event-stream" },
      body: JSON.stringify(body),
      signal,
    });
  const messages = (text: string) =>
    text
      .trim()
      .split("\n\n")
      .map((block) => ({
        event: /^event: (.*)$/m.exec(block)?.[1],
        data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null") as Record<string, unknown>,
      }));

  it("tells how far it has come, then the answer", async () => {
    const response = await stream("distil");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = messages(await response.text());
    expect(events.map((one) => one.event)).toEqual([...events.slice(1).map(() => "progress"), "result"]);
    expect(events[0]?.data).toMatchObject({ kind: "progress", text: expect.any(String), total: 7 });
    const { body } = await serving.call("distil");
    expect(events.at(-1)?.data).toEqual({ kind: "result", result: body });
  });

  it("tells what went wrong as its last event; a wrong input has a status", async () => {
    const events = messages(await (await stream("rules/show", { id: "r_none" })).text());
    expect(events).toEqual([
      {
        event: "error",
        data: { error: { code: "not-found", message: "there is no rule r_none", hint: expect.any(String) } },
      },
    ]);
    expect((await stream("rules/show", {})).status).toBe(400);
    expect((await stream("status", {})).status).toBe(200);
  });

  it("follows what agents do until its reader hangs up, and the server goes on", async () => {
    const hangUp = new AbortController();
    const response = await stream("sessions/follow", { after: 0, limit: 2 }, hangUp.signal);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = (await reader?.read())?.value ?? "";
    expect(messages(first.slice(0, first.indexOf("\n\n")))).toMatchObject([
      { event: "item", data: { kind: "item", item: { session: "sample-01", seq: 0 } } },
    ]);
    hangUp.abort();
    expect(await serving.call("status")).toMatchObject({ status: 200 });
  });
});

describe("what is answered", () => {
  it("every answer carries the headers that keep a page in its place", async () => {
    const wrongHost = { host: "evil.example" };
    const answers = await Promise.all([
      raw(serving.port, "/"),
      raw(serving.port, "/nothing.js"),
      raw(serving.port, "/", { headers: wrongHost }),
      post("/api/status"),
      post("/api/nothing"),
      post("/api/status", { body: "{" }),
      post("/api/status", { headers: { origin: "http://evil.example" } }),
      raw(serving.port, "/api/status", { method: "POST" }),
    ]);
    for (const { headers } of answers) {
      const policy = String(headers["content-security-policy"]);
      for (const part of ["default-src 'self'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  });

  it.each([
    "/../../../../etc/passwd",
    "/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/assets/..%2f..%2f..%2f..%2fpackage.json",
    "/assets/../../package.json",
    "/assets/....//....//package.json",
    "/..\\..\\..\\package.json",
    "/%5c..%5c..%5cpackage.json",
    "/assets/%00.js",
    "//etc/passwd",
    "/index.html/../../../package.json",
    "/%",
    "/%ff%fe",
    "//",
    "http://evil.example/etc/passwd",
    "/?/../../etc/passwd",
  ])("no path leads out of the dashboard: %s", async (path) => {
    const response = await raw(serving.port, path);
    expect([200, 400, 404, 421]).toContain(response.status);
    expect(response.body).not.toMatch(/root:.*:0:0|"dependencies"|"devDependencies"/);
    if (response.status === 200) expect(response.body).toContain('<div id="app">');
    expect((await serving.call("status")).status).toBe(200);
  });

  it("the page is asked for anew, its hashed parts are kept", async () => {
    const page = await raw(serving.port, "/");
    expect(page.headers["cache-control"]).toBe("no-cache");
    const [, script = ""] = /src="(\/assets\/[^"]+)"/.exec(page.body) ?? [];
    const part = await raw(serving.port, script);
    expect([part.status, part.headers["content-type"]]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(part.headers["cache-control"]).toContain("immutable");
  });

  it("a body over the limit: 413, sent whole or piece by piece", async () => {
    const body = JSON.stringify({ text: "x".repeat(1_100_000) });
    expect((await post("/api/learn", { body, headers: { "content-length": String(body.length) } })).status).toBe(413);
    const pieces = await fetch(`http://127.0.0.1:${serving.port}/api/learn`, {
      method: "POST",
      headers: asJson(),
      body: new Blob([body]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(pieces.status).toBe(413);
    expect(await pieces.json()).toMatchObject({ error: { message: "the request is larger than 1,000,000 bytes" } });
    expect((await serving.call("rules/list")).body).not.toContainEqual(expect.objectContaining({ origin: "owner" }));
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "a body that another site could send unasked (%j) is refused",
    async (type) => {
      const response = await post("/api/learn", { headers: { "content-type": type }, body: '{"text":"x"}' });
      expect(response.status).toBe(400);
      expect(JSON.parse(response.body)).toMatchObject({ error: { code: "input" } });
    },
  );

  it.each([
    ["/api/nothing", "{}", 404],
    ["/api/", "{}", 404],
    ["/api/rules", "{}", 404],
    ["/api/status/", "{}", 404],
    ["/api/__proto__", "{}", 404],
    ["/api/status", "{", 400],
    ["/api/status", "", 400],
    ["/api/rules/show", "{}", 400],
    ["/api/rules/show", "[]", 400],
    ["/api/rules/show", "null", 400],
    ["/api/rules/show", '"r_1"', 400],
    ["/api/rules/show", '{"id":{"$gt":""}}', 400],
    ["/api/rules/show", '{"id":"r_none"}', 404],
    ["/api/sessions/list", '{"limit":100000}', 400],
    ["/api/sessions/show", '{"id":"none"}', 404],
    ["/api/undo", '{"id":999999}', 404],
  ])("%s with %s: %i, in words", async (path, body, status) => {
    const response = await post(path, { body });
    expect(response.status).toBe(status);
    const { error } = JSON.parse(response.body) as { error: { code: string; message: string; hint: string | null } };
    expect(error.message).toMatch(/^\S.{5,}/);
    expect(response.body).not.toMatch(/\.(ts|js):\d+|node_modules|select |sqlite/i);
  });

  it("reading by GET is not answered: a link must not do anything", async () => {
    expect((await raw(serving.port, "/api/status", { headers: bearer() })).status).toBe(404);
  });

  it("a change that cannot be undone: 409, with the reason", async () => {
    const made = await serving.call<{ rule: { id: string }; change: { id: number } }>("learn", { text: "one" });
    await serving.call("rules/edit", { id: made.body.rule.id, text: "two" });
    const response = await serving.call<{ error: { code: string; hint: string } }>("undo", { id: made.body.change.id });
    expect(response).toMatchObject({ status: 409, body: { error: { code: "refused" } } });
  });

  it.each(
    operations
      .filter((one) => operations.every((same) => same.name !== one.name || !same.surfaces.includes("http")))
      .map((one) => one.name),
  )("%s is not for HTTP", async (name) => {
    for (const path of [name.replaceAll(" ", "/"), name, name.replaceAll(" ", "_")])
      expect((await post(`/api/${encodeURI(path)}`)).status).toBe(404);
  });

  it("nothing that takes files, settings or the past away is for HTTP", () => {
    const open = operations.filter((one) => one.surfaces.includes("http")).map((one) => one.name);
    for (const name of ["backup", "restore", "import", "config", "off", "on", "rules forget"])
      expect(open).not.toContain(name);
  });

  it.each(stores)("strange text in every place is an answer, never a fault: $name", async (kind) => {
    const other = newPlace();
    const { database, remove } = await kind.migrated();
    const there = await serveFrom(other, { OLDHAND_DATABASE: database });
    for (const text of [
      "\u0000",
      "\ud800",
      "'; drop table rules; --",
      '"',
      "*",
      "NEAR(",
      "a AND",
      "%",
      "\\",
      "9".repeat(40),
      "𝕏 ünï",
    ]) {
      for (const [operation, input] of [
        ["sessions/search", { query: text }],
        ["sessions/show", { id: text }],
        ["rules/show", { id: text }],
        ["why", { id: text }],
        ["learn", { text, command: text, workspace: text }],
        ["match", { command: text, cwd: text }],
        ["sessions/list", { host: text, workspace: text }],
        ["report", { workspace: text }],
      ] as const) {
        const { status, body } = await there.call(operation, input);
        expect([200, 400, 404], `${operation} ${JSON.stringify(text)}: ${JSON.stringify(body)}`).toContain(status);
      }
    }
    expect((await there.call<unknown[]>("rules/list")).body).toHaveLength(11);
    await there.stop();
    expect((await there.started.ended).stderr).toBe("");
    await remove();
    other.remove();
  });
});

describe("the live stream", () => {
  it.each(stores)("tells when another process writes: $name", async (kind) => {
    const other = newPlace();
    const { database, remove } = await kind.migrated();
    const env = { OLDHAND_DATABASE: database };
    const there = await serveFrom(other, env);
    const line = new AbortController();
    const response = await fetch(`http://127.0.0.1:${there.port}/api/live`, {
      headers: { authorization: `Bearer ${there.token}` },
      signal: line.signal,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const nextChange = async () => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error("the stream ended");
        if (value.includes("event: change")) return;
      }
    };
    await nextChange();
    await other.json(["learn", "a rule of another process"], { env });
    await nextChange();
    // Not by a hook: on a busy machine it may run out of time before the server answers, and the event is spooled.
    const file = join(other.dir, "one.jsonl");
    writeFileSync(file, `${readFileSync(sample, "utf8").split("\n", 1)[0]}\n`);
    await other.json(["import", file], { env });
    await nextChange();
    expect((await there.call<{ counts: { events: number } }>("status")).body.counts.events).toBe(1);
    line.abort();
    await there.stop();
    await remove();
    other.remove();
  });
});

describe("the server's life", () => {
  it.each(stores)("SIGTERM and SIGINT end it, with a page still listening: $name", async (kind) => {
    const other = newPlace();
    const { database, remove } = await kind.migrated();
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const there = await serveFrom(other, { OLDHAND_DATABASE: database });
      const response = await fetch(`http://127.0.0.1:${there.port}/api/live`, {
        headers: { authorization: `Bearer ${there.token}` },
      });
      const pid = there.started.child.pid ?? 0;
      there.started.child.kill(signal);
      const ran = await there.started.ended;
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      expect(() => process.kill(pid, 0)).toThrow();
      await response.body?.cancel().catch(() => {});
    }
    await remove();
    other.remove();
  });

  it("keeps its token over a restart, for its owner's eyes only", async () => {
    const other = newPlace();
    const first = await serveFrom(other);
    await first.stop();
    const second = await serveFrom(other);
    expect(second.token).toBe(first.token);
    expect(second.token.length).toBeGreaterThanOrEqual(32);
    expect(readFileSync(join(other.home, "token"), "utf8").trim()).toBe(second.token);
    await second.stop();
    other.remove();
  });

  it.each(stores)("a taken port: another one when none was asked for, an error when it was: $name", async (kind) => {
    const other = newPlace();
    const { database, remove } = await kind.migrated();
    const env = { OLDHAND_DATABASE: database };
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const { port } = holder.address() as { port: number };
    await other.json(["config", "set", "serve.port", String(port)]);
    const moved = other.start(["serve"], { env });
    const [, found] = await moved.line(/127\.0\.0\.1:(\d+)/);
    expect(found).not.toBe(String(port));
    moved.child.kill("SIGTERM");
    expect((await moved.ended).code).toBe(0);
    const second = await other.run(["serve", "--port", String(port)], { env });
    expect(second.code, describeRun(second)).toBe(1);
    expect(second.stderr).toContain(`port ${port} is in use [conflict]`);
    await new Promise((resolve) => holder.close(resolve));
    await remove();
    other.remove();
  });
});
