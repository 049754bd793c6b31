import { isTestRunner } from "../event/alternative-call.ts";
import { isBypassValue } from "../risk/bypass-words.ts";
import { isLoaded } from "../risk/loaded-words.ts";
import type { ShellCommand } from "../shell/command.ts";
import { findRunScript } from "../shell/run-script.ts";
import { onlyShows } from "../shell/only-shows.ts";
import { manifests } from "../shell/script-runners.ts";
import { isSameScript, splitName } from "../text/same-words.ts";
import { mayReplaceValue } from "./judge-options.ts";
import { offersOnly } from "./only-offer.ts";
import { correction, named, other, type RemedyPart } from "./remedy-part.ts";
import { saysSomethingUnknown, saysUnknown } from "./says-unknown.ts";
import type { WordChanges } from "./word-changes.ts";

interface OperandCase {
  readonly before: ShellCommand;
  readonly error: string;
  /** True if the program is the same, but started in another way. */
  readonly isRespelled: boolean;
}

/** Operands: a name that the error calls unknown, and what stands in its place. */
export function judgeOperands(
  { added: words, removed, removedOptions }: WordChanges,
  { before, error, isRespelled }: OperandCase,
): readonly RemedyPart[] {
  // The value of an option that was left out goes with it.
  const gone = removed.filter((word) => !removedOptions.some((option) => option.value === word));
  if (words.length === 0) {
    // The program elsewhere, on less: the sentence says only how it is started.
    if (isRespelled || gone.length === 0 || onlyShows(before)) return [];
    return [other(`it does other work, without \`${gone[0] ?? ""}\``)];
  }
  // An error without a name can only speak of the one thing that was asked for.
  const isOnly = removed.length === 1 && words.length === 1;
  const isOffered = (word: string) => isOnly && offersOnly(error, word) && !isLoaded(word);
  const wrong = gone.filter((word) => saysUnknown(error, word) || (isOnly && isElsewhere(error, word, words)));
  const isOfScripts = manifests.has(before.program) || /^gradlew?$/.test(before.program);
  return words.map((word) => {
    const isSame = wrong.some((one) =>
      isOfScripts ? isSameScript(word, one) : isSameThing(word, one, { before, error }),
    );
    if (wrong.length > 0 && isBypassValue(word)) return other(`\`${word}\` may switch off a check`);
    if (isSame) return correction;
    if (isOffered(word) && !isOfScripts) return named;
    const [one] = wrong;
    return other(
      one === undefined
        ? `it does other work, with \`${word}\``
        : `nothing shows that \`${word}\` does the same as \`${one}\``,
    );
  });
}

function isSameThing(
  word: string,
  wrong: string,
  { before, error }: { readonly before: ShellCommand; readonly error: string },
): boolean {
  if (onlyShows(before) || mayReplaceValue(wrong, word, error)) return true;
  // The same file elsewhere, for programs that do not change it; and the branch that took the name of another.
  return (
    (isTestRunner(before) && lastName(word) === lastName(wrong) && wrong.includes("/")) ||
    (findRunScript(before)?.script === wrong && isMovedProgram(wrong, word)) ||
    (readsBranch.test(before.head) && mainBranches.has(word) && mainBranches.has(wrong))
  );
}

const readsBranch = /^git (?:checkout|switch|diff|log|show|merge-base|rev-parse|rev-list)$/;
const mainBranches: ReadonlySet<string> = new Set("main master origin/main origin/master".split(" "));

/** The same name in another folder, which does not say that it reaches more. */
export function isMovedProgram(from: string, to: string): boolean {
  const [old, now] = [from, to].map((path) =>
    splitName(path.replace(/^\/(?:home|Users)\/[^/]+/, "").replace(/[^/]*$/, "")),
  );
  return lastName(from) === lastName(to) && (now?.some(isLoaded) !== true || old?.some(isLoaded) === true);
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** True if the error says only that something was not found, and the new path has a name in common with the old one. */
function isElsewhere(error: string, word: string, others: readonly string[]): boolean {
  const names = word.split("/").filter(Boolean);
  const isLike = others.some((other) => other.split("/").some((name) => names.includes(name)));
  return isLike && word.includes("/") && saysSomethingUnknown(error);
}
