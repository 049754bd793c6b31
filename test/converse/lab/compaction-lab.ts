import { openCompaction } from "../../../src/converse/compaction/compact.ts";
import type { ChatParts } from "../../../src/converse/turn/chat-parts.ts";
import { isRecord } from "../../../src/lib/json.ts";
import { gatewayOf } from "../../../src/models/gateway/gateway-of.ts";
import type { Gateway } from "../../../src/models/gateway/gateway.ts";
import type { ModelRequest, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import type { ChatLab } from "./chat-lab.ts";
import { labTools } from "./lab-tools.ts";

/** The parts of a session that is compacted, with a window of so many tokens. */
export function compactingParts(
  { mind }: Pick<ChatLab, "mind">,
  window: number,
  gateway: Gateway = gatewayOf(mind),
): Partial<ChatParts> {
  return {
    tools: async () => labTools,
    approvals: {
      decideCall: async () => ({ kind: "run", approval: null }),
      awaitApproval: async () => Promise.reject(new Error("nobody was asked")),
      answerApproval: async () => Promise.reject(new Error("nobody was asked")),
    },
    gateway,
    compaction: openCompaction(mind, gateway),
    windowOf: async () => window,
  };
}

/** True for the request that asks for a summary. */
export function asksForSummary({ body }: Pick<ModelRequest, "body">): boolean {
  const messages = isRecord(body) && Array.isArray(body["messages"]) ? body["messages"] : [];
  return JSON.stringify(messages.at(-1) ?? "").includes("Write a summary for yourself");
}

/** A script that answers requests for a summary in one way, and all others in turn. */
export function scriptWith(
  steps: readonly ScriptedTurn[],
  summarise: (request: ModelRequest, at: number) => ScriptedTurn,
): (request: ModelRequest) => ScriptedTurn {
  let [step, summaries] = [0, 0];
  return (request) =>
    asksForSummary(request) ? summarise(request, summaries++) : (steps[step++] ?? { text: "Nothing more." });
}

/** Every tool call has its result in the next message, and every result its call. */
export function findSplitPairs(
  messages: readonly { readonly content: readonly Record<string, unknown>[] }[],
): readonly string[] {
  const ids = (at: number, type: string, key: string) =>
    (messages[at]?.content ?? []).flatMap((part) => (part["type"] === type ? [String(part[key])] : []));
  return messages.flatMap((_, at) => {
    const calls = ids(at, "tool_use", "id").join(",");
    const results = ids(at + 1, "tool_result", "tool_use_id").join(",");
    const orphans = at === 0 ? ids(0, "tool_result", "tool_use_id") : [];
    return [...(calls === results ? [] : [`${calls} / ${results}`]), ...orphans];
  });
}
