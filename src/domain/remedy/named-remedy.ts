import { causeText } from "../event/cause-text.ts";
import { plainText } from "../event/host-text.ts";
import { findMainCommand, type ShellCommand } from "../shell/command.ts";
import { typedHead } from "../shell/typed-head.ts";

/** The commands that an error tells to run: `please run "terraform init"`. Calls for help are left out. */
export function listNamedCommands(error: string): readonly string[] {
  const text = flatten(error);
  const found = [...text.matchAll(told)].map((match) => (match[1] ?? match[2] ?? "").trim().replace(/[.,:;]+$/, ""));
  return [...new Set(found)].filter((command) => isCommandText(command) && !forHelp.test(command));
}

/** True if the error offers several forms of one command, so that the reader must choose. */
export function offersChoice(error: string, head: string): boolean {
  return listNamedCommands(error).filter((command) => `${command} `.startsWith(`${head} `)).length > 1;
}

/**
 * True if the error lists the option among others to choose from: "`--public`, `--private`, or `--internal` required",
 * "specify which stacks to use or specify `--all`".
 */
export function listsChoice(error: string, option: string): boolean {
  const text = flatten(error);
  return (
    [...text.matchAll(choice)].some(([list]) => namesWord(list, option)) ||
    [...text.matchAll(lastChoice)].some(([, last]) => last === option)
  );
}

const lastChoice = /\bor (?:[a-z]+ ){0,3}["'`‘“]?(--?[A-Za-z][\w-]*)/gi;

const OPTION = String.raw`["'\`‘“(]?--?[A-Za-z][\w-]*["'\`’”)]?(?:[= ]<?[A-Z_]{2,}>?)?`;
const choice = new RegExp(
  String.raw`${OPTION}(?:\s*[,|/]\s*${OPTION})*(?:\s*[|/]\s*|,?\s+or\s+)(?:an?\s+|the\s+)?${OPTION}`,
  "g",
);

/** True if the error names the command as something to run: quoted, or behind a word such as "run" or "use". */
export function namesCommand(error: string, command: ShellCommand): boolean {
  const text = flatten(error);
  const heads = [typedHead(command), command.head, command.words[0] ?? ""].filter(
    (head) => head.includes(" ") || head.includes("/") || head === command.head,
  );
  return heads.some((head) => isAdvised(text, head)) || namesVerb(text, command);
}

/** True if a word occurs as a whole: an option, a variable, a folder, a name. */
export function namesWord(error: string, word: string): boolean {
  if (word === "" || word === "." || word === "/") return false;
  const text = flatten(error);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = " ", after = " "] = [text[at - 1], text[at + word.length]];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}

/** One line, without the sides of a box and prefixes such as `hint:`. */
function flatten(error: string): string {
  return causeText(plainText(error))
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[│┃║╷╵]|hint:|npm (?:error|ERR!)|\((?:\w+)\))[ \t]*/, "").trim())
    .join(" ")
    .replace(/\s+/g, " ");
}

const told =
  /\b(?:run|running|use|using|try|execute|with|via)(?: (?:the command|instead))?:? (?:["'`‘“]([^"'`’”]{3,80})["'`’”]|(?<=run: )((?:[\w./:@=-]+ ){1,4}[\w./:@=-]+)(?= |$))/gi;

const forHelp =
  /(?:^| )(?:--?help|-h|help|--version|tasks|--stacktrace|--info|--debug|--verbose|-v|list|--explain)(?: |$)/;

function isCommandText(command: string): boolean {
  return /^[a-z./][\w./-]*(?: [\w@./:=+-]+)+$/i.test(command) && findMainCommand(command) !== null;
}

function isAdvised(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const before = text.slice(Math.max(0, at - 40), at);
    const after = text.slice(at + phrase.length, at + phrase.length + 2);
    if (/[\w/-]$/.test(before) || /^[\w-]/.test(after)) continue;
    if (against.test(before)) continue;
    if (advising.test(before)) return true;
  }
  return false;
}

/** A word of advice, at most a few words before. */
const advising =
  /\b(?:run|running|use|using|try|execute|with|via|through|mean|e\.g\.,?|to|perhaps|instead:|is) ?:?(?: \S+){0,2} ?["'`‘“]?$/i;
const against = /\b(?:not|n't|never|instead of|while|cannot|unable to|failed to|error:|fatal:|or) ?["'`‘“]?$/i;

/** "Please commit your changes or stash them": a version control system names its subcommands as verbs. */
function namesVerb(text: string, { program, head }: ShellCommand): boolean {
  const verb = head.split(" ")[1];
  if (verb === undefined || !/^(?:git|hg|svn|jj)$/.test(program)) return false;
  return new RegExp(String.raw`\b(?:please|or|must|should|first|need to|have to) ${verb}\b`, "i").test(text);
}
