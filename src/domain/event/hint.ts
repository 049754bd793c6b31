import { causeText } from "./cause-text.ts";

/**
 * Returns what an error suggests: "Did you mean '--target'?". At most three plain words, because we must not repeat a
 * program's whole sentence.
 */
export function findHint(error: string): string | null {
  for (const pattern of hints) {
    const offered = pattern
      .exec(error)?.[1]
      ?.trim()
      .replace(/[.,:?]+$/, "");
    if (offered !== undefined && offered.length <= 60 && /^[\w@./:+=-]+(?: [\w@./:+=-]+){0,2}$/.test(offered))
      return offered;
  }
  return null;
}

/** Programs that an error names in place of others: `"xelatex" or "lualatex" instead of "latex" or "pdflatex"`. */
export function findProgramsInstead(error: string): {
  readonly offered: readonly string[];
  readonly replaced: readonly string[];
} {
  const flat = causeText(error).replace(/\s*\n\s*(?:\(\w+\)\s*|[│┃║]\s*)?/g, " ");
  const manager = packageManagerUsed(flat);
  if (manager !== null) return { offered: [manager], replaced: packageManagers.filter((one) => one !== manager) };
  const [, offered = "", replaced = ""] = insteadOf.exec(flat) ?? [];
  const names = (text: string) => [...text.matchAll(/["'`‘“]([\w.+-]{2,40})["'`’”]/g)].map(([, name = ""]) => name);
  return { offered: names(offered), replaced: names(replaced) };
}

/** Programs that install a project's packages and run its scripts. A project uses one of them. */
export const packageManagers: readonly string[] = ["npm", "pnpm", "yarn", "bun"];

/** The package manager that the project wants, if an error of another one names it; null if none is named. */
function packageManagerUsed(flat: string): string | null {
  for (const form of managerForms) {
    const [, name] = form.exec(flat) ?? [];
    if (name !== undefined) return name;
  }
  return null;
}

const MANAGER = `["'\`]?(${packageManagers.join("|")})["'\`]?`;
/** Of corepack and pnpm, of `only-allow`, of npm's `devEngines`, and of a project's own words. */
const managerForms: readonly RegExp[] = [
  `\\b(?:is )?configured to use ${MANAGER}(?![\\w/-])`,
  `\\b[Uu]se "(${packageManagers.join("|")}) install" for installation in this project`,
  `Invalid name ${MANAGER} does not match "[a-z]+" for "packageManager"`,
  `\\b[Uu]se ${MANAGER} instead\\b`,
  `\\b(?:project|repository|repo|workspace) (?:uses|requires|needs) ${MANAGER}(?![\\w/-])`,
].map((form) => new RegExp(form));

const quotedNames = /["'`‘“][\w.+-]{2,40}["'`’”](?:(?:, | or |, or )["'`‘“][\w.+-]{2,40}["'`’”]){0,4}/.source;
const insteadOf = new RegExp(`(${quotedNames}) (?:instead of|in place of|rather than) (${quotedNames})`);

/** True if a host or a program left out a part of the text: nobody knows what else it said. */
export function isCutOff(error: string): boolean {
  return cut.test(error.trim());
}

const cut =
  /…(?:\]|\s*[([+\d]|$)|\.\.\.\]?$|\btruncated\b|\b(?:characters|lines|chars|bytes) (?:omitted|cut|more|not shown)\b/i;

/** The values that an error lists as possible: `(choose from 'csv', 'json')`. */
export function findChoices(error: string): readonly string[] {
  const [, listed] = choices.exec(error)?.filter((part, at) => at === 0 || part !== undefined) ?? [];
  const values = listed?.split(/,|\bor\b/).map((one) => one.trim().replace(/^["'`]|["'`.]+$/g, "")) ?? [];
  return values.filter((value) => /^[\w.:+-]{1,40}$/.test(value)).slice(0, MOST_CHOICES);
}

const MOST_CHOICES = 40;
const choices =
  /\(choose from ([^)\n]+)\)|\[possible values: ([^\]\n]+)\]|[Aa]llowed choices are ([^\n]+)|\b(?:must be|expected|is not) one of:? ([^\n]+)/;

const hints: readonly RegExp[] = [
  /\bdid you mean(?: one of these| this)?[:?]?\s*["'`‘]?([^"'`’?\n]+)/i,
  /\ba similar (?:argument|subcommand|command|name) exists: ["'`]?([^"'`\n]+)/,
  /\bSome candidates are: '([^'\n]+)'/,
  /\ban? [\w ]{2,30} with a similar name exists: [`'"]([^`'"\n]+)[`'"]/,
  /\bthe most similar command is\s+(\S+)/i,
  /\b(?:perhaps|maybe) you (?:meant|want(?:ed)?)(?: to use)?:? ["'`]?([^"'`?\n]+)/i,
  /\b(?:use|try|run) ["'`]([^"'`\n]+)["'`] instead\b/i,
  /\b[Oo]ption ["'`]?[\w-]+["'`]? (?:was|has been) (?:replaced by|renamed to) ["'`](--?[\w-]+)/,
];
