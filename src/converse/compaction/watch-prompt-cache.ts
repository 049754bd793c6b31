import type { Gateway, GatewayRequest } from "../../models/gateway/gateway.ts";
import { type CacheBreak, findCacheBreak } from "./find-cache-break.ts";

/**
 * The same gateway. If a request of a session does not begin like the one before it, the difference is reported before it is
 * sent: the provider will count all of it anew. A compaction is no such case.
 */
export function watchPromptCache(gateway: Gateway, report: (session: string, found: CacheBreak) => unknown): Gateway {
  const last = new Map<string, GatewayRequest>();
  const check = async (request: GatewayRequest): Promise<void> => {
    const { session } = request;
    if (session === undefined) return;
    const before = last.get(session);
    const found = before === undefined ? null : findCacheBreak(before, request);
    last.set(session, request);
    if (found !== null && found.kind !== "compaction") await report(session, found);
  };
  return {
    ...gateway,
    stream: async function* (request) {
      await check(request);
      yield* gateway.stream(request);
    },
  };
}
