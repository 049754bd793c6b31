import { boundInputTokens } from "../../domain/model/cost.ts";
import { isRecord } from "../../lib/json.ts";
import type { WireApi } from "./wire-api.ts";

/** The most that providers count for one picture of usual size. */
export const TOKENS_PER_PICTURE = 6_000;

/** The parts of a request that determine its worst-case cost. */
export interface AskedCall {
  readonly model: string;
  /** The most tokens the answer may have; null if the client leaves it to the provider. */
  readonly maxTokens: number | null;
  /** The number of answers requested. */
  readonly choices: number;
  /** Length of the prompt, without pictures and other media. */
  readonly characters: number;
  /** Upper bound of the prompt's tokens, for the part that is in the request. */
  readonly boundTokens: number;
  readonly pictures: number;
  /** A part of the prompt is not in the request: a document, a file or an earlier answer at the provider. It may fill the context window. */
  readonly isOpenEnded: boolean;
  /** Whether the prompt may be written to the provider's cache, and for how long. */
  readonly cacheWrites: "none" | "short" | "hour";
  readonly session: string | null;
}

/** Null if the body names no model, so that it is not a request of this API. */
export function readAskedCall(api: WireApi, body: unknown, text: string): AskedCall | null {
  if (!isRecord(body) || typeof body["model"] !== "string" || body["model"] === "") return null;
  const media = mayHaveMedia.test(text) ? findMedia(body) : { text, pictures: 0, isOpenEnded: false };
  const { pictures } = media;
  const limits = maxTokenFields[api].map((name) => positive(body[name])).filter((one) => one !== null);
  return {
    model: body["model"],
    maxTokens: limits.length === 0 ? null : Math.max(...limits),
    choices: Math.max(positive(body["n"]) ?? 1, 1),
    characters: media.text.length,
    boundTokens: Math.ceil(boundInputTokens(media.text)) + pictures * TOKENS_PER_PICTURE,
    pictures,
    isOpenEnded: media.isOpenEnded || earlier.some((name) => isGiven(body[name])),
    cacheWrites: cacheWritesOf(api, text),
    session: sessionOf(body),
  };
}

/** Anthropic charges for cache writes only on request. Other providers may write, and charge, without one. */
function cacheWritesOf(api: WireApi, text: string): AskedCall["cacheWrites"] {
  if (api !== "messages") return "short";
  if (!text.includes('"cache_control"')) return "none";
  return /"ttl"\s*:\s*"1h"/.test(text) ? "hour" : "short";
}

const maxTokenFields: Readonly<Record<WireApi, readonly string[]>> = {
  messages: ["max_tokens"],
  chat: ["max_completion_tokens", "max_tokens"],
  responses: ["max_output_tokens"],
};

/** Fields with which the provider adds an earlier answer to the prompt. */
const earlier = ["previous_response_id", "conversation"];

const mayHaveMedia = /"(?:image|image_url|input_image|document|input_file|file|input_audio|container_upload)"/;
const pictureTypes = ["image", "image_url", "input_image"];
const documentTypes = ["document", "input_file", "file", "input_audio", "container_upload"];

interface Media {
  /** The body as JSON, without media. */
  readonly text: string;
  readonly pictures: number;
  readonly isOpenEnded: boolean;
}

function findMedia(body: unknown): Media {
  let pictures = 0;
  let isOpenEnded = false;
  const text = JSON.stringify(body, (_key, value: unknown) => {
    if (!isRecord(value) || typeof value["type"] !== "string") return value;
    const isPicture = pictureTypes.includes(value["type"]) && isMedium(value);
    const isDocument = documentTypes.includes(value["type"]) && isMedium(value);
    if (isPicture) pictures += 1;
    // A document given as text is counted with the text.
    if (isDocument && isRecord(value["source"]) && value["source"]["type"] === "text") return value;
    if (isDocument) isOpenEnded = true;
    return isPicture || isDocument ? { type: value["type"] } : value;
  });
  return { text, pictures, isOpenEnded };
}

/** A JSON schema inside a tool may have the same `type`, but none of these members. */
function isMedium(value: Readonly<Record<string, unknown>>): boolean {
  return ["source", "image_url", "file_id", "file", "file_data", "file_url", "input_audio"].some((key) => key in value);
}

/** Claude Code puts JSON into the user id; older versions put `user_…_session_ID`. Codex has its own fields. */
function sessionOf(body: Readonly<Record<string, unknown>>): string | null {
  const user = isRecord(body["metadata"]) ? body["metadata"]["user_id"] : null;
  if (typeof user === "string") {
    const found = /"session_id":"([\w-]{8,64})"/.exec(user) ?? /_session_([\w-]{8,64})$/.exec(user);
    if (found?.[1] !== undefined) return found[1];
  }
  const client = isRecord(body["client_metadata"]) ? body["client_metadata"]["session_id"] : null;
  return [client, body["prompt_cache_key"]].find(isName) ?? null;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[\w.:-]{1,128}$/.test(value);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function positive(value: unknown): number | null {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? Math.ceil(value) : null;
}
