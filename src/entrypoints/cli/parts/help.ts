import type { Operation } from "../../../operation.ts";
import { version } from "../../../version.ts";
import { aliases } from "./aliases.ts";
import { type FlagInfo, globalFlags } from "./arguments.ts";
import type { CliCommand } from "./command.ts";
import { examples, groupCommands } from "./groups.ts";

/** What a list shows of a command. */
type Listed = Pick<Operation | CliCommand, "name" | "summary">;

/** All commands, grouped by purpose; a family (`rules list`, `rules show`, …) gets one line. */
export function formatOverview(all: readonly Listed[]): string {
  return [
    `oldhand ${version}: turns any AI agent into an old hand`,
    "",
    "usage: oldhand COMMAND [--json] [--home DIR] [--now TIME]",
    ...groupCommands(all).flatMap(({ title, members }) => ["", `${title}:`, ...formatMembers(members)]),
    "",
    "Examples:",
    ...examples.map(([typed, does]) => `  ${typed}\n      ${does}`),
    "",
    "Short forms: oldhand approve ID, oldhand reject ID, oldhand mute ID, oldhand search TEXT.",
    "`oldhand COMMAND --help` explains a command; `oldhand help rules` lists all commands about rules.",
  ].join("\n");
}

function formatMembers(members: readonly Listed[]): readonly string[] {
  const families = new Map<string, Listed[]>();
  for (const one of members) {
    const word = one.name.split(" ", 1)[0] ?? one.name;
    families.set(word, [...(families.get(word) ?? []), one]);
  }
  return [...families].map(([word, family]) => {
    const [only] = family;
    if (family.length === 1 && only) return `  ${only.name.padEnd(14)} ${takeFirstSentence(only.summary)}`;
    const alone = family.find((one) => one.name === word);
    const names = family.filter((one) => one !== alone).map((one) => one.name.slice(word.length + 1));
    const own = alone === undefined ? "" : `${takeFirstSentence(alone.summary)} Also: `;
    return `  ${word.padEnd(14)} ${own}${names.join(", ")}`;
  });
}

/** The rest is shown by the command's own `--help`. */
function takeFirstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

/** The commands that begin with one word: `rules` has `rules list`, `rules show` and more. Null if there are none. */
export function formatGroupHelp(group: string, all: readonly Listed[]): string | null {
  const members = all.filter((one) => one.name.startsWith(`${group} `));
  if (members.length === 0) return null;
  const bare = [`${group} list`, `${group} show`].find((name) => members.some((one) => one.name === name));
  const width = Math.max(...members.map((one) => one.name.length));
  return [
    `usage: oldhand ${group} COMMAND [--json] [--home DIR] [--now TIME]`,
    "",
    ...members.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}`),
    "",
    ...(bare === undefined ? [] : [`oldhand ${group} is oldhand ${bare}.`]),
    ...listShortForms(group),
    `oldhand ${group} COMMAND --help explains one command.`,
  ].join("\n");
}

/** `oldhand approve is oldhand rules approve.` */
function listShortForms(group: string): readonly string[] {
  return Object.entries(aliases)
    .filter(([short, [first]]) => first === group && !short.includes(" "))
    .map(([short, whole]) => `oldhand ${short} is oldhand ${whole.join(" ")}.`);
}

export function formatCommandHelp(command: CliCommand): string {
  return formatHelp(`oldhand ${command.usage}`, command.summary, command.flags, []);
}

export function formatHelp(
  usage: string,
  summary: string,
  flags: readonly FlagInfo[],
  words: readonly FlagInfo[],
): string {
  const line = (name: string, flag: FlagInfo) => {
    const extra = [
      flag.required ? "required" : "",
      flag.values.length > 0 ? flag.values.join(", ") : "",
      flag.fallback === null ? "" : `default ${flag.fallback}`,
    ]
      .filter(Boolean)
      .join("; ");
    return `  ${name.padEnd(18)} ${flag.summary}${extra === "" ? "" : ` (${extra})`}`;
  };
  return [
    `usage: ${usage}`,
    "",
    summary,
    "",
    ...words.map((flag) => line(flag.name.toUpperCase(), flag)),
    ...[...flags, ...globalFlags].map((flag) => line(`--${flag.canBeOff ? "[no-]" : ""}${flag.flag}`, flag)),
  ].join("\n");
}
