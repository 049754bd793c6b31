import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newHttpApp } from "../../src/entrypoints/http/app.ts";
import { newOpenChats } from "../../src/entrypoints/http/open-chats.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { putPassages } from "../../src/store/nouns/passages.ts";
import { raw } from "./serving.ts";

const BATCHES = 8;
const BATCH = 64;
const token = "t".repeat(32);
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

describe("a request that is cut off", () => {
  let dir: string;
  let mind: OpenMind;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "oldhand-cut-"));
    mind = await openContext({ home: join(dir, "mind") });
    const text = (n: number) => ({ noun: "memory", subject: `m_${n}`, scope: "global", text: `remark number ${n}` });
    await putPassages(
      mind.db,
      Array.from({ length: BATCHES * BATCH }, (_, n) => text(n)),
    );
  });
  afterEach(async () => {
    await mind.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(["application/json", "text/event-stream"])("stops the work, where the answer is %s", async (accept) => {
    const embedded: number[] = [];
    let port = 0;
    let firstIsThere = () => {};
    const first = new Promise<void>((resolve) => (firstIsThere = resolve));
    let isAnswered = () => {};
    const answered = new Promise<void>((resolve) => (isAnswered = resolve));
    const embedder = {
      model: "slow",
      embed: async (texts: readonly string[]) => {
        // The query itself is embedded last, whether or not the memories before it were all embedded.
        if (texts[0] === "tapir") isAnswered();
        if (texts[0] === "tapir") return [];
        embedded.push(texts.length);
        firstIsThere();
        // Takes as long as the server needs to answer another request.
        await raw(port, "/api/status", { method: "POST" });
        return texts.map(() => Int8Array.of(1, 1));
      },
    };
    const app = newHttpApp({
      mind: { ...mind, models: { embedder: async () => embedder } },
      token,
      assets: { find: () => null },
      chats: newOpenChats(mind),
      onChange: () => () => {},
    });
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    try {
      await new Promise((resolve) => server.once("listening", resolve));
      ({ port } = server.address() as AddressInfo);
      const outgoing = request({
        ...{ agent: false, host: "127.0.0.1", port, path: "/api/recall", method: "POST" },
        headers: { ...headers, accept },
      });
      outgoing.on("error", () => {});
      outgoing.on("response", (response) => response.on("error", () => {}).resume());
      outgoing.end(JSON.stringify({ query: "tapir" }));
      await first;
      outgoing.destroy();
      await answered;
      expect(embedded.length).toBeLessThan(BATCHES);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
