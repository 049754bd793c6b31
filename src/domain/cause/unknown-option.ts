import type { Matcher } from "../rule/rule.ts";
import { eachHead } from "../rule/wording/rule-sentence.ts";
import { isDisplayOption, onlyShows } from "../shell/only-shows.ts";
import { findMainCommand } from "../shell/command.ts";
import { inlineCode } from "../text/tool-name.ts";
import { findBsdOption } from "./bsd-options.ts";
import type { FailureCause } from "./cause.ts";
import { joinWords, type SentenceParts, traitOf } from "./sentence-parts.ts";
import type { Alternative } from "./sentence.ts";

interface UnknownOption {
  readonly cause: FailureCause;
  readonly matcher: Matcher;
  readonly instead: Alternative | null;
}

/** Names another option only if the program's own usage lists it. */
export function unknownOptionParts({ cause, matcher, instead }: UnknownOption): SentenceParts {
  const head = matcher.head ?? matcher.tool;
  const unknown = unknownOption(cause, matcher);
  const flag = inlineCode(unknown);
  const each = eachHead(matcher).map(inlineCode);
  const names = joinWords(each.length > 0 ? each : [inlineCode(head)]);
  const [it, has] = each.length > 1 ? ["they", "have"] : ["it", "has"];
  if (instead === null && each.length < 2 && cause.wrapperUsage !== undefined) {
    const runs = inlineCode(cause.wrapperUsage.split(/ (?=[[<])/)[0] ?? "");
    return {
      act: (here) => `Call ${names} as ${inlineCode(cause.wrapperUsage ?? "")}${here}`,
      why: `${runs} runs in its place and has no option ${inlineCode(traitOf(matcher.has, "flag ") ?? unknown)}`,
    };
  }
  if (instead !== null) return { act: () => "", why: `${names} ${has} no option ${flag}` };
  const equal =
    cause.listedOptions === undefined || each.length > 1 ? null : findBsdOption(head, unknown, cause.listedOptions);
  if (equal !== null)
    return {
      act: (here) => `Use ${inlineCode(`${head} ${equal}`)}${here}, not ${inlineCode(`${head} ${unknown}`)}`,
      why: `this ${names} has no option ${flag}`,
    };
  const why = `${it} ${has} no such option`;
  const mayLeaveOut =
    isDisplayOption(unknown) || eachHead(matcher).every((one) => isShownOnly(one, traitOf(matcher.has, "program ")));
  // Without the option, the call may do more: what it did not know may have kept data, or stopped it.
  return mayLeaveOut
    ? { act: (here) => `Do not use ${flag} with ${names}${here}`, why }
    : { act: () => `Look up what ${names} ${has} in place of ${flag}`, why };
}

function isShownOnly(head: string, program: string | null): boolean {
  const command = program === null ? findMainCommand(head) : null;
  return command !== null && onlyShows(command);
}

/** As it is typed. Of letters that were typed together, the one that the error names: `-P` of `-rP`. */
export function unknownOption({ thing }: FailureCause, { has }: Matcher): string {
  const typed = traitOf(has, "flag ");
  const [, letter] = /^-?([A-Za-z0-9])$/.exec(thing ?? "") ?? [];
  if (letter === undefined) return typed ?? thing ?? "";
  return typed === null || /^-[A-Za-z0-9]{2,}$/.test(typed) ? `-${letter}` : typed;
}
