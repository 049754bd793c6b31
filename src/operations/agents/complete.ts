import { z } from "zod";
import type { Context } from "../../context.ts";
import type { AgentAnswer, AgentPiece, AgentRequest } from "../../converse/agents/agent-request.ts";
import { type AgentContext, completeTask, streamTask } from "../../converse/agents/complete-task.ts";
import { requireSwitchedOn } from "../../converse/session/require-on.ts";
import { formatRestart } from "../../domain/model/describe-restart.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { gatewayOf } from "../../models/gateway/gateway-of.ts";
import { iso } from "../../lib/clock.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import type { StreamEvent } from "../../stream-event.ts";
import { requireProvider } from "../../models/providers/named-model.ts";
import { pinInput, readPin, taskTypeInput } from "../models/shared.ts";
import { agentSessionInput, namedAgentInput } from "./agent-inputs.ts";

const input = z.strictObject({
  agent: namedAgentInput,
  prompt: z
    .string()
    .refine((text) => text.trim() !== "", "is empty")
    .describe("the task"),
  taskType: taskTypeInput.describe(
    "the kind of task, such as triage or code_generation; the router learns about each kind separately",
  ),
  context: z
    .unknown()
    .optional()
    .describe("data for the task: a text or any JSON value; it is quoted as data, not followed as instructions"),
  complexity: z
    .enum(["simple", "moderate", "complex"])
    .optional()
    .describe("how hard the task is; if omitted, the default of the kind of task"),
  maxTokens: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_000)
    .describe("the most tokens that the answer may have"),
  preferredProvider: z.string().min(1).max(200).optional().describe("the provider whose models go first"),
  ...pinInput,
  session: agentSessionInput,
  cache: z
    .boolean()
    .optional()
    .describe("whether the cache may answer an equal request; if omitted, only for the first request of a session"),
  mayRestart: z.boolean().optional().describe("a stream that breaks off may start over with another model"),
});

const output = z
  .object({
    response: z.string(),
    provider: z.string(),
    model: z.string(),
    cost: z.number().describe("dollars"),
    truncated: z.boolean().describe("the answer was cut at maxTokens"),
    warnings: z
      .array(z.string())
      .describe("that it was cut, that a cap is nearly used, or that a paid model answered in place of a free one"),
    cached: z.boolean().describe("from the response cache: no provider was called"),
    healed: z.boolean().describe("an attempt failed, and a later one answered"),
    route: z.array(z.string()).describe("why this model"),
    memory: z
      .array(
        z.object({
          tier: z.enum(["working", "semantic", "episodic"]),
          id: z.string(),
          text: z.string(),
          at: z.string().nullable(),
        }),
      )
      .describe("exactly what was recalled and sent with the prompt"),
    call: z.string().describe("the model call's id, for feedback"),
    session: z.string().describe("pass this to continue the session"),
  })
  .meta({ id: "AgentAnswer" });

const complete = defineOperation({
  name: "agents complete",
  label: "Ask an agent",
  summary:
    "Gives a task to a named agent: it recalls earlier work, calls the model that fits best, and remembers the answer. This costs money.",
  effect: "spends",
  // A memory makes cached answers void. What only a search needs waits until the cache has no answer.
  prepare: ["markers", "owner-edits"],
  prepareMore: ["events", "vectors"],
  input,
  positional: ["agent", "prompt"],
  freeText: true,
  fromFile: "prompt",
  pieces: "text",
  output,
  // It spends the owner's money, and the answer reveals what the agent remembers.
  isOwnerOnly: () => true,
  run: async (ctx, asked, prepareRecall) => {
    requireSwitchedOn(ctx.config, null);
    return answerOut(await completeTask({ ...ctx, prepareRecall }, gatewayOf(ctx), await toRequest(ctx, asked)));
  },
  stream: (ctx, asked, prepareRecall) => streamAnswer({ ...ctx, prepareRecall }, asked),
  renderItem: (item) => formatPiece(item as AgentPiece),
  notes: ({ warnings }) => warnings,
  renderEnd: formatEnd,
  render: (answer) => `${answer.response}\n\n${formatEnd(answer)}`,
});

export const agentCompleteOperations = [complete] as const;

function formatPiece(piece: AgentPiece): string {
  if ("text" in piece) return piece.text;
  return `\n(${formatRestart(piece.restart)})\n`;
}

/** The line below an answer: who gave it, and what it cost. */
function formatEnd(answer: z.output<typeof output>): string {
  const { provider, model, cost, cached, healed, memory, call, session } = answer;
  return [
    `${provider}/${model}`,
    cached ? "from the cache" : formatDollars(cost),
    ...(healed ? ["healed"] : []),
    ...(memory.length > 0 ? [`${plural(memory.length, "memory", "memories")} recalled`] : []),
    `call ${call}`,
    `session ${session}`,
  ].join(", ");
}

async function* streamAnswer(
  ctx: Context & Pick<AgentContext, "prepareRecall">,
  asked: z.output<typeof input>,
): AsyncGenerator<StreamEvent<z.input<typeof output>>> {
  requireSwitchedOn(ctx.config, null);
  const pieces = streamTask(ctx, gatewayOf(ctx), await toRequest(ctx, asked));
  for (;;) {
    const next = await pieces.next();
    if (next.done === true) {
      yield { kind: "result", result: answerOut(next.value) };
      return;
    }
    if ("progress" in next.value) yield { kind: "progress", ...next.value.progress };
    else yield { kind: "item", item: next.value };
  }
}

/** Throws if a provider or a named model is unknown. */
async function toRequest({ config }: Context, asked: z.output<typeof input>): Promise<AgentRequest> {
  if (asked.preferredProvider !== undefined) requireProvider(asked.preferredProvider, config.providers);
  return { ...asked, model: await readPin(asked, config.providers) };
}

function answerOut(answer: AgentAnswer): z.input<typeof output> {
  return {
    ...answer,
    route: [...answer.route],
    warnings: [...answer.warnings],
    memory: answer.memory.map((piece) => ({ ...piece, at: piece.at === null ? null : iso(piece.at) })),
  };
}
