import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { stores, withStore } from "../../stores.ts";
import { heldAmount, newPassingServer, newProvider, send, storedRows, TOKEN } from "./passing.ts";

const [sqlite] = stores;
if (sqlite === undefined) throw new Error("there is no store");

const body = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [], stream: true };
const start =
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":10,"output_tokens":1}}}\n\n';
const stop =
  'event: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":7}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';
const delta = (text: string) =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })}\n\n`;

describe("streams through oldhand", () => {
  it("are as fast as their client reads: a client that stops reading stops the provider", () =>
    withStore(sqlite, async ({ db }) => {
      const CHUNKS = 1_500;
      const big = delta("x".repeat(64 * 1024));
      let written = 0;
      const provider = await newProvider(async (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(start);
        for (let at = 0; at < CHUNKS; at++) {
          if (!response.write(big)) await once(response, "drain");
          written++;
        }
        response.end(stop);
      });
      const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url });
      const headers = { "content-type": "application/json", "x-oldhand-token": TOKEN, "x-api-key": "k" };
      const asked = request(`${server.url}/v1/messages`, { method: "POST", headers });
      asked.end(JSON.stringify(body));
      const [answer] = (await once(asked, "response")) as [NodeJS.ReadableStream & { destroyed: boolean }];
      answer.pause();
      // Until the provider stops writing, because all buffers in between are full.
      for (let before = -1; before !== written;) {
        before = written;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      expect(written).toBeLessThan(CHUNKS / 2);
      let size = 0;
      answer.on("data", (chunk: Buffer) => (size += chunk.length));
      answer.resume();
      await once(answer, "end");
      expect([written, size]).toEqual([CHUNKS, start.length + CHUNKS * big.length + stop.length]);
      expect(await storedRows(db)).toMatchObject([{ outcome: "ok", tokens_in: 10, tokens_out: 7 }]);
      await server.close();
      await provider.close();
    }));

  it("run at the same time, each whole and in its order, and each with its row", () =>
    withStore(sqlite, async ({ db }) => {
      const STREAMS = 60;
      const provider = await newProvider(async (incoming, response) => {
        const name = String(incoming.headers["x-stream"]);
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(start);
        for (let at = 0; at < 20; at++) {
          response.write(delta(`${name}:${at} `));
          await new Promise((resolve) => setImmediate(resolve));
        }
        response.end(stop);
      });
      const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url });
      const answers = await Promise.all(
        Array.from({ length: STREAMS }, (_, at) =>
          send(`${server.url}/v1/messages`, { body, headers: { "x-stream": `s${at}` } }),
        ),
      );
      for (const [at, answer] of answers.entries()) {
        const texts = [...answer.body.toString().matchAll(/"text":"(.*?) "/g)].map(([, text]) => text);
        expect(texts).toEqual(Array.from({ length: 20 }, (_, number) => `s${at}:${number}`));
      }
      const rows = await storedRows(db);
      expect(rows.filter(({ outcome, tokens_out }) => outcome === "ok" && tokens_out === 7)).toHaveLength(STREAMS);
      expect(await heldAmount(db)).toBe(0);
      await server.close();
      await provider.close();
    }));

  it("that are under way when the server stops are settled before it ends", () =>
    withStore(sqlite, async ({ db }) => {
      const provider = await newProvider((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(start + delta("and then"));
      });
      const server = await newPassingServer(db, { ANTHROPIC_BASE_URL: provider.url });
      const answer = await send(`${server.url}/v1/messages`, { body, onChunk: () => void server.close() });
      expect(answer.isBroken).toBe(true);
      await server.close().catch(() => {});
      expect(await storedRows(db)).toMatchObject([{ outcome: "aborted", tokens_in: 10 }]);
      expect(await heldAmount(db)).toBe(0);
      await provider.close();
    }));
});
