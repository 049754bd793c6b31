import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveFrom, type Serving } from "../http/serving.ts";
import { newProvider, send } from "../models/pass-through/passing.ts";
import { newPlace, type Place } from "../program.ts";

const STREAMS = 200;
const ROUNDS = 5;
const EVENTS = 200;
/** Each round is 160 MB. */
const PIECE = "0123456789abcdef".repeat(250);
const MEGA = 1024 * 1024;

const frame = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

let place: Place;
let serving: Serving;
let provider: Awaited<ReturnType<typeof newProvider>>;
const sent = new Map<string, string>();

beforeAll(async () => {
  provider = await newProvider(async (request, response) => {
    const hash = createHash("sha256");
    const write = async (text: string) => {
      hash.update(text);
      if (!response.write(text)) await once(response, "drain");
    };
    response.writeHead(200, { "content-type": "text/event-stream" });
    await write(frame("message_start", { message: { usage: { input_tokens: 10, output_tokens: 1 } } }));
    for (let at = 0; at < EVENTS; at++)
      await write(frame("content_block_delta", { index: 0, delta: { type: "text_delta", text: `${at} ${PIECE}` } }));
    await write(frame("message_delta", { usage: { output_tokens: 7 } }));
    await write(frame("message_stop", {}));
    sent.set(String(request.headers["x-stream"]), hash.digest("hex"));
    response.end();
  });
  place = newPlace({ OLDHAND_EMBEDDER: "none" });
  await place.run(["models", "caps", "set", "day", "100000"]);
  serving = await serveFrom(place, { ANTHROPIC_BASE_URL: provider.url });
});
afterAll(async () => {
  await serving.stop();
  await provider.close();
  place.remove();
});

/** In bytes; null if the system does not report it. */
function residentMemory(): number | null {
  const file = `/proc/${serving.started.child.pid}/status`;
  return existsSync(file) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(file, "utf8"))?.[1]) * 1024 : null;
}

async function runRound(round: number): Promise<{ readonly peak: number }> {
  const body = { model: "claude-sonnet-4-5", max_tokens: 10_000, messages: [], stream: true };
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, residentMemory() ?? 0)), 50);
  await Promise.all(
    Array.from({ length: STREAMS }, async (_, at) => {
      const name = `${round}-${at}`;
      const hash = createHash("sha256");
      const headers = { "x-oldhand-token": serving.token, "x-stream": name };
      const url = `http://127.0.0.1:${serving.port}/v1/messages`;
      const answer = await send(url, { body, headers });
      hash.update(answer.body);
      expect([answer.status, hash.digest("hex")]).toEqual([200, sent.get(name)]);
    }),
  );
  clearInterval(watch);
  return { peak };
}

describe(`${STREAMS} streams at once through oldhand serve`, () => {
  it("arrive byte for byte, and need no more memory in the last round than in the second", async () => {
    const peaks: number[] = [];
    for (let round = 0; round < ROUNDS; round++) peaks.push((await runRound(round)).peak);
    process.stdout.write(
      `\nresident memory by round: ${peaks.map((peak) => `${Math.round(peak / MEGA)} MB`).join(", ")}\n`,
    );
    const { total } = await place.json<{ total: { calls: number; failed: number } }>(["models", "costs"]);
    expect(total).toMatchObject({ calls: STREAMS * ROUNDS, failed: 0 });
    if (residentMemory() === null) return;
    expect(peaks.at(-1)).toBeLessThan((peaks[1] ?? 0) + 40 * MEGA);
  });
});
