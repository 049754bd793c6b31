import type { Context } from "../../context.ts";
import { findSettingFault, judgeRemedy } from "../../domain/remedy/remedy-law.ts";
import { findCommandRisk, findOptionRisk } from "../../domain/risk/command-risk.ts";
import { isBypassSetting } from "../../domain/risk/bypass-words.ts";
import { changesTarget } from "../../domain/text/target-change.ts";
import { listNamedCommands, namesWord } from "../../domain/remedy/named-remedy.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { asksForHelp } from "../../domain/shell/help-call.ts";
import { SETS_TRAIT } from "../../domain/shell/variables.ts";
import { oneLine } from "../../lib/text.ts";
import { isEmpty } from "./as-narrow-as-seen.ts";
import { typedName } from "./by-script.ts";
import type { FoundCause, GroupTry } from "./find-causes.ts";
import { findMovedPath, findRemedy, type Remedy, type RemedyChoices, type WithheldRemedy } from "./find-remedy.ts";
import { findSharedPath } from "./missed-path.ts";
import { withoutHeads } from "./name-heads.ts";
import { findNamedFirst } from "./named-first.ts";
import { hasStoppedHelping } from "./newest-remedy.ts";
import { findNearbyCommand, findOfferedOption, findOfferedSubcommand, findSharedOption } from "./nearby-command.ts";
import { findLackOrigin, lineOf } from "./taught-traits.ts";
import { findWorkingPort } from "./working-port.ts";
import { findUsualSetting } from "./unset-variable.ts";

interface RemedyChoice {
  readonly found: FoundCause;
  /** The same with the heads that the sentence names. */
  readonly named: FoundCause;
  readonly name: string | undefined;
  readonly matcher: Matcher;
  /** All calls of the rule's commands in its scope. */
  readonly tries: readonly GroupTry[];
  /** The failures that it matches, and those of its cause. */
  readonly failures: readonly GroupTry[];
  readonly right: readonly GroupTry[];
  readonly isOfSeveral: boolean;
  readonly within: number;
}

/** What to do instead, and what worked but needs a person's review (domain/remedy/remedy-law.ts). */
export async function chooseRemedy(db: Context["db"], choice: RemedyChoice): Promise<RemedyChoices> {
  const { remedy, withheld } = await findAnyRemedy(db, choice);
  const against = withheld ?? findWithheldLack(choice);
  const { matcher, found } = choice;
  // What an error offers, or a state asks for, may have stopped to help as well.
  const isOver = remedy !== null && (await hasStoppedHelping(db, remedy, { matcher, scope: found.scope }));
  if (remedy === null || isOver || isRisky(remedy, choice)) return { remedy: null, withheld: against };
  // A command without its unknown option: the sentence says to leave it out.
  const isBare = choice.found.cause?.kind === "unknown-option" && remedy.command === choice.name;
  return { remedy: isBare && !remedy.without ? null : remedy, withheld: against };
}

/** Asked again of the words that the sentence says: they may come from an error. */
function isRisky({ command, option, value, first }: Remedy, { found: { heads }, right }: RemedyChoice): boolean {
  const words = [command, option, value, first].flatMap((one) => one ?? []).join(" ");
  const failed = right.map(lineOf).join(" ");
  // A sentence leaves out operands; only a word that came in their place is another target.
  const hasOther = words
    .split(/\s+/)
    .some((word) => !/^-[^=]*$/.test(word) && !failed.includes(word.replace(/^.*\//, "")));
  return (
    (hasOther && changesTarget(words, failed)) ||
    [command, first].some((one) => one != null && findCommandRisk(one) !== null) ||
    (option != null && heads.some((head) => findOptionRisk(head, option) !== null)) ||
    (value !== null && /^\w+=/.test(value) && isBypassSetting(value))
  );
}

async function findAnyRemedy(db: Context["db"], choice: RemedyChoice): Promise<RemedyChoices> {
  const { found, named, name, matcher, tries, failures, right, isOfSeveral, within } = choice;
  const { cause, scope, condition } = found;
  const helps = async (remedy: Pick<Remedy, "command">) =>
    !(await hasStoppedHelping(db, { tool: null, value: null, through: null, ...remedy }, { matcher, scope }));
  const only = (remedy: Remedy | null): RemedyChoices => ({ remedy, withheld: null });
  if (cause?.kind === "unset-variable") return judgeUsualSetting(choice);
  // Nothing but another port: to free one may mean to stop somebody's process.
  if (cause?.kind === "port-in-use") return only(findWorkingPort(tries, right));
  const missedPath = cause?.kind === "missing-path" ? findSharedPath(right) : null;
  const ids = (some: readonly GroupTry[]) => some.map((one) => one.event.id);
  const moved =
    missedPath === null
      ? null
      : await findMovedPath(db, { failures: ids(right), scope, within, path: missedPath, matcher });
  if (moved !== null) return only({ ...moved, origin: "correction" });
  const findWorking = () =>
    findRemedy(db, {
      failures: ids(failures),
      scope,
      within,
      heads: isEmpty(condition) ? found.heads : [],
      warned: { kind: cause?.kind ?? null, matcher },
    });
  if (isOfSeveral) {
    const shared = findSharedOption(found, tries, within);
    if (shared !== null && (await helps(shared))) return only({ ...shared, origin: "correction" });
    const { remedy, withheld } = await findWorking();
    return { remedy: withoutHeads(remedy, found.heads), withheld };
  }
  const nearby = cause === null || scope.kind === "global" ? null : findNearbyCommand(named, tries, { within, name });
  if (nearby !== null && (await helps(nearby)))
    return only({ ...nearby, tool: null, value: null, through: null, origin: "correction" });
  const { remedy: working, withheld } = await findWorking();
  const remedy = asFirstStep(working, right);
  const taught =
    remedy ??
    withoutTried(asNamed(findOfferedOption(named, tries, name)), withheld) ??
    withoutTried(asNamed(findOfferedSubcommand(named, tries)), withheld) ??
    findSettingBefore(choice) ??
    (await findNamedFirst(db, { heads: found.heads, failures: right, tries, within }));
  return { remedy: taught, withheld };
}

/** What an error offers is not said if it worked only as a part of another act. */
function withoutTried(offered: Remedy | null, withheld: WithheldRemedy | null): Remedy | null {
  const word = offered?.command?.split(" ").at(-1) ?? "";
  return withheld !== null && withheld.line.split(/[\s=;()]+/).includes(word) ? null : offered;
}

/** A command that the errors name as a step before the failing one repairs a state; it does not take its place. */
function asFirstStep(remedy: Remedy | null, failures: readonly GroupTry[]): Remedy | null {
  const main = remedy?.command == null || remedy.origin !== "named" ? null : findMainCommand(remedy.command);
  if (remedy === null || main === null || failures.some(({ head }) => head === main.head)) return remedy;
  const isStep = failures.every(
    ({ event }) =>
      isFirstStep.test(event.error ?? "") && listNamedCommands(event.error ?? "").some((one) => one === main.text),
  );
  return isStep ? { ...remedy, command: null, first: remedy.command } : remedy;
}

const isFirstStep =
  /\bbefore (?:continuing|proceeding|running|you)\b|\band (?:then )?(?:try|run) \S* ?again\b|\bthen (?:re-?run|retry|try)\b|\bout of (?:date|sync)\b/i;

/** The setting with which it always worked, if the law lets agents read its value. */
function judgeUsualSetting({ found, tries, right }: RemedyChoice): RemedyChoices {
  const usual = asNamed(findUsualSetting(found.cause?.thing ?? "", tries));
  const failed = right.at(-1);
  if (usual?.value == null || failed === undefined) return { remedy: usual, withheld: null };
  const failure = { failed: lineOf(failed), error: failed.event.error ?? "" };
  const reason = findSettingFault(usual.value, failure);
  if (reason === null) return { remedy: usual, withheld: null };
  return {
    remedy: null,
    withheld: { line: oneLine(`${usual.value} ${failure.failed}`, 200), origin: "other", reason },
  };
}

function asNamed(remedy: Remedy | null): Remedy | null {
  return remedy === null ? null : { ...remedy, origin: "named" };
}

/** The command with the setting that only the calls that worked had and the error names: `PORT=80 python3 -m app`. */
function findSettingBefore({ found, name, tries, right }: RemedyChoice): Remedy | null {
  const [trait = "", ...others] = found.condition.lacks;
  if (name === undefined || others.length > 0 || !trait.startsWith(SETS_TRAIT)) return null;
  const variable = trait.slice(SETS_TRAIT.length);
  const setting = findUsualSetting(variable, tries)?.value ?? null;
  const naming = right.find(({ event }) => namesWord(event.error ?? "", variable));
  if (setting === null || naming === undefined) return null;
  if (findSettingFault(setting, { failed: lineOf(naming), error: naming.event.error ?? "" }) !== null) return null;
  const worked = tries.findLast((one) => !one.failed && one.traits.has(trait));
  const typed = worked === undefined ? null : typedName(worked);
  const command = `${setting} ${typed ?? name}`;
  return { command, tool: null, value: null, through: null, origin: "named" };
}

/** What the failing calls lack and agents must not be taught, as it was last run. */
function findWithheldLack({ found, tries, right }: RemedyChoice): WithheldRemedy | null {
  const worked = tries.filter((one) => !one.failed && !asksForHelp(lineOf(one)));
  const trait = found.condition.lacks.find((one) => findLackOrigin(one, { failed: right, worked }) === null);
  const by = trait === undefined ? undefined : worked.findLast((one) => one.traits.has(trait));
  const failed = right.at(-1);
  if (by === undefined || failed === undefined) return null;
  const line = lineOf(by);
  const { origin, reason } = judgeRemedy({ failed: lineOf(failed), worked: line, error: failed.event.error ?? "" });
  return reason === null ? null : { line: oneLine(line, 200), origin, reason };
}
