import { z } from "zod";
import { cap } from "../../../lib/text.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { requestUrl } from "./request-url.ts";
import { decodeResponseBody, describeFailure, examineUrl, external, hostOf } from "./web-fetch.ts";

const input = z.object({
  url: z.string().min(1).max(4_000),
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).optional(),
  headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[^\r\n\0]*$/)).optional(),
  body: z.string().max(1_000_000).optional(),
});
type HttpInput = z.output<typeof input>;

export const httpRequestTool: AgentTool<typeof input> = {
  name: "http_request",
  description: "Sends an HTTP request and returns status, headers and body.",
  input,
  effect: "external",
  isCheap: false,
  describeAction: ({ url, method = "GET" }) => `http_request ${method} ${hostOf(url)}`,
  summarise: ({ url, method = "GET" }) => `${method} ${url}`,
  examine: async (ctx, { url }) => examineUrl(ctx, url),
  preview: async (_ctx, { url, method = "GET", headers = {}, body = "" }) =>
    [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", body]
      .join("\n")
      .trim(),
  run: runRequest,
};

async function runRequest(ctx: ToolContext, { url, method, headers, body }: HttpInput): Promise<ToolResult> {
  const response = await requestUrl({
    ...{ url, method, headers, body, allow: ctx.mind.config.policy.fetch.allow },
    ...{ mostBytes: 1_000_000, timeoutMs: 60_000, signal: ctx.signal },
  });
  const failure = describeFailure(response);
  if (failure !== null || response.kind !== "answered") return failure ?? { ok: false, text: "It failed." };
  const shown = Object.entries(response.headers).filter(([name]) => shownHeaders.has(name));
  const text = decodeResponseBody(response.body, response.headers["content-type"] ?? "");
  const lines = [
    `HTTP ${response.status}`,
    ...shown.map(([name, value]) => `${name}: ${value}`),
    "",
    cap(text, MOST_CHARACTERS),
  ];
  return external(response.status < 400, lines.join("\n").trim());
}

const MOST_CHARACTERS = 30_000;
const shownHeaders: ReadonlySet<string> = new Set([
  "content-type",
  "content-length",
  "location",
  "retry-after",
  "etag",
  "last-modified",
  "link",
]);
