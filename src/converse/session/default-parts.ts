import type { Context } from "../../context.ts";
import { parseModelRef } from "../../domain/model/model-ref.ts";
import { gatewayOf } from "../../models/gateway/gateway-of.ts";
import { openPricesOf } from "../../models/prices/open-prices-of.ts";
import { openCompaction } from "../compaction/compact.ts";
import { watchPromptCache } from "../compaction/watch-prompt-cache.ts";
import type { ApprovalParts, ChatParts } from "../turn/chat-parts.ts";
import { openCheckpoints } from "../undo/checkpoints.ts";
import { logCacheBreak } from "./session-log.ts";

/** What a session uses unless it is given other parts. */
export function defaultParts(ctx: Context): ChatParts {
  let prices: ReturnType<typeof openPricesOf> | null = null;
  const gateway = watchPromptCache(gatewayOf(ctx), (session, found) => logCacheBreak(ctx.config.home, session, found));
  return {
    gateway,
    tools: async () => [],
    approvals: onlyReads,
    compaction: openCompaction(ctx, gateway),
    checkpoints: (session) => openCheckpoints(ctx, session),
    windowOf: async (model) => {
      const ref = parseModelRef(model);
      return ref === null ? null : (await (prices ??= openPricesOf(ctx.config))).window(ref).context;
    },
  };
}

/** Until approvals can be given: what changes nothing outside of the mind may run. */
const onlyReads: ApprovalParts = {
  decideCall: async ({ tool: { name, effect } }) =>
    effect === "read" || effect === "internal"
      ? { kind: "run", approval: null }
      : { kind: "refuse", reason: `${name} needs an approval, and none can be given here.` },
  awaitApproval: async (id) => Promise.reject(new Error(`there is no approval ${id}`)),
  answerApproval: async (id) => Promise.reject(new Error(`there is no approval ${id}`)),
};
