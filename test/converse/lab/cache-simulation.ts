import { isRecord } from "../../../src/lib/json.ts";
import { MINUTE } from "../../../src/lib/clock.ts";
import type { ModelRequest } from "../../../src/testing/scripted-server.ts";
import { asksForSummary } from "./compaction-lab.ts";

export interface SimulatedCall {
  readonly tokens: number;
  /** Found in the cache. */
  readonly cached: number;
  /** Of the request before it, which this one should begin with. 0 for the first one and after a compaction. */
  readonly prefix: number;
  readonly isSummary: boolean;
}

const CHARACTERS_PER_TOKEN = 4;
const BLOCK = 1_024 * CHARACTERS_PER_TOKEN;
const TTL = 5 * MINUTE;

/**
 * A provider's prompt cache: the longest common prefix with an earlier request of the same model, in whole blocks of 1,024
 * tokens. An entry lives for five minutes after its last use, and is there once its request was answered; the requests of a
 * session follow each other, so that is before the next one.
 */
export function simulateCache(requests: readonly Pick<ModelRequest, "at" | "body">[]): readonly SimulatedCall[] {
  const entries: { readonly model: string; readonly text: string; usedAt: number }[] = [];
  let before: string | null = null;
  return requests.map(({ at, body }) => {
    const { model, text } = prefixOf(body);
    let best: (typeof entries)[number] | null = null;
    let cached = 0;
    for (const entry of entries) {
      if (entry.model !== model || at - entry.usedAt > TTL) continue;
      const blocks = Math.floor(commonLength(entry.text, text) / BLOCK) * BLOCK;
      if (blocks > cached) [best, cached] = [entry, blocks];
    }
    if (best !== null) best.usedAt = at;
    entries.push({ model, text, usedAt: at });
    const isSummary = asksForSummary({ body });
    const prefix = before === null ? 0 : before.length;
    // What follows a summary begins anew.
    before = isSummary ? null : text;
    return { tokens: toTokens(text.length), cached: toTokens(cached), prefix: toTokens(prefix), isSummary };
  });
}

function toTokens(characters: number): number {
  return Math.floor(characters / CHARACTERS_PER_TOKEN);
}

/** What a provider caches, in its order; marks for the cache are no part of it. */
function prefixOf(body: unknown): { readonly model: string; readonly text: string } {
  if (!isRecord(body)) throw new Error("a request without a body");
  const { tools = [], system = "", messages = [], model } = body;
  const pieces = [tools, system, ...(Array.isArray(messages) ? messages : [])].map((one) =>
    JSON.stringify(one, (key, value: unknown) => (key === "cache_control" ? undefined : value)).replace(/\]?\}?$/, ""),
  );
  return { model: String(model), text: pieces.join("\n") };
}

function commonLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
