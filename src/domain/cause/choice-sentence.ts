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
  const value = inlineCode(traitOf(matcher.has, "arg ") ?? cause.thing ?? "");
  const given = `${joinWords(heads)} ${heads.length > 1 ? "do" : "does"} not take ${value}`;
  const takes = `${joinWords(heads)} ${heads.length > 1 ? "take" : "takes"}`;
  return `${takes}${option === undefined ? "" : ` for ${inlineCode(option)}`}: ${choices.join(", ")}; ${choices.length > 1 ? "which one" : "whether to use it"} is the user's decision: ${given} ${count}.`;
}
