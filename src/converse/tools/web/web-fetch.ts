import { isIP } from "node:net";
import { z } from "zod";
import type { RefusalTexts } from "../../../domain/approval/decide-action.ts";
import { isLinkLocalAddress, isListedDestination, isPublicAddress } from "../../../lib/public-address.ts";
import { cap, oneLine } from "../../../lib/text.ts";
import type { AgentTool, ExaminedAction, ToolContext, ToolResult } from "../tool.ts";
import { destinationOf, parseUrl, requestUrl, type UrlResponse } from "./request-url.ts";

const input = z.object({ url: z.string().min(1).max(4_000) });

export const webFetchTool: AgentTool<typeof input> = {
  name: "web_fetch",
  description: "Fetches a web page and returns its text.",
  input,
  effect: "external",
  isCheap: false,
  describeAction: ({ url }) => `web_fetch ${hostOf(url)}`,
  summarise: ({ url }) => `fetch ${url}`,
  examine: async (ctx, { url }) => examineUrl(ctx, url),
  run: runFetch,
};

/** The host with its port, as a yes covers it. */
export function hostOf(url: string): string {
  const parsed = parseUrl(url);
  return typeof parsed === "string" ? url : parsed.host;
}

/** What cannot be contacted anyway is refused at once. A name is resolved only after the yes. */
export function examineUrl({ mind }: Pick<ToolContext, "mind">, url: string): ExaminedAction {
  return { place: "inside", target: hostOf(url), refusal: refuseUrl(url, mind.config.policy.fetch.allow) };
}

function refuseUrl(text: string, allow: readonly string[]): RefusalTexts | undefined {
  const url = parseUrl(text);
  if (typeof url === "string")
    return {
      reason: `${oneLine(text, 200)} cannot be requested: ${url}.`,
      remedy: "Use another address.",
      help: "The model may try another address.",
    };
  const { host, port } = destinationOf(url);
  const address = /(?:^|\.)localhost\.?$/i.test(host) ? "127.0.0.1" : host;
  if (isIP(address) === 0 || isPublicAddress(address) || isListedDestination(allow, { host, port, address }))
    return undefined;
  if (isLinkLocalAddress(address))
    return {
      reason: `${host} is an address at which clouds give out the keys of a machine.`,
      remedy: "Use another address.",
      help: "The agent does not contact it.",
    };
  return {
    reason: `${host} is on this machine or in a private network.`,
    remedy: "The owner can list it in the setting fetch.allow.",
    help: `To allow it, add "${url.host}" to fetch.allow in config.json.`,
  };
}

async function runFetch(ctx: ToolContext, { url }: z.output<typeof input>): Promise<ToolResult> {
  const response = await requestUrl({
    url,
    allow: ctx.mind.config.policy.fetch.allow,
    ...{ mostBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS, signal: ctx.signal },
    headers: { accept: "text/html,application/xhtml+xml,text/*,application/json;q=0.9" },
  });
  const failure = describeFailure(response);
  if (failure !== null || response.kind !== "answered") return failure ?? { ok: false, text: "It failed." };
  const type = response.headers["content-type"] ?? "";
  const ok = response.status < 400;
  const head = ok ? [] : [`HTTP ${response.status}`];
  if (!/text|json|xml|javascript|^$/i.test(type))
    return external(false, `${response.url} has the type ${type}, which is no text.`);
  const body = decodeResponseBody(response.body, type);
  if (!/html/i.test(type)) return external(ok, [...head, cap(body, MOST_CHARACTERS)].join("\n"));
  const { extractReadableText } = await import("./readable-text.ts");
  const { title, text } = extractReadableText(body);
  const cut = response.isCut ? ["… [the page is larger than what was read]"] : [];
  return external(ok, [...head, title, "", cap(text, MOST_CHARACTERS), ...cut].join("\n").trim());
}

const MOST_BYTES = 3_000_000;
const TIMEOUT_MS = 30_000;
const MOST_CHARACTERS = 40_000;

export function decodeResponseBody(body: Buffer, type: string): string {
  const charset = /charset=["']?([\w-]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    // A charset that nobody knows.
    return body.toString("utf8");
  }
}

/** Null if the server answered. */
export function describeFailure(response: UrlResponse): ToolResult | null {
  if (response.kind === "answered") return null;
  if (response.kind === "elsewhere")
    return external(false, `It redirects to another host, which was not contacted: ${response.location}`);
  return { ok: false, text: `${response.kind === "refused" ? "Refused" : "Failed"}: ${response.why}.` };
}

/** Somebody else's words: quoted as data. */
export function external(ok: boolean, text: string): ToolResult {
  return { ok, text, origin: "external" };
}
