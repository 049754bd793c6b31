import type { TokenUsage } from "../../domain/model/usage.ts";
import type { AnswerState } from "./read-answer.ts";
import { type AskedCall, TOKENS_PER_PICTURE } from "./read-request.ts";

/** English has about four characters per token, code fewer. Estimates are rather too high, because caps depend on them. */
const CHARACTERS_PER_TOKEN = 3;

/** The tokens of an answer, estimated where the provider reported none. */
export function completeUsage(
  answer: AnswerState,
  asked: Pick<AskedCall, "characters" | "pictures">,
): { readonly usage: TokenUsage; readonly isEstimated: boolean } {
  if (answer.reported === "all") return { usage: answer.usage, isEstimated: false };
  const tokensIn = Math.ceil(asked.characters / CHARACTERS_PER_TOKEN) + asked.pictures * TOKENS_PER_PICTURE;
  return {
    usage: {
      ...answer.usage,
      in: answer.reported === "input" ? answer.usage.in : tokensIn,
      out: Math.max(answer.usage.out, Math.ceil(answer.written / CHARACTERS_PER_TOKEN)),
    },
    isEstimated: true,
  };
}
