import { z } from "zod";
import { complexityOf } from "../../domain/model/complexity.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { chooseModels } from "../../models/gateway/choose-models.ts";
import { explainPinned } from "../../models/gateway/explain-pinned.ts";
import { openPricesOf } from "../../models/prices/open-prices-of.ts";
import { defineOperation } from "../../operation.ts";
import { requireProvider } from "../../models/providers/named-model.ts";
import { pinInput, readPin, taskTypeInput } from "./shared.ts";

const complexity = z.enum(["simple", "moderate", "complex"]);

const route = defineOperation({
  name: "models route",
  summary: "Shows which model a task would go to now, which would follow after a failure, and why. Calls no model.",
  effect: "read",
  input: z.object({
    taskType: taskTypeInput.describe("kind of task, such as triage"),
    complexity: complexity.optional().describe("if omitted, the default of the kind of task"),
    tokens: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(10_000_000)
      .default(2_000)
      .describe("length of the prompt in tokens"),
    maxTokens: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(1_000_000)
      .default(1_000)
      .describe("most tokens of the answer"),
    preferredProvider: z.string().min(1).optional().describe("the provider whose models go first"),
    ...pinInput,
    checked: z.boolean().default(false).describe("a check will find a failure, so a cheap model may go first"),
    why: z.boolean().default(false).describe("show every reason"),
  }),
  positional: ["taskType"],
  output: z.object({
    taskType: z.string(),
    complexity,
    model: z.string().nullable().describe("null if no model can be used"),
    chain: z.array(z.string()).describe("models that follow after a failure, in this order"),
    explores: z.boolean().describe("whether it would be chosen only to learn about it"),
    why: z.array(z.string()),
  }),
  run: async ({ db, config, clock }, input) => {
    const { taskType, tokens, maxTokens, preferredProvider, checked } = input;
    if (preferredProvider !== undefined) requireProvider(preferredProvider, config.providers);
    const model = await readPin(input, config.providers);
    const prices = await openPricesOf(config);
    const now = clock.now();
    const request = {
      agent: "owner",
      taskType,
      complexity: input.complexity,
      chat: { messages: [], maxTokens },
      inputTokens: tokens,
      preferredProvider,
      model,
      mayUseOthers: input.fallback,
      checked,
    } as const;
    const choice = await chooseModels({ db, config, prices }, request, now);
    const pinned =
      model === undefined
        ? []
        : explainPinned({ prices, config }, { ref: model, now, chat: request.chat, inputTokens: tokens });
    const [first, ...chain] = choice.targets.map(formatModelRef);
    return {
      taskType,
      complexity: input.complexity ?? complexityOf(taskType),
      model: first ?? null,
      chain,
      explores: choice.explored,
      why: [...choice.why.slice(0, 1), ...pinned, ...choice.why.slice(1)],
    };
  },
  isNegative: ({ model }) => model === null,
  render: (found, input) => {
    const [decision = "oldhand models add PROVIDER/MODEL adds a model"] = found.why;
    const chain = found.chain.length === 0 ? [] : [`After a failure: ${found.chain.join(", ")}.`];
    return [
      `${found.model ?? "no model"} for ${found.complexity} ${found.taskType} tasks`,
      ...(input?.why === true ? found.why : [decision, ...found.why.filter((line) => WARNS.test(line))]),
      ...chain,
    ].join("\n");
  },
});

/** Of a model that the caller names, and that may be mistyped or too small. */
const WARNS = /^Its price is unknown|^The prompt has about .* its context window holds/;

export const modelRouteOperations = [route] as const;
