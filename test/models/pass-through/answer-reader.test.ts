import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newAnswerReader } from "../../../src/models/pass-through/answer-reader.ts";
import type { AnswerState } from "../../../src/models/pass-through/read-answer.ts";
import type { WireApi } from "../../../src/models/pass-through/wire-api.ts";
import { chatStream, messagesDocument, messagesStream, responsesDocument, responsesStream } from "./wire-samples.ts";

const events = "text/event-stream; charset=utf-8";
const json = "application/json";

async function readBytes(
  api: WireApi,
  bytes: Buffer,
  options: { type?: string; encoding?: string; cuts?: readonly number[] } = {},
): Promise<AnswerState> {
  const reader = newAnswerReader(api, { type: options.type ?? events, encoding: options.encoding });
  const cuts = [0, ...(options.cuts ?? []), bytes.length].toSorted((a, b) => a - b);
  for (const [at, cut] of cuts.entries()) await reader.add(bytes.subarray(cut, cuts[at + 1] ?? bytes.length));
  await reader.end();
  return reader.state();
}

const messagesUsage = { in: 1992, out: 89, cached: 1800, cacheWrite: 180, cacheWrite1h: 100, reasoning: 0 };

describe("usage in a streamed answer", () => {
  it("of Messages: the prompt's from its start, the answer's from its last delta", async () => {
    expect(await readBytes("messages", Buffer.from(messagesStream))).toMatchObject({
      usage: messagesUsage,
      reported: "all",
      isEnded: true,
      model: "claude-sonnet-4-5-20250929",
      failure: null,
    });
  });

  it("of Chat Completions: from the chunk that stream_options asked for", async () => {
    const state = await readBytes("chat", Buffer.from(chatStream({ includeUsage: true })));
    expect(state).toMatchObject({ reported: "all", isEnded: true, model: "gpt-5-mini-2025-08-07" });
    expect(state.usage).toEqual({ in: 1117, out: 46, cached: 1024, cacheWrite: 0, reasoning: 32 });
  });

  it("of Chat Completions without that option: nothing, but what was written is counted", async () => {
    const state = await readBytes("chat", Buffer.from(chatStream({ includeUsage: false })));
    expect(state).toMatchObject({ reported: "nothing", isEnded: true });
    expect(state.written).toBeGreaterThanOrEqual("Hello, world".length);
  });

  it.each(["response.completed", "response.incomplete"] as const)("of Responses: from %s", async (last) => {
    const state = await readBytes("responses", Buffer.from(responsesStream(last)));
    expect(state).toMatchObject({ reported: "all", isEnded: true, failure: null });
    expect(state.usage).toEqual({ in: 3170, out: 512, cached: 2944, cacheWrite: 0, reasoning: 448 });
  });

  it("says why a response failed", async () => {
    const state = await readBytes("responses", Buffer.from(responsesStream("response.failed")));
    expect(state).toMatchObject({ isEnded: true, failure: "rate-limited" });
  });

  it("says that a stream of Messages broke off with an error", async () => {
    const cut = messagesStream.slice(0, messagesStream.indexOf("event: content_block_stop"));
    const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    const state = await readBytes("messages", Buffer.from(cut + error));
    expect(state).toMatchObject({ reported: "input", isEnded: false, failure: "overloaded", hasOutput: true });
  });

  it("of a stream that is cut: what had arrived", async () => {
    const cut = messagesStream.slice(0, messagesStream.indexOf("event: message_delta"));
    const state = await readBytes("messages", Buffer.from(cut));
    expect(state).toMatchObject({ reported: "input", isEnded: false, usage: { in: 1992, cached: 1800 } });
    expect(state.written).toBeGreaterThan(50);
  });

  it("does not depend on where the chunks are cut, nor on line ends", async () => {
    const bytes = Buffer.from(messagesStream);
    const whole = await readBytes("messages", bytes);
    expect(await readBytes("messages", Buffer.from(messagesStream.replaceAll("\n", "\r\n")))).toEqual(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        expect(await readBytes("messages", bytes, { cuts })).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  it("is found in compressed bytes too, also where the stream is cut", async () => {
    const text = responsesStream("response.completed");
    const whole = await readBytes("responses", Buffer.from(text));
    for (const [encoding, bytes] of [
      ["gzip", gzipSync(text)],
      ["br", brotliCompressSync(text)],
    ] as const) {
      expect(await readBytes("responses", bytes, { encoding, cuts: [1, 40, 41] })).toEqual(whole);
      const cut = await readBytes("responses", bytes.subarray(0, bytes.length - 30), { encoding });
      expect(cut.isEnded).toBe(false);
    }
    const damaged = await readBytes("responses", Buffer.from("this is no gzip"), { encoding: "gzip" });
    expect(damaged).toMatchObject({ reported: "nothing", isEnded: false });
  });
});

describe("usage in an answer that is one document", () => {
  const of = (api: WireApi, document: unknown) =>
    readBytes(api, Buffer.from(JSON.stringify(document)), { type: json, cuts: [3, 100] });

  it("of Messages: the message's own, not one inside a tool's input", async () => {
    expect((await of("messages", messagesDocument)).usage).toEqual({
      in: 3195,
      out: 503,
      cached: 1000,
      cacheWrite: 100,
      reasoning: 200,
    });
  });

  it("of Responses", async () => {
    expect((await of("responses", responsesDocument)).usage).toMatchObject({ in: 3170, out: 512, reasoning: 448 });
  });

  it("of a document that is cut or not JSON: nothing", async () => {
    const text = JSON.stringify(messagesDocument);
    const cut = await readBytes("messages", Buffer.from(text.slice(0, -20)), { type: json });
    expect(cut).toMatchObject({ reported: "nothing", isEnded: false });
    expect(await of("messages", [])).toMatchObject({ reported: "nothing" });
    expect(await of("messages", { usage: { input_tokens: "many" } })).toMatchObject({ usage: { in: 0 } });
  });
});
