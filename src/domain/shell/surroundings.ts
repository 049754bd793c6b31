import { findInnerScript, maxNesting, parseCommands, type ShellCommand, unwrapWords } from "./command.ts";
import { parseWithSubstitutions, type Redirect } from "./parse.ts";
import { listOwnSettings } from "./variables.ts";

/**
 * Why what is around the call makes another act of it: variables that are set for it, what it reads, and the shell that
 * runs it. Null if it is the same as around the failed call. An error need not name any of it.
 */
export function findOtherSurroundings(failed: string, worked: string): string | null {
  return findOtherSettings(failed, worked) ?? findOtherInput(failed, worked) ?? findMoreShell(failed, worked);
}

/** If the failed line sets variables, the same ones must get the same values. */
export function findOtherSettings(failed: string, worked: string): string | null {
  const [before, after] = [failed, worked].map((line) => readLine(line).settings);
  if (before === undefined || after === undefined || before.length === 0) return null;
  const changed = before.find((one) => !after.includes(one)) ?? after.find((one) => !before.includes(one));
  return changed === undefined ? null : `it does not set \`${changed.split("=", 1)[0]}\` as the failed call did`;
}

function findOtherInput(failed: string, worked: string): string | null {
  const [before, after] = [failed, worked].map((line) =>
    [
      ...readLine(line).inputs,
      ...withoutFilters(parseCommands(line)).flatMap(({ operator, text }) => (operator === "|" ? [text] : [])),
    ].join("\n"),
  );
  return before === after ? null : "it reads other input than the failed call did";
}

/** What the shell does around the call may answer a question, hide a failure or go on after it. */
function findMoreShell(failed: string, worked: string): string | null {
  const known = new Set(readLine(failed).shell);
  const more = readLine(worked).shell.find((one) => !known.has(one));
  return more === undefined ? null : `the shell around it is not the same: \`${more}\``;
}

/** The commands without those that only show what comes out of the one before them, or a part of it: `| tail -20`. */
export function withoutFilters(commands: readonly ShellCommand[]): readonly ShellCommand[] {
  const kept = [...commands];
  for (let at = kept.length - 1; at > 0; at--) {
    const [before, command] = [kept[at - 1], kept[at]];
    if (before?.operator !== "|" || command === undefined || command.operator === "|" || !isFilter(command)) continue;
    kept.splice(at - 1, 2, { ...before, operator: command.operator });
  }
  return kept;
}

function isFilter({ program, words, wrappers, redirects }: ShellCommand): boolean {
  if (wrappers.length > 0 || redirects.some((one) => !isMerge(one))) return false;
  if (program === "sed") return words.length === 3 && words[1] === "-n" && /^[\d,$;p]+p$/.test(words[2] ?? "");
  return filters.has(program) && !words.some((word) => /^(?:-o|--output)/.test(word));
}

/** `tee` writes a file too, which counts as a part of the shell around the call. */
const filters: ReadonlySet<string> = new Set(
  "head tail grep egrep fgrep rg wc sort uniq cut tr column nl tac cat less more jq tee".split(" "),
);

interface LineParts {
  readonly settings: readonly string[];
  /** Files and texts that commands of the line read. */
  readonly inputs: readonly string[];
  /** How commands are joined and started, and where their output goes. */
  readonly shell: readonly string[];
}

function readLine(line: string, depth = 0): LineParts {
  const { commands, structures } = parseWithSubstitutions(line);
  const settings: string[] = [];
  const inputs: string[] = [];
  const shell = [...structures];
  for (const simple of commands) {
    const { words, by, assignments } = unwrapWords(simple.words);
    const inner = depth < maxNesting ? findInnerScript(words, simple) : null;
    const within = inner === null ? null : readLine(inner, depth + 1);
    settings.push(...simple.assignments, ...assignments, ...listOwnSettings(words), ...(within?.settings ?? []));
    inputs.push(...(within?.inputs ?? []));
    if (within !== null) shell.push(`${words.slice(0, 2).join(" ")} …`, ...within.shell);
    const options = simple.words.slice(0, simple.words.length - words.length);
    shell.push(...by.filter((name) => name !== "env"));
    if (by.includes("env")) shell.push(...options.filter((word) => word.startsWith("-")).map((word) => `env ${word}`));
    for (const redirect of simple.redirects) {
      if (redirect.kind.startsWith("<") && inner === null) inputs.push(written(redirect));
      else if (!isMerge(redirect)) shell.push(written(redirect));
    }
  }
  return { settings, inputs, shell: [...shell, ...listJoints(line)] };
}

/** Each way of joining but `&&` and `cd`, whose commands are judged by themselves. */
function listJoints(line: string): readonly string[] {
  const commands = parseCommands(line);
  const kept = withoutFilters(commands);
  const joints = kept.flatMap(({ operator }, at) => {
    const isLast = at === kept.length - 1;
    return operator === null || operator === "&&" || (isLast && operator !== "&") ? [] : [operator];
  });
  return [...joints, ...commands.flatMap((one) => (one.program === "tee" && !kept.includes(one) ? [one.text] : []))];
}

/** `2>&1` loses nothing. */
function isMerge({ kind, target }: Redirect): boolean {
  return kind === ">&" && /^[12]$/.test(target);
}

function written({ kind, descriptor, target, body }: Redirect): string {
  return `${descriptor ?? ""}${kind}${target}${body === null ? "" : `\n${body}`}`;
}
