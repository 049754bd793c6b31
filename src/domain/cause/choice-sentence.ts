import { eachHead } from "../rule/wording/rule-sentence.ts";
import type { Matcher } from "../rule/rule.ts";
import { inlineCode } from "../text/tool-name.ts";
import type { FailureCause } from "./cause.ts";
import { joinWords, traitOf } from "./sentence-parts.ts";

/** What can be given instead of a wrong value, without a choice of one: null if the error lists nothing. */
export function choiceSentence(
  { cause, matcher }: { readonly cause: FailureCause; readonly matcher: Matcher },
  count: string,
): string | null {
  const { choices = [] } = cause;
  const heads = eachHead(matcher).map(inlineCode);
  if (choices.length === 0 || heads.length === 0) return null;
  const [, option] = /^(-\S+) /.exec(traitOf(matcher.has, "arg ") ?? "") ?? [];
  const takes = `${joinWords(heads)} ${heads.length > 1 ? "take" : "takes"}`;
  return `${takes}${option === undefined ? "" : ` for ${inlineCode(option)}`}: ${choices.join(", ")}; which one is the user's decision ${count}.`;
}
