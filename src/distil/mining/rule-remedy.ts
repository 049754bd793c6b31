import type { FailureCause } from "../../domain/cause/cause.ts";
import { formOf } from "../../domain/rule/delivery/hold-form.ts";
import { lawVersion } from "../../domain/remedy/law-version.ts";
import { weakerOrigin } from "../../domain/remedy/remedy-law.ts";
import type { RemedyOrigin, RuleRemedy } from "../../domain/rule/rule.ts";
import { findMainCommand, parseCommands } from "../../domain/shell/command.ts";
import { findRunScript } from "../../domain/shell/run-script.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { typedStart } from "../../domain/shell/typed-head.ts";
import { describeConstantChange, withoutSharedOptions } from "./constant-change.ts";
import type { GroupTry } from "./find-causes.ts";
import type { Remedy, WithheldRemedy } from "./find-remedy.ts";

/** More forms than this say nothing. */
const MOST_FORMS = 8;

interface RemedyParts {
  readonly cause: FailureCause | null;
  readonly remedy: Remedy | null;
  readonly withheld: WithheldRemedy | null;
  /** Where that comes from which the sentence says the calls lack. */
  readonly lacks: readonly (RemedyOrigin | null)[];
  readonly failures: readonly GroupTry[];
}

/** What is stored with the rule about its remedy: the verdict of the law, and what only the owner sees. */
export function makeRuleRemedy(
  { cause, remedy, withheld, lacks, failures }: RemedyParts,
  sentenceWith: (remedy: Remedy | null) => string,
): RuleRemedy {
  const ofLacks = lacks.flatMap((origin) => origin ?? []);
  const origin =
    remedy?.origin ??
    (ofLacks.length > 0 ? ofLacks.reduce(weakerOrigin) : null) ??
    (cause === null || vague.has(cause.kind) ? null : "named");
  const forms = [...new Set(failures.map(({ traits }) => formOf(traits)))];
  return {
    origin,
    law: lawVersion,
    ...(withheld === null || remedy !== null
      ? {}
      : {
          withheld: {
            line: withheld.line,
            reason: withheld.reason,
            sentence: sentenceWith({
              command: withoutPayload(withheld.line, failures),
              tool: null,
              value: null,
              through: null,
            }),
          },
        }),
    forms: forms.length > MOST_FORMS ? [] : forms,
  };
}

/** The command and the options that made the difference, without what the one call was for: `psql -h localhost`. */
function withoutPayload(line: string, failures: readonly GroupTry[]): string {
  const [after, ...others] = parseCommands(line);
  const failed = failures.flatMap(({ event }) => findMainCommand(findShellText(event.input) ?? "") ?? []);
  const last = failed.at(-1);
  if (after === undefined || others.length > 0 || last === undefined) return line;
  const moved = findRunScript(after);
  if (
    moved !== null &&
    failed.every((one) => findRunScript(one) !== null && findRunScript(one)?.script !== moved.script)
  )
    return moved.typed;
  if (last.head !== after.head) return withoutSharedOptions(last, after, { tool: "shell" });
  // The failure that it followed has its operands.
  const before = failed.findLast((one) => describeConstantChange(one, after) !== null) ?? last;
  const change = describeConstantChange(before, after)?.command;
  const typed = typedStart(after);
  if (change === undefined || !change.startsWith(`${typed} `)) return change ?? line;
  const given = change.slice(typed.length + 1).split(" ");
  const withValues = given.flatMap((word) => {
    const next = after.words[after.words.indexOf(word) + 1] ?? "";
    const isValue = word.startsWith("-") && /^[^-\s]\S*$/.test(next);
    return isValue && !given.includes(next) && !before.words.includes(next) ? [word, next] : [word];
  });
  return [typed, ...withValues].join(" ");
}

/** Their errors say that the call failed, not what to do. */
const vague: ReadonlySet<FailureCause["kind"]> = new Set([
  "no-permission",
  "forbidden",
  "locked",
  "timed-out",
  "port-in-use",
  "network-failed",
  "nothing-to-do",
  "diverged",
  "wrong-arguments",
  "unset-variable",
]);
