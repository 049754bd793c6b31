import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeEventStreamReader } from "../../dashboard/src/api/event-stream.ts";
import { CART, callTool, type ChatPlace, editCart, modelEnv, newChatPlace, readCart } from "../dashboard/chat-place.ts";
import { newPlace, type Place } from "../program.ts";
import { raw, type Serving, serveFrom } from "./serving.ts";

let place: Place;
let shop: ChatPlace;
let serving: Serving;
beforeAll(async () => {
  place = newPlace();
  shop = await newChatPlace(place);
  serving = await serveFrom(place, modelEnv(shop.model));
});
afterAll(async () => {
  await serving.stop();
  await shop.remove();
  place.remove();
});
beforeEach(() => {
  writeFileSync(join(shop.shop, "cart.txt"), CART);
  shop.script();
});

interface Entry {
  readonly seq: number;
  readonly kind: string;
  readonly text?: string;
  readonly reason?: string;
}
interface State {
  readonly access: string;
  readonly holder: string | null;
  readonly notices: readonly string[];
  readonly live: { readonly text: string; readonly tools: readonly unknown[]; readonly wait: object | null } | null;
  readonly waiting: readonly { readonly id: string; readonly kind: string; readonly text: string }[];
}

type Sent = { readonly session: string; readonly as: string };
const post = <T = Record<string, unknown>>(name: string, input: object) => serving.call<T>(`chat/${name}`, input);
const begin = async (text: string, more: object = {}) => {
  const { status, body } = await post<Sent>("send", { session: null, workspace: shop.shop, text, ...more });
  expect([status, body]).toEqual([200, { session: expect.stringMatching(/^chat_/), as: "turn" }]);
  return body.session;
};
const entries = async (id: string, more: object = {}) =>
  (await serving.call<{ entries: Entry[] }>("sessions/entries", { id, ...more })).body.entries;
const ended = (id: string, turns = 1) =>
  expect
    .poll(async () => (await entries(id)).filter(({ kind }) => kind === "turn-end").map(({ reason }) => reason), {
      timeout: 15_000,
    })
    .toHaveLength(turns);

/** Reads /api/live of a session, as a page does. */
async function listen(id: string, after = 0) {
  const stop = new AbortController();
  const response = await fetch(`http://127.0.0.1:${serving.port}/api/live?session=${id}&after=${after}`, {
    headers: { authorization: `Bearer ${serving.token}` },
    signal: stop.signal,
  });
  const seen = { entries: [] as Entry[], state: null as State | null, texts: [] as string[], written: "", raw: "" };
  const read = makeEventStreamReader();
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      for (const { event, data } of read(decoder.decode(chunk, { stream: true }))) {
        seen.raw += `${data}\n`;
        const given = JSON.parse(data) as { entries: Entry[]; text: string };
        if (event === "entries") seen.entries.push(...given.entries);
        if (event === "state") seen.state = given as unknown as State;
        if (event === "state") seen.written = seen.state?.live?.text ?? "";
        if (event === "text") seen.texts.push((seen.written += given.text));
      }
    }
  })().catch(() => {});
  return { seen, stop: () => stop.abort() };
}

describe("chat over HTTP", () => {
  it("begins a session in a known workspace, streams the text, and sends every entry once", async () => {
    shop.script({ text: "The cart has a price and a VAT.", pieces: 8, delayMs: 300, pauseMs: 200 });
    const id = await begin("what is in the cart?");
    const page = await listen(id);
    await ended(id);
    await expect.poll(() => page.seen.entries.at(-1)?.kind).toBe("turn-end");
    page.stop();
    // Each time a little more of it.
    expect(new Set(page.seen.texts).size).toBeGreaterThan(2);
    for (const text of page.seen.texts) expect("The cart has a price and a VAT.".startsWith(text), text).toBe(true);
    expect(page.seen.entries.map(({ seq }) => seq)).toEqual(page.seen.entries.map((_, at) => at + 1));
    expect(page.seen.entries.find(({ kind }) => kind === "user")?.text).toBe("what is in the cart?");
    expect(page.seen.state?.live).toBe(null);
  });

  it("sends nothing while oldhand is off, also in a session that is open, and goes on after oldhand on", async () => {
    shop.script({ text: "One." }, { text: "Two." });
    const id = await begin("first");
    const page = await listen(id);
    await ended(id);
    await place.run(["off"]);
    const before = await entries(id);
    const { status, body } = await post("send", { session: id, text: "second" });
    expect([status, body]).toMatchObject([
      409,
      { error: { message: "oldhand is off", hint: "oldhand on switches it on" } },
    ]);
    expect(await entries(id)).toEqual(before);
    await place.run(["on"]);
    expect((await post("send", { session: id, text: "second" })).status).toBe(200);
    await ended(id, 2);
    page.stop();
  });

  it("streams no secret, also not while it is being written, nor one in a call or its output", async () => {
    const key = `sk-ant-api03-${"k3yPart".repeat(14)}`;
    const command = `echo ${key}; sleep 1`;
    shop.script(
      { text: `The key is ${key} and no other.`, pieces: 12, pauseMs: 60, ...callTool("shell", { command }) },
      { text: "Done." },
    );
    const id = await begin("show it", { mode: "edit" });
    const page = await listen(id);
    await ended(id);
    page.stop();
    expect(page.seen.raw).toContain("The key is [redacted:");
    expect(page.seen.raw).toContain('"tools":[{');
    expect(page.seen.raw).not.toContain("k3yPart");
  });

  it("says which provider is waited for, and until when", async () => {
    const limited = { error: { status: 429, type: "rate_limit_error", message: "Slow down.", retryAfter: 2 } };
    await place.run(["config", "set", "models.retries", "1"]);
    shop.script(limited, { text: "At last." });
    const id = await begin("hello");
    const page = await listen(id);
    await expect
      .poll(() => page.seen.state?.live?.wait, { timeout: 5_000 })
      .toMatchObject({ provider: "anthropic", why: "rate limit", until: expect.any(Number) });
    await ended(id);
    await place.run(["config", "set", "models.retries", "0"]);
    page.stop();
  });

  it("gives the session back when no page shows it, and keeps it from others while it works", async () => {
    shop.script({ text: "Slowly.", delayMs: 5_000 });
    const id = await begin("take your time");
    const elsewhere = () =>
      place.run(["ask", "me too", "--session", id], { cwd: shop.shop, env: modelEnv(shop.model) });
    expect((await elsewhere()).stderr).toMatch(
      /is open in the dashboard: oldhand serve, process \d+ on \S+, since \d\d:\d\d/,
    );
    await ended(id);
    shop.script({ text: "From the terminal." });
    await expect.poll(async () => (await elsewhere()).stdout, { timeout: 10_000 }).toBe("From the terminal.\n");
  });

  it("queues and steers while it works, and sends what waits after the turn", async () => {
    shop.script({ ...callTool("list", { path: "." }), delayMs: 400 }, { text: "First." }, { text: "Second." });
    const id = await begin("look around");
    const more = { session: id, workspace: shop.shop };
    expect((await post("send", { ...more, text: "and then this" })).body).toEqual({ session: id, as: "queue" });
    expect((await post("send", { ...more, text: "hurry", meanwhile: "steer" })).body).toEqual({
      session: id,
      as: "steer",
    });
    await ended(id, 2);
    const said = (await entries(id)).filter(({ kind }) => kind === "user").map(({ text }) => text);
    expect(said).toEqual(["look around", "hurry", "and then this"]);
  });

  it("stops a turn; a waiting message then stays until it is sent or removed", async () => {
    shop.script({ text: "It goes on and on.", pieces: 10, delayMs: 100, pauseMs: 400 });
    const id = await begin("tell me a story");
    await post("send", { session: id, text: "kept one" });
    await post("send", { session: id, text: "dropped one" });
    expect((await post("stop", { session: id })).status).toBe(200);
    await ended(id);
    const page = await listen(id);
    await expect.poll(() => page.seen.state?.waiting.map(({ text }) => text)).toEqual(["kept one", "dropped one"]);
    const dropped = page.seen.state?.waiting[1]?.id;
    expect((await post("remove-waiting", { session: id, message: dropped })).status).toBe(200);
    shop.script({ text: "Here." });
    expect((await post("send-waiting", { session: id })).body).toEqual({ session: id, as: "turn" });
    await ended(id, 2);
    await expect.poll(() => page.seen.state?.waiting).toEqual([]);
    page.stop();
    const said = (await entries(id)).filter(({ kind }) => kind === "user").map(({ text }) => text);
    expect(said).toEqual(["tell me a story", "kept one"]);
  });

  it("asks before an edit, and undoes the turn with its file", async () => {
    shop.script(readCart, editCart, { text: "Done." });
    const id = await begin("raise the VAT");
    const waiting = async () =>
      (
        await serving.call<{ approvals: { id: string; detail: string }[] }>("approvals/list", {
          status: "waiting",
          session: id,
        })
      ).body.approvals;
    await expect.poll(async () => (await waiting())[0]?.detail).toContain("-vat: 7\n+vat: 19");
    expect((await serving.call("approvals/approve", { id: (await waiting())[0]?.id })).status).toBe(200);
    await ended(id);
    expect(shop.cart()).toContain("vat: 19");
    const undone = await post<{ kind: string; text: string; files: string[] }>("undo", { session: id });
    expect(undone.body).toMatchObject({ kind: "undone", text: "raise the VAT", files: [join(shop.shop, "cart.txt")] });
    expect(shop.cart()).toBe(CART);
    expect((await entries(id)).at(-1)?.kind).toBe("undo");
  });

  it("changes mode and model, and says which model cannot be used", async () => {
    const id = await begin("hello");
    await ended(id);
    expect((await post("mode", { session: id, mode: "read-only" })).status).toBe(200);
    expect((await post("mode", { session: id, mode: "everything" })).status).toBe(400);
    const page = await listen(id);
    await expect.poll(() => page.seen.state).toMatchObject({ mode: "read-only" });
    page.stop();
    expect((await post("model", { session: id, model: "anthropic/claude-haiku-4-5" })).status).toBe(200);
    const refused = await post<{ error: { message: string } }>("model", { session: id, model: "openai/gpt-5" });
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining("cannot be used")]);
    expect((await entries(id)).slice(-2)).toMatchObject([
      { mode: "read-only" },
      { model: "anthropic/claude-haiku-4-5" },
    ]);
  });

  it("compacts on demand, and says if there is nothing to compact", async () => {
    const id = await begin("hello");
    await ended(id);
    const page = await listen(id);
    expect((await post("compact", { session: id })).status).toBe(200);
    await expect.poll(() => page.seen.state).toMatchObject({ live: null, notices: ["There was nothing to compact."] });
    page.stop();
  });

  it("pages through entries and cuts long texts, unless all of it is wanted", async () => {
    const long = `${"x".repeat(99)}\n`.repeat(200);
    writeFileSync(join(shop.shop, "cart.txt"), long);
    shop.script(readCart, { text: "Long." });
    const id = await begin("read it");
    await ended(id);
    const all = await entries(id);
    const tool = all.find(({ kind }) => kind === "tool") as Entry & { isCut: boolean };
    expect([tool.isCut, tool.text?.length]).toEqual([true, 6_000]);
    const [whole] = await entries(id, { after: tool.seq - 1, limit: 1, whole: true });
    expect(whole?.text?.length).toBeGreaterThan(19_000);
    expect((await entries(id, { limit: 2 })).map(({ seq }) => seq)).toEqual([all.length - 1, all.length]);
    expect((await entries(id, { before: 3, limit: 2 })).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it("begins nothing in a folder that no agent has worked in", async () => {
    const refused = await post<{ error: { message: string } }>("send", { session: null, workspace: "/", text: "hi" });
    expect([refused.status, refused.body.error.message]).toEqual([404, "no agent has worked in / yet"]);
  });
});

describe("who may chat", () => {
  const paths = ["send", "send-waiting", "remove-waiting", "stop", "undo", "compact", "mode", "model"];
  const send = (path: string, headers: Record<string, string>, method = "POST") =>
    raw(serving.port, path, {
      method,
      headers: { host: `127.0.0.1:${serving.port}`, "content-type": "application/json", ...headers },
      ...(method === "POST" ? { body: JSON.stringify({ session: null, workspace: shop.shop, text: "hi" }) } : {}),
    });
  const all = () => [
    ...paths.map((name) => [`/api/chat/${name}`, "POST"] as const),
    ...["approve", "reject", "revoke", "list"].map((name) => [`/api/approvals/${name}`, "POST"] as const),
    ["/api/sessions/entries", "POST"] as const,
    ["/api/live?session=chat_1", "GET"] as const,
  ];

  it("nobody without the owner's token; the token for models opens none of it", async () => {
    const before = shop.model.requests.length;
    const token = readFileSync(join(place.home, "model-token"), "utf8").trim();
    const keys = [
      {},
      { authorization: "Bearer wrong" },
      { authorization: `Bearer ${token}`, "x-oldhand-token": token },
    ];
    for (const [path, method] of all())
      for (const headers of keys) expect((await send(path, headers, method)).status, path).toBe(401);
    expect(shop.model.requests.length).toBe(before);
  });

  it("no page of another site, no other host name, and no form", async () => {
    const before = shop.model.requests.length;
    const authorization = `Bearer ${serving.token}`;
    for (const [path, method] of all()) {
      expect((await send(path, { authorization, origin: "http://evil.example" }, method)).status, path).toBe(403);
      expect((await send(path, { authorization, host: "evil.example" }, method)).status, path).toBe(421);
      if (method === "POST")
        expect((await send(path, { authorization, "content-type": "text/plain" })).status, path).toBe(400);
    }
    expect(shop.model.requests.length).toBe(before);
  });
});
