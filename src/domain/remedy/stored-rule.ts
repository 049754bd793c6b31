import { detectCause } from "../cause/cause.ts";
import type { CauseKind } from "../cause/patterns.ts";
import { isPlainAdvice } from "../ledger/agent-words.ts";
import { isLoaded } from "../risk/loaded-words.ts";
import { resemblesBypass } from "../risk/bypass-words.ts";
import { findAdvisedCommand } from "../rule/matching/contradiction.ts";
import type { Evidence, Matcher, Rule } from "../rule/rule.ts";
import { findMainCommand } from "../shell/command.ts";
import { isHelpCall } from "../shell/help-call.ts";
import { CALL_TRAIT } from "../shell/traits.ts";
import { isDisplayOption, onlyShows } from "../shell/only-shows.ts";
import { isHarmlessOption } from "./harmless-option.ts";
import { mayReplaceOption } from "./judge-options.ts";
import { lawVersion } from "./law-version.ts";
import { namesCommand, namesWord } from "./named-remedy.ts";
import { offersOnly } from "./only-offer.ts";
import { isPreparation } from "./preparation.ts";
import { beyondProject, helpOnly, isPlaceSetting, judgeRemedy } from "./remedy-law.ts";

type StoredRule = Pick<Rule, "origin" | "text" | "matcher" | "level" | "signature"> & {
  readonly evidence: Pick<Evidence, "refs" | "remedy" | "sessions">;
};

/**
 * Why agents must not read the advice of a mined rule before a person approved it; null if they may. For a rule of an
 * earlier version the law is asked about what its sentence and its cited errors still say. New rules carry the verdict.
 */
export function findWithheldReason(rule: StoredRule): string | null {
  const { origin, text, matcher, evidence, level } = rule;
  if (origin === "agent") return judgeLedgerRule(rule);
  if (origin !== "tool" || level === "ask" || level === "deny" || matcher?.tool !== "shell") return null;
  const harmful = counted.test(text)
    ? (judgeNamed(text) ?? judgeAdvised(text, matcher, evidence.remedy?.forms ?? []))
    : null;
  if (harmful !== null) return harmful;
  // What the law decided when the rule was made.
  const told = isToldInFull(rule) ? (evidence.remedy?.withheld?.reason ?? null) : null;
  if (told !== null || evidence.remedy?.law === lawVersion || !counted.test(text)) return told;
  const errors = [...new Set(evidence.refs.map((ref) => ref.excerpt))];
  return (
    judgeCommand(text, matcher, errors) ??
    judgeFirst(text, errors) ??
    judgeVariable(text, errors) ??
    judgeReplaced(text, matcher, errors) ??
    judgeLeftOut(text, matcher) ??
    judgeOptions(text, matcher, errors)
  );
}

/** An agent's mistakes make a rule from two sessions on, and it repeats of the agent's words only plain ones. */
function judgeLedgerRule({ signature, text, level, evidence }: StoredRule): string | null {
  if (signature?.startsWith("pattern ") !== true || level === "ask" || level === "deny") return null;
  if (evidence.sessions < 2) return "an agent noted these mistakes in a single session";
  // Sentences of an earlier version, which repeated whatever the agent wrote.
  const [, advice] = /^Mind `.+? Should have: (.+)$/s.exec(text) ?? [];
  if (advice === undefined || isPlainAdvice(advice)) return null;
  return "an agent wrote what it advises, and nobody has read it";
}

/** True for a sentence that is nothing without its advice: "Run `a`, not `b`". */
function isToldInFull({ text }: StoredRule): boolean {
  return /^Run .+, not /.test(text);
}

/** Sentences that oldhand wrote; the owner's own words stand. */
const counted = /\(failed \d+ of \d+\)\.$|\d+ times? in \d+ sessions?\.$/;

function judgeCommand(text: string, matcher: Matcher, errors: readonly string[]): string | null {
  const worked = findAdvisedCommand(text);
  // An example stands for many calls; a prefix that is left out is a correction.
  if (worked === null || /^(?:Use a call such as|Run `[^`]+` without) /.test(text)) return null;
  const verdicts = errors.map((error) => judgeRemedy({ failed: callOf(matcher), worked, error }));
  if (verdicts.length === 0 || verdicts.some(({ isTaught }) => isTaught)) return null;
  return verdicts[0]?.reason ?? null;
}

/** The failing call, as far as the matcher tells it. */
function callOf({ head = "", has = [] }: Matcher): string {
  const call = has.find((trait) => trait.startsWith(CALL_TRAIT))?.slice(CALL_TRAIT.length);
  const typed = has.flatMap((trait) => /^(?:flag|arg) (.+)$/.exec(trait)?.[1] ?? []);
  return call ?? [head, ...typed].join(" ");
}

/** `Use \`--x\` instead of \`--y\``: the option must be shown to be the same. */
function judgeReplaced(text: string, matcher: Matcher, errors: readonly string[]): string | null {
  const [, right, wrong] = /^Use `(-[^` ]+)` instead of `(-[^` ]+)`/.exec(text) ?? [];
  const before = findMainCommand(callOf(matcher));
  if (right === undefined || wrong === undefined || before === null) return null;
  const isSame = errors.some((error) => mayReplaceOption(wrong, right, { before, error }));
  return isSame ? null : `nothing shows that \`${right}\` does the same as \`${wrong}\``;
}

/** Sentences of earlier versions that advised to leave an option out, or to free a port, whoever holds it. */
function judgeLeftOut(text: string, matcher: Matcher): string | null {
  if (text.startsWith("Free the port before ")) return "to free a port may mean to stop a process of somebody else";
  const [, option] = /^(?:Do not use|Leave out) `(-[^`]+)` (?:with|here)/.exec(text) ?? [];
  const command = findMainCommand(matcher.head ?? "");
  if (option === undefined || isDisplayOption(option) || (command !== null && onlyShows(command))) return null;
  return `without \`${option}\`, it may leave out a check or do more`;
}

/** What an earlier version took from an error though it was not the error's to say: a command, or a variable's value. */
function judgeNamed(text: string): string | null {
  const [, first] = /^Run `([^`]+)` before /.exec(text) ?? [];
  const command = first === undefined ? null : findMainCommand(first);
  if (first !== undefined && command !== null && !isPreparation(command)) return beyondProject(first);
  const [, setting] = /^(?:Run|Use|Set) `([A-Za-z_]\w*=[^ `]*)[ `]/.exec(text) ?? [];
  if (setting === undefined || isPlaceSetting(setting)) return null;
  return `which value \`${setting.split("=", 1)[0]}\` gets is the user's decision`;
}

/** What earlier versions advised though it is no remedy: a call for help, and an option that the failed calls had too. */
function judgeAdvised(text: string, { has = [] }: Matcher, forms: readonly string[]): string | null {
  const advised = findMainCommand(findAdvisedCommand(text) ?? "");
  if (advised === null) return null;
  if (isHelpCall(advised)) return helpOnly;
  if (has.some((trait) => trait.startsWith(CALL_TRAIT))) return null;
  const instead = /, not `([^`]+)`: /.exec(text)?.[1];
  const failed = [...forms, ...(instead === undefined ? [] : [instead])].map((one) => one.split(" "));
  const isRequired = (flag: string) => has.some((one) => one === `flag ${flag}` || one.startsWith(`arg ${flag} `));
  const shared = advised.flags.find(
    (flag) => failed.length > 0 && failed.every((words) => words.includes(flag)) && !isRequired(flag),
  );
  return shared === undefined ? null : `\`${shared}\` was part of the calls that failed too`;
}

function judgeFirst(text: string, errors: readonly string[]): string | null {
  const [, first] = /^Run `([^`]+)` before /.exec(text) ?? [];
  const command = first === undefined ? null : findMainCommand(first);
  if (command === null || kindsOf(errors).some((kind) => kind !== null && advisesFirst.has(kind))) return null;
  return errors.some((error) => namesCommand(error, command)) ? null : `the error does not name \`${first}\``;
}

/** Oldhand's own words about these causes name a command to run first. */
const advisesFirst: ReadonlySet<CauseKind> = new Set(["behind-remote", "no-environment"]);

function judgeVariable(text: string, errors: readonly string[]): string | null {
  const [, variable] = /^Set `(\w+)` for /.exec(text) ?? [];
  if (variable === undefined || errors.some((error) => namesWord(error, variable))) return null;
  return `the error does not name the variable \`${variable}\``;
}

function judgeOptions(text: string, matcher: Matcher, errors: readonly string[]): string | null {
  const command = findMainCommand(callOf(matcher));
  for (const [, option = ""] of text.matchAll(/(?:without|^Use|Narrow the run with) `(-[A-Za-z-][^` ]*)`/g)) {
    if (matcher.has?.includes(`flag ${option}`) === true) continue;
    if (resemblesBypass(option)) return `\`${option}\` may switch off a protection, a question or a check`;
    if (command !== null && isHarmlessOption(command, option)) continue;
    if (
      kindsOf(errors).every((kind) => kind === null) ||
      isLoaded(option) ||
      !errors.some((error) => offersOnly(error, option))
    )
      return `the error does not offer \`${option}\` as the same`;
  }
  return null;
}

function kindsOf(errors: readonly string[]): readonly (CauseKind | null)[] {
  return errors.map((error) => detectCause({ tool: "bash", input: null }, error)?.kind ?? null);
}
