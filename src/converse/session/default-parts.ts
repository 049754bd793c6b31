import type { Context } from "../../context.ts";
import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import { parseModelRef } from "../../domain/model/model-ref.ts";
import { currentGatewayOf } from "../../models/gateway/gateway-of.ts";
import { findLargestWindow } from "../../models/gateway/find-ready-models.ts";
import { newPricesOf } from "../../models/prices/open-prices-of.ts";
import { openCompaction } from "../compaction/compact.ts";
import { watchPromptCache } from "../compaction/watch-prompt-cache.ts";
import { answerApproval, awaitApproval, decideToolCall } from "../approvals/decide-call.ts";
import { listAgentTools } from "../toolset/list-tools.ts";
import type { ChatParts } from "../turn/chat-parts.ts";
import { openCheckpoints } from "../undo/checkpoints.ts";
import { logCacheBreak } from "./session-log.ts";

/** What a session uses unless it is given other parts. */
export function defaultParts(ctx: Context): ChatParts {
  const prices = newPricesOf(() => ctx.config);
  const plain = currentGatewayOf(ctx);
  const gateway = watchPromptCache(plain, async (session, found) =>
    logCacheBreak(ctx.config.home, session, await plain.redact({ agent: AGENT_HOST, session }, found)),
  );
  return {
    gateway,
    tools: (of) => listAgentTools(ctx, of),
    approvals: {
      decideCall: (call) => decideToolCall(ctx, call),
      awaitApproval: (id, signal) => awaitApproval(ctx, id, signal),
      answerApproval: (id, answer) => answerApproval(ctx, id, answer),
    },
    compaction: openCompaction(ctx, gateway),
    checkpoints: (session) => openCheckpoints(ctx, session),
    windowOf: async (model) => {
      const table = await prices();
      if (model === null) return findLargestWindow({ db: ctx.db, config: ctx.config, prices: table }, ctx.clock.now());
      const ref = parseModelRef(model);
      return ref === null ? null : table.window(ref).context;
    },
  };
}
