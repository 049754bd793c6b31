import { createHook } from "node:async_hooks";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import type { lookup } from "node:dns";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decideToolCall } from "../../src/converse/approvals/decide-call.ts";
import { httpRequestTool } from "../../src/converse/tools/web/http-request.ts";
import { makeMailTool } from "../../src/converse/tools/web/mail.ts";
import { requestUrl, type UrlRequest } from "../../src/converse/tools/web/request-url.ts";
import { webFetchTool } from "../../src/converse/tools/web/web-fetch.ts";
import { makeWebSearchTool } from "../../src/converse/tools/web/web-search.ts";
import type { AgentTool } from "../../src/converse/tools/tool.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { listApprovals } from "../../src/store/chat/approvals.ts";
import { newToolPlace, type ToolPlace } from "./tool-context.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let place: ToolPlace;
let server: Server;
let handle: Handler;
let seen: string[];
let port: number;
let base: string;

beforeEach(async () => {
  seen = [];
  handle = (_request, response) => response.end("plain");
  server = createServer((request, response) => {
    seen.push(`${request.method ?? ""} ${request.url ?? ""}`);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  base = `http://127.0.0.1:${port}`;
  place = await newToolPlace({ policy: { fetch: { allow: [`127.0.0.1:${port}`] } } });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await place.remove();
});

const fetchPage = (url: string) => webFetchTool.run(place.tools(), { url });

describe("an address that is not allowed", () => {
  const decide = (tool: AgentTool, url: string) =>
    decideToolCall(
      { db: place.db, config: place.config, clock: systemClock },
      { tool, input: { url }, tools: place.tools({ mode: "edit" }), hasPerson: true },
    );
  it.each([
    "http://127.0.0.1:1/",
    "http://localhost/",
    "http://app.localhost:8080/x",
    "http://10.1.2.3/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://0x7f.1/",
    "file:///etc/passwd",
    "http://ada:secret@example.org/",
  ])("is refused at once, without a question: %s", async (url) => {
    for (const tool of [webFetchTool, httpRequestTool] as unknown as readonly AgentTool[])
      expect(await decide(tool, url)).toMatchObject({ kind: "refuse" });
    expect(await listApprovals(place.db, { statuses: ["waiting"], limit: 9 })).toEqual([]);
  });

  it("is asked about if it is listed, or public, or a name that only the connection resolves", async () => {
    for (const url of [base, "http://93.184.216.34/", "https://example.org/"])
      expect(await decide(webFetchTool as unknown as AgentTool, url)).toMatchObject({ kind: "ask" });
  });

  it("is explained to the person with what to add to which setting", async () => {
    expect(await decide(webFetchTool as unknown as AgentTool, "http://localhost:9/")).toMatchObject({
      forPerson:
        'localhost is on this machine or in a private network. To allow it, add "localhost:9" to fetch.allow in config.json.',
    });
  });
});

describe("web_fetch", () => {
  it("returns the readable text of a page, as data from outside", async () => {
    const story = "The parser reads one record at a time and keeps nothing else in memory. ".repeat(10);
    handle = (_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(
        `<html><head><title>Parsers</title><script>evil()</script></head><body><nav>Menu Home</nav><article><h1>Parsers</h1><p>${story}</p></article></body></html>`,
      );
    };
    const got = await fetchPage(`${base}/a`);
    expect(got).toMatchObject({ ok: true, origin: "external" });
    expect(got.text).toMatch(/^Parsers\n\n[^]*one record at a time/);
    expect(got.text).not.toMatch(/evil|Menu/);
  });

  it("returns plain text and JSON as they are, and says so for anything else", async () => {
    handle = (_request, response) => response.setHeader("content-type", "application/json").end('{"a":1}');
    expect(await fetchPage(base)).toMatchObject({ ok: true, text: '{"a":1}' });
    handle = (_request, response) => response.setHeader("content-type", "image/png").end("x");
    expect(await fetchPage(base)).toMatchObject({ ok: false, text: expect.stringContaining("which is no text") });
    handle = (_request, response) => response.writeHead(404, { "content-type": "text/plain" }).end("gone");
    expect(await fetchPage(base)).toMatchObject({ ok: false, text: "HTTP 404\ngone" });
  });

  it("follows redirects within the host, a few of them, and none to another host", async () => {
    handle = (request, response) =>
      request.url === "/end" ? response.end("end") : response.writeHead(302, { location: "/end" }).end();
    expect(await fetchPage(`${base}/start`)).toMatchObject({ ok: true, text: "end" });
    handle = (_request, response) => response.writeHead(302, { location: "/again" }).end();
    expect(await fetchPage(base)).toMatchObject({ ok: false, text: "Failed: more than 5 redirects." });
    seen.length = 0;
    for (const location of [
      "http://169.254.169.254/latest/meta-data",
      `http://localhost:${port}/x`,
      `http://127.0.0.1:1/x`,
    ]) {
      handle = (_request, response) => response.writeHead(302, { location }).end();
      expect(await fetchPage(`${base}/out`)).toMatchObject({
        ok: false,
        text: expect.stringContaining("redirects to another host"),
      });
    }
    expect(seen).toEqual(["GET /out", "GET /out", "GET /out"]);
  });

  it("reads no more than its limit, also of what is compressed, and does not wait for ever", async () => {
    handle = (_request, response) =>
      response
        .writeHead(200, { "content-encoding": "gzip", "content-type": "text/plain" })
        .end(gzipSync("x".repeat(50_000_000)));
    const bomb = await fetchPage(base);
    expect(bomb.text.length).toBeLessThan(41_000);
    handle = (_request, response) => void response.write("begin");
    const slow = await requestUrl({ ...request, url: base, timeoutMs: 200, allow: [`127.0.0.1:${port}`] });
    expect(slow).toMatchObject({ kind: "failed" });
  });

  const signal = new AbortController().signal;
  const request: Omit<UrlRequest, "url"> = { allow: [], mostBytes: 1_000, timeoutMs: 5_000, signal };

  it("unpacks nothing more once it has read its limit", async () => {
    handle = (_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(50_000_000)));
    const streams = new Set<number>();
    let unpacked = 0;
    const hook = createHook({
      init: (id, type) => type === "ZLIB" && streams.add(id),
      before: (id) => streams.has(id) && unpacked++,
    }).enable();
    const page = await requestUrl({ ...request, url: base, allow: [`127.0.0.1:${port}`] });
    expect(page).toMatchObject({ kind: "answered", isCut: true });
    const until = unpacked;
    await new Promise((resolve) => setTimeout(resolve, 200));
    hook.disable();
    expect(until).toBeGreaterThan(0);
    // One piece may be under way.
    expect(unpacked - until).toBeLessThanOrEqual(1);
  });

  it.each([
    "file:///etc/passwd",
    "ftp://example.org/",
    "gopher://127.0.0.1/",
    "data:text/plain,x",
    "not a url",
    "http://user:pass@example.org/",
  ])("refuses %s", async (url) => {
    expect(await fetchPage(url)).toMatchObject({ ok: false, text: expect.stringMatching(/^Refused: /) });
  });

  it("reaches no address of this machine or a private network, however it is written", async () => {
    const closed = await newToolPlace();
    for (const url of [
      base,
      `http://localhost:${port}/`,
      `http://127.1:${port}/`,
      `http://2130706433:${port}/`,
      `http://0x7f000001:${port}/`,
      `http://0177.0.0.1:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://0.0.0.0:${port}/`,
      `http://127.0.0.1.:${port}/`,
      "http://10.0.0.1/",
      "http://[fd00::1]/",
    ])
      for (const tool of [webFetchTool, httpRequestTool])
        expect(await tool.run(closed.tools(), { url }), url).toMatchObject({
          ok: false,
          text: expect.stringMatching(/^Refused: .*fetch\.allow/),
        });
    // Nobody is advised to open what gives out keys.
    const keys = "http://169.254.169.254/latest/meta-data/";
    for (const tool of [webFetchTool, httpRequestTool]) {
      const { text } = await tool.run(closed.tools(), { url: keys });
      expect(text).toMatch(/^Refused: 169\.254\.169\.254 is an address at which clouds give out the keys/);
      expect((await tool.examine?.(closed.tools(), { url: keys }))?.refusal?.help).toBe(
        "The agent does not contact it.",
      );
    }
    expect(seen).toEqual([]);
    await closed.remove();
  });

  it("checks the address of the connection itself, so a name that changes its address gains nothing", async () => {
    let resolved = 0;
    const answers = (...addresses: readonly string[]) =>
      ((_name: string, _options: object, give: (error: null, found: object[]) => void) => {
        resolved++;
        give(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        );
      }) as unknown as typeof lookup;
    const url = `http://evil.example:${port}/`;
    expect(await requestUrl({ ...request, url, resolve: answers("127.0.0.1") })).toMatchObject({ kind: "refused" });
    expect(resolved).toBe(1);
    // Of several addresses, only an allowed one is tried; nothing listens there.
    const list = ["127.0.0.2/32"];
    const mixed = await requestUrl({ ...request, url, allow: list, resolve: answers("127.0.0.1", "127.0.0.2") });
    expect(mixed).toEqual({ kind: "failed", why: "ECONNREFUSED" });
    expect(seen).toEqual([]);
    const allow = [`evil.example:${port}`];
    expect(await requestUrl({ ...request, url, allow, resolve: answers("127.0.0.1") })).toMatchObject({
      kind: "answered",
    });
    const other = `http://evil.example:${port + 1}/`;
    expect(await requestUrl({ ...request, url: other, allow, resolve: answers("127.0.0.1") })).toMatchObject({
      kind: "refused",
    });
  });
});

describe("http_request", () => {
  it("sends method, headers and body, and returns status, some headers and the body", async () => {
    handle = (incoming, response) => {
      let body = "";
      incoming.on("data", (chunk: Buffer) => (body += chunk.toString()));
      incoming.on("end", () =>
        response
          .writeHead(201, { "content-type": "text/plain", "set-cookie": "s=1" })
          .end(`${body} ${String(incoming.headers["x-a"])}`),
      );
    };
    const got = await httpRequestTool.run(place.tools(), {
      url: `${base}/x`,
      method: "POST",
      headers: { "x-a": "1" },
      body: "hi",
    });
    expect(got).toEqual({ ok: true, text: "HTTP 201\ncontent-type: text/plain\n\nhi 1", origin: "external" });
    expect(httpRequestTool.input.safeParse({ url: base, headers: { "x-a": "1\r\nhost: evil" } }).success).toBe(false);
  });

  it("does not repeat a body at the other end of a redirect", async () => {
    handle = (incoming, response) =>
      incoming.url === "/end" ? response.end("end") : response.writeHead(303, { location: "/end" }).end();
    await httpRequestTool.run(place.tools(), { url: `${base}/x`, method: "POST", body: "hi" });
    expect(seen).toEqual(["POST /x", "GET /end"]);
  });

  it("is asked about by method and host, with the whole request", async () => {
    const ctx = { db: place.db, config: place.config, clock: { now: () => 0 } };
    const input = { url: "https://example.org/a?b=c", method: "POST", body: "all of it" };
    expect(
      await decideToolCall(ctx, {
        tool: httpRequestTool,
        input,
        tools: place.tools({ mode: "edit" }),
        hasPerson: true,
      }),
    ).toMatchObject({
      kind: "ask",
      approval: { action: "http_request POST example.org", detail: "POST https://example.org/a?b=c\n\nall of it" },
    });
  });
});

describe("web_search", () => {
  it.each([
    [
      "searxng",
      { results: [{ title: "A", url: "https://a.example", content: "about <b>a</b>" }] },
      "/search?q=two+words&format=json",
    ],
    [
      "brave",
      { web: { results: [{ title: "A", url: "https://a.example", description: "about a" }] } },
      "/res/v1/web/search?q=two+words",
    ],
  ] as const)("asks %s and lists what it finds", async (engine, answer, path) => {
    let key: unknown;
    handle = (incoming, response) => {
      key = incoming.headers["x-subscription-token"];
      response.end(JSON.stringify(answer));
    };
    const tool = makeWebSearchTool({ engine, url: base, key: "k1" });
    const tools = place.tools();
    expect(await tool?.run(tools, { query: "two words" })).toEqual({
      ok: true,
      text: "1. A\n   https://a.example\n   about a",
      origin: "external",
    });
    expect(seen).toEqual([`GET ${path}`]);
    expect(key).toBe(engine === "brave" ? "k1" : undefined);
  });

  it("is absent without a setting", () => {
    expect(makeWebSearchTool(defaultPolicy.webSearch)).toBeNull();
    expect(makeWebSearchTool({ engine: "searxng", url: "", key: null })).toBeNull();
  });
});

describe("mail", () => {
  /** Takes any mail and keeps the lines it was sent. */
  async function smtpServer() {
    const lines: string[] = [];
    let inData = false;
    const smtp = createTcpServer((socket) => {
      socket.write("220 test\r\n");
      socket.on("error", () => {});
      socket.on("data", (chunk: Buffer) => {
        for (const line of chunk.toString().split("\r\n")) {
          if (line === "") continue;
          lines.push(line);
          if (inData) {
            if (line === ".") {
              inData = false;
              socket.write("250 ok\r\n");
            }
          } else if (line === "DATA") {
            inData = true;
            socket.write("354 go\r\n");
          } else socket.write(line === "QUIT" ? "221 bye\r\n" : "250 ok\r\n");
        }
      });
    });
    await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
    return {
      lines,
      port: (smtp.address() as AddressInfo).port,
      close: () => new Promise((resolve) => smtp.close(resolve)),
    };
  }

  it("sends plain text from the owner's address, after an approval that shows all of it", async () => {
    const smtp = await smtpServer();
    const tool = makeMailTool({
      ...defaultPolicy.mail,
      host: "127.0.0.1",
      port: smtp.port,
      from: "ada@example.org",
      plain: true,
      password: null,
    })!;
    const input = { to: ["bob@example.org"], subject: "Hello", text: "All of the text." };
    const ctx = { db: place.db, config: place.config, clock: { now: () => 0 } };
    expect(
      await decideToolCall(ctx, { tool, input, tools: place.tools({ mode: "edit" }), hasPerson: true }),
    ).toMatchObject({
      kind: "ask",
      approval: { action: "mail bob@example.org", detail: expect.stringContaining("All of the text.") },
    });
    expect(await tool.run(place.tools(), input)).toEqual({ ok: true, text: "Sent to bob@example.org." });
    expect(smtp.lines).toEqual(
      expect.arrayContaining([
        "MAIL FROM:<ada@example.org>",
        "RCPT TO:<bob@example.org>",
        "Subject: Hello",
        "All of the text.",
      ]),
    );
    for (const bad of [{ subject: "a\r\nBcc: evil@example.org" }, { to: ["a@b.c\nBcc: x@y.z"] }, { to: [] }])
      expect(tool.input.safeParse({ ...input, ...bad }).success).toBe(false);
    await smtp.close();
  });

  it("is not sent without TLS unless the owner allows that", async () => {
    const smtp = await smtpServer();
    const tool = makeMailTool({
      ...defaultPolicy.mail,
      host: "127.0.0.1",
      port: smtp.port,
      from: "ada@example.org",
      password: null,
    })!;
    expect(await tool.run(place.tools(), { to: ["bob@example.org"], subject: "x", text: "y" })).toMatchObject({
      ok: false,
    });
    expect(smtp.lines.some((line) => line.startsWith("MAIL FROM"))).toBe(false);
    await smtp.close();
  });
});
