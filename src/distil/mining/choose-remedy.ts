import type { Context } from "../../context.ts";
import { findCommandRisk, findOptionRisk, findSettingRisk } from "../../domain/risk/command-risk.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import { SETS_TRAIT } from "../../domain/shell/traits.ts";
import { isEmpty } from "./as-narrow-as-seen.ts";
import type { FoundCause, GroupTry } from "./find-causes.ts";
import { findMovedPath, findRemedy, type Remedy } from "./find-remedy.ts";
import { findSharedPath } from "./missed-path.ts";
import { withoutHeads } from "./name-heads.ts";
import { findNearbyCommand, findOfferedOption, findSharedOption } from "./nearby-command.ts";
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

/** What to do instead, or null. Never what forces, deletes, skips a check or raises privileges. */
export async function chooseRemedy(db: Context["db"], choice: RemedyChoice): Promise<Remedy | null> {
  const remedy = await findAnyRemedy(db, choice);
  if (remedy === null || isRisky(remedy, choice.found.heads)) return null;
  // A command without its unknown option: the sentence says to leave it out.
  const isBare = choice.found.cause?.kind === "unknown-option" && remedy.command === choice.name;
  return isBare && !remedy.without ? null : remedy;
}

function isRisky({ command, option, value }: Remedy, heads: readonly string[]): boolean {
  return (
    (command !== null && findCommandRisk(command) !== null) ||
    (option != null && heads.some((head) => findOptionRisk(head, option) !== null)) ||
    (value !== null && findSettingRisk(value) !== null)
  );
}

async function findAnyRemedy(db: Context["db"], choice: RemedyChoice): Promise<Remedy | null> {
  const { found, named, name, matcher, tries, failures, right, isOfSeveral, within } = choice;
  const { cause, scope, condition } = found;
  if (cause?.kind === "unset-variable") return findUsualSetting(cause.thing ?? "", tries);
  const missedPath = cause?.kind === "missing-path" ? findSharedPath(right) : null;
  const ids = (some: readonly GroupTry[]) => some.map((one) => one.event.id);
  const moved =
    missedPath === null ? null : await findMovedPath(db, { failures: ids(right), scope, within, path: missedPath });
  if (moved !== null) return moved;
  const findWorking = () =>
    findRemedy(db, {
      failures: ids(failures),
      scope,
      within,
      heads: isEmpty(condition) ? found.heads : [],
      warned: { kind: cause?.kind ?? null, matcher },
    });
  if (isOfSeveral) return findSharedOption(found, tries, within) ?? withoutHeads(await findWorking(), found.heads);
  const nearby = cause === null || scope.kind === "global" ? null : findNearbyCommand(named, tries, { within, name });
  if (nearby !== null) return { ...nearby, tool: null, value: null, through: null };
  return (await findWorking()) ?? findOfferedOption(named, tries, name) ?? findSettingBefore(choice);
}

/** The command with the setting that only the calls that worked had: `PYTHONPATH=src python3 -m app`. */
function findSettingBefore({ found, name, tries }: RemedyChoice): Remedy | null {
  const [trait = "", ...others] = found.condition.lacks;
  if (found.cause === null || name === undefined || others.length > 0 || !trait.startsWith(SETS_TRAIT)) return null;
  const setting = findUsualSetting(trait.slice(SETS_TRAIT.length), tries)?.value ?? null;
  return setting === null ? null : { command: `${setting} ${name}`, tool: null, value: null, through: null };
}
