import type { Matcher } from "../rule/rule.ts";
import { eachHead } from "../rule/wording/rule-sentence.ts";
import { inlineCode } from "../text/tool-name.ts";
import type { FailureCause } from "./cause.ts";
import { missingProgramName } from "./cause-traits.ts";
import { type SentenceParts, traitOf } from "./sentence-parts.ts";

/** If the program was found at least once, the sentence must not say that it is not installed. */
export function missingProgramParts(
  cause: FailureCause,
  matcher: Matcher,
  { head, always, tried }: { readonly head: string; readonly always: boolean; readonly tried: readonly string[] },
): SentenceParts {
  const name = inlineCode(missingProgramName(cause));
  const place = traitOf(matcher.lacks, "program ");
  if (place !== null)
    return {
      act: (here) => `Use ${inlineCode(place)}${here}`,
      why: cause.kind === "missing-program" ? `${name} is not on the PATH` : `${name} was not found elsewhere`,
    };
  const program = traitOf(matcher.has, "program ");
  const [first = "", ...rest] = head.split(" ");
  const run = inlineCode([program ?? first, ...rest].join(" "));
  const isModule = [head, ...(matcher.heads ?? [])].every((one) => one.includes(" -m "));
  return {
    act: (here) => `Do not run ${isModule ? run : name}${here}`,
    why: isModule
      ? `${inlineCode(program ?? first)} ${always ? "has" : "had"} no module ${name}`
      : cause.kind === "missing-path"
        ? sayNotAt(name, tried)
        : `${name} ${always ? "is not installed" : "was not found"}${sayBothWays(matcher)}`,
  };
}

/** The paths at which a script was called, if they are few. */
function sayNotAt(name: string, tried: readonly string[]): string {
  return tried.length > 0 && tried.length <= 2
    ? `there is no ${tried.map(inlineCode).join(" and no ")}`
    : `${name} is not where it was called`;
}

/** A program that was also looked for as a module of Python: both ways failed. */
function sayBothWays(matcher: Matcher): string {
  const heads = eachHead(matcher);
  const asModule = heads.find((one) => one.includes(" -m "));
  const own = heads.find((one) => !one.includes(" "));
  return asModule === undefined || own === undefined
    ? ""
    : `, neither as ${inlineCode(own)} nor with ${inlineCode(asModule)}`;
}
