import { z } from "zod";
import { redactAndCap } from "../../observe/protocol/to-event.ts";
import { OldhandError } from "../../lib/errors.ts";
import { gatewayOf } from "../../models/gateway/gateway-of.ts";
import { defineOperation } from "../../operation.ts";
import { findAgentCall } from "../../store/models/agent-calls.ts";
import { agentInput } from "./agent-inputs.ts";

const feedback = defineOperation({
  name: "agents feedback",
  label: "Judge an answer",
  summary:
    "Records how good an agent's answer was. The router learns from it, and the agent sees it when it recalls the answer.",
  effect: "write",
  input: z.strictObject({
    agent: agentInput,
    call: z.string().min(1).max(200).describe("the id that came with the answer"),
    quality: z
      .union([z.number(), z.string()])
      .refine((given) => toQuality(given) !== null, "must be good, bad, or a number from 0 to 1")
      .describe("good, bad, or a number from 0 to 1"),
    note: z.string().min(1).max(2_000).optional().describe("what was good or bad about it"),
  }),
  positional: ["agent", "call", "quality", "note"],
  freeText: true,
  output: z.object({
    call: z.string(),
    quality: z.number(),
    countsFor: z.string().describe("the call that wrote the answer: another one if the cache repeated it"),
  }),
  isOwnerOnly: () => true,
  run: async (ctx, { agent, call, quality: given, note }) => {
    const quality = toQuality(given) ?? 0;
    const judged = await findAgentCall(ctx.db, agent, call);
    if (judged === null)
      throw new OldhandError("not-found", `${agent} made no call ${call}`, {
        hint: "the id is in the answer, under `call`",
      });
    const gateway = gatewayOf(ctx);
    const clean = note === undefined ? undefined : await gateway.redact({ agent, session: judged.session }, note);
    const kept = clean === undefined ? undefined : redactAndCap(clean, 2_000);
    const countsFor = await gateway.recordQuality(call, { quality, source: "feedback", note: kept });
    return { call, quality, countsFor };
  },
  render: ({ call, quality, countsFor }) =>
    call === countsFor
      ? `Recorded quality ${quality} for ${call}.`
      : `Recorded quality ${quality} for ${countsFor}, which wrote the answer that the cache repeated.`,
});

export const agentFeedbackOperations = [feedback] as const;

/** Null if the value is not a quality. */
function toQuality(given: number | string): number | null {
  const quality =
    typeof given === "number" ? given : given.trim() === "" ? Number.NaN : (words.get(given) ?? Number(given));
  return quality >= 0 && quality <= 1 ? quality : null;
}

const words: ReadonlyMap<string, number> = new Map([
  ["good", 1],
  ["bad", 0],
]);
