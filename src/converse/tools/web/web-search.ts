import { z } from "zod";
import type { Policy } from "../../../domain/policy.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { oneLine } from "../../../lib/text.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { requestUrl } from "./request-url.ts";
import { describeFailure, external } from "./web-fetch.ts";

const input = z.object({ query: z.string().trim().min(1).max(500) });

type SearchSettings = Policy["webSearch"];

/** Null if the owner chose no service. */
export function makeWebSearchTool(settings: SearchSettings): AgentTool | null {
  const endpoint = endpointOf(settings);
  if (endpoint === null) return null;
  const tool: AgentTool<typeof input> = {
    name: "web_search",
    description: "Searches the web; returns titles, addresses and snippets.",
    input,
    effect: "external",
    isCheap: false,
    describeAction: () => `web_search ${endpoint.host}`,
    summarise: ({ query }) => `search the web for ${oneLine(query, 200)}`,
    examine: async () => ({ place: "inside", target: endpoint.host }),
    run: (ctx, { query }) => runSearch(ctx, settings, endpoint, query),
  };
  return tool;
}

function endpointOf({ engine, url }: SearchSettings): URL | null {
  if (engine === "none") return null;
  const base = url === "" && engine === "brave" ? "https://api.search.brave.com" : url;
  return URL.canParse(base) ? new URL(base) : null;
}

async function runSearch(ctx: ToolContext, settings: SearchSettings, base: URL, query: string): Promise<ToolResult> {
  const isBrave = settings.engine === "brave";
  const url = new URL(isBrave ? "/res/v1/web/search" : `${base.pathname.replace(/\/+$/, "")}/search`, base);
  url.searchParams.set("q", query);
  if (!isBrave) url.searchParams.set("format", "json");
  const key =
    settings.key === null
      ? {}
      : isBrave
        ? { "x-subscription-token": settings.key }
        : { authorization: `Bearer ${settings.key}` };
  const response = await requestUrl({
    url: url.href,
    headers: { accept: "application/json", ...key },
    // The owner chose this server, wherever it is.
    allow: [...ctx.mind.config.policy.fetch.allow, base.hostname.replace(/^\[|\]$/g, "")],
    ...{ mostBytes: 2_000_000, timeoutMs: 20_000, signal: ctx.signal },
  });
  const failure = describeFailure(response);
  if (failure !== null || response.kind !== "answered") return failure ?? { ok: false, text: "It failed." };
  const found = readResults(tryParseJson(response.body.toString("utf8")));
  if (response.status >= 400) return { ok: false, text: `The search service answered HTTP ${response.status}.` };
  if (found.length === 0) return { ok: true, text: "Nothing was found." };
  return external(true, found.map((one, at) => `${at + 1}. ${one.title}\n   ${one.url}\n   ${one.snippet}`).join("\n"));
}

interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** SearXNG has `results`, Brave `web.results`. */
function readResults(answer: unknown): readonly SearchResult[] {
  const outer = isRecord(answer) ? answer : {};
  const results = outer["results"] ?? (isRecord(outer["web"]) ? outer["web"]["results"] : []);
  return (Array.isArray(results) ? results : [])
    .filter(isRecord)
    .slice(0, 10)
    .map((one) => ({
      title: textOf(one["title"]),
      url: textOf(one["url"]),
      snippet: textOf(one["content"] ?? one["description"]),
    }));
}

function textOf(value: unknown): string {
  return oneLine(typeof value === "string" ? value.replaceAll(/<[^>]*>/g, "") : "", 300);
}
