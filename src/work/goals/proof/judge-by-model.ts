import { z } from "zod";
import type { Context } from "../../../context.ts";
import { readPromptText } from "../../../converse/prompt/read-prompt-text.ts";
import type { Check } from "../../../domain/goal/check.ts";
import type { Task } from "../../../domain/goal/task.ts";
import { formatModelRef, parseModelRef } from "../../../domain/model/model-ref.ts";
import { redact } from "../../../domain/redact/redact.ts";
import { quoted } from "../../../domain/trust/quote.ts";
import { errorMessage, OldhandError } from "../../../lib/errors.ts";
import { tryParseJson } from "../../../lib/json.ts";
import { oneLine } from "../../../lib/text.ts";
import type { Gateway } from "../../../models/gateway/gateway.ts";
import type { CleanRepository } from "./clean-repository.ts";
import { claimed, failed, type Judged, type CheckVerdict } from "./verdict.ts";

type ReviewCheck = Extract<Check, { kind: "reviewer" }>;

/** The model's whole answer. */
const answerShape = z.strictObject({ met: z.boolean(), why: z.string().min(1).max(2_000) });

/** A model reads the difference between the commits, and says if the criteria are met. */
export async function judgeByModel(
  { signal }: Pick<Context, "signal">,
  {
    gateway,
    repository,
    task,
  }: { readonly gateway: Gateway; readonly repository: CleanRepository; readonly task: Task },
  check: ReviewCheck,
  { base, head, doubt }: Judged,
): Promise<CheckVerdict> {
  const diff = await repository.git([
    "diff-tree",
    "-r",
    "-p",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    base,
    head,
  ]);
  if (diff.length > MOST_CHARACTERS)
    return claimed(
      `The work is too large for one review: its diff has ${diff.length} characters, and ${MOST_CHARACTERS} can be read.`,
    );
  const doneBy = readDoneBy(task);
  const answer = await askReviewer(gateway, { task, check, diff, signal, doneBy });
  if (typeof answer === "string") return claimed(answer);
  const { model } = answer;
  if (model === doneBy) return claimed(`No other model than ${model}, which did the work, is there to review it.`);
  const read = answerShape.safeParse(tryParseJson(answer.text.trim()));
  if (!read.success) return claimed(`The reviewer ${model} gave no answer that can be read.`);
  const why = oneLine(redact(read.data.why), 500);
  if (!read.data.met) return failed(`The reviewer ${model} says no: ${why}`);
  if (doubt !== null) return claimed(doubt);
  return { kind: "verified", what: `the reviewer ${model} says yes: ${why}` };
}

const MOST_CHARACTERS = 100_000;

/** The model that did the work, if the task says it. */
function readDoneBy({ metadata }: Task): string | null {
  const { model } = metadata;
  return typeof model === "string" ? model : null;
}

/** A text says why there is no answer. */
async function askReviewer(
  gateway: Gateway,
  given: {
    readonly task: Task;
    readonly check: ReviewCheck;
    readonly diff: string;
    readonly signal: AbortSignal;
    readonly doneBy: string | null;
  },
): Promise<string | { readonly model: string; readonly text: string }> {
  const { task, check, diff, signal, doneBy } = given;
  const pinned = check.model === null ? null : parseModelRef(check.model);
  const failedBefore = doneBy === null ? null : parseModelRef(doneBy);
  const asked = [
    `Criteria: ${check.criteria}`,
    `Task: ${task.title}`,
    quoted([{ label: "diff of the work", origin: "agent", text: diff }]),
  ].join("\n\n");
  try {
    const answer = await gateway.complete({
      ...{ agent: "reviewer", goal: task.goal, taskType: "review", signal },
      chat: {
        system: readPromptText("review"),
        messages: [{ role: "user", parts: [{ kind: "text", text: asked }] }],
        ...{ maxTokens: 1_000, temperature: 0 },
      },
      ...(pinned === null ? {} : { model: pinned }),
      ...(failedBefore === null ? {} : { failed: [failedBefore] }),
    });
    if (answer.outcome === "ok") return { model: formatModelRef(answer.model), text: answer.text };
    return `No reviewer answered: ${answer.failure?.message ?? answer.outcome}`;
  } catch (error) {
    if (!(error instanceof OldhandError) || error.code === "stopped") throw error;
    const hint = error.hint ?? "oldhand models add PROVIDER/MODEL adds one";
    return `There is no reviewer: ${errorMessage(error)}. ${hint}`;
  }
}
