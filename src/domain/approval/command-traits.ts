import { type ShellCommand, parseCommands } from "../shell/command.ts";
import { parseEveryCommand } from "../shell/every-command.ts";
import { subcommands } from "../shell/programs.ts";
import type { CommandTraits } from "./decide-action.ts";
import { isCredentialPath, isSamePlaceOrBelow } from "./protected-paths.ts";

export interface CommandPlace {
  readonly workspace: string;
  /** The folder the command starts in. */
  readonly cwd: string;
  readonly userHome: string;
  /** Files and folders of oldhand itself. */
  readonly own: readonly string[];
}

/** Reads a command's text. What the text does not prove counts as possible. */
export function readCommandTraits(
  command: string,
  place: CommandPlace,
  { needsNetwork }: { readonly needsNetwork: boolean },
): CommandTraits {
  const isReading = isReadingCommand(command, place);
  const reachesHome = namesOwnFiles(command, place) ? "named" : isReading ? "no" : "unknown";
  return { isReading: isReading && reachesHome === "no", reachesHome, needsNetwork };
}

/**
 * What a yes for the session or for always covers: a program with its subcommand if nothing else can be hidden in the
 * command, else the very text.
 */
export function describeCommandAction(command: string): string {
  const [only, ...others] = parseCommands(command);
  const text = `shell ${command.trim()}`;
  if (only === undefined || others.length > 0 || HIDDEN.test(command)) return text;
  const { head, program, words, wrappers, assignments, redirects, operator } = only;
  const isBare = wrappers.length + assignments.length + redirects.length === 0 && operator === null;
  const parts = head.split(" ");
  // `git -c alias.x=… push` is not `git push`.
  const isPlain = parts.length > 1 && parts.every((part, at) => words[at] === part);
  return isBare && isPlain && subcommands.has(program) && !openEnded.has(head) ? `shell ${head}` : text;
}

/** Expansions, redirections and separators: what a command does is then not in its first words. */
const HIDDEN = /[$`<>;&|\n\r\\*?[\]{}()!~]/;

/** Subcommands that run whatever their arguments name. */
const openEnded: ReadonlySet<string> = new Set(
  "npm exec,npm x,pnpm exec,pnpm dlx,yarn exec,yarn dlx,bun x,bun run,uv run,poetry run,docker run,docker exec,kubectl exec,git config,git clone,go run,cargo run,npm config,git submodule,git bisect,git rebase".split(
    ",",
  ),
);

function isReadingCommand(command: string, place: CommandPlace): boolean {
  const plain = command.replaceAll(/2>\s*\/dev\/null|2>&1/g, " ");
  if (/[$`<>\n\r\\*?[\]{}()!~#]|(?:^|[^&])&(?!&)/.test(plain)) return false;
  const commands = parseEveryCommand(plain);
  return commands.length > 0 && commands.every((one) => isReadingStep(one, place));
}

function isReadingStep({ words, wrappers, assignments, redirects, cwd }: ShellCommand, place: CommandPlace): boolean {
  if (wrappers.length + assignments.length + redirects.length > 0 || cwd !== null) return false;
  const [program = "", ...rest] = words;
  const isGit = program === "git";
  const allowed = isGit ? readingGit.get(rest[0] ?? "") : readingPrograms.get(program);
  if (allowed === undefined) return false;
  const given = isGit ? rest.slice(1) : rest;
  return given.every((word) => (word.startsWith("-") ? allowed.test(word) : isPlainOperand(word, place)));
}

/** Not outside the workspace, and no file that holds secrets. */
function isPlainOperand(word: string, { cwd, workspace }: CommandPlace): boolean {
  const parts = word.split(/[:=,]/);
  return parts.every((part) => {
    const path = resolveText(part, cwd);
    return !isCredentialPath(part) && (path === null || isSamePlaceOrBelow(workspace, path));
  });
}

const none = /^$/;
/** Flags that neither write, nor start a program, nor go through hidden files. */
const readingPrograms: ReadonlyMap<string, RegExp> = new Map([
  ["ls", /^-[A-Za-z1]+$|^--(?:all|almost-all|human-readable|recursive|sort=\w+|time=\w+|reverse|directory)$/],
  ["pwd", /^-[LP]$/],
  ["wc", /^-[lwcmL]+$/],
  ["cat", /^-[AbEnsTv]+$/],
  ["head", /^-(?:[nc]?\d*|q|v)$/],
  ["tail", /^-(?:[nc]?\+?\d*|q|v)$/],
  ["stat", /^-[cLft]+$/],
  ["file", /^-[bi]+$/],
  ["du", /^-[ahscd\d]+$/],
  ["df", /^-[ahT]+$/],
  ["diff", /^-[burNqwB\d]+$/],
  ["basename", none],
  ["dirname", none],
  ["nl", none],
  ["which", /^-a$/],
  ["whoami", none],
  ["uname", /^-[amnrsv]+$/],
  ["echo", /^-[ne]+$/],
  ["true", none],
  ["grep", /^-[nilcvwxEFHhoqsABCm\d]+$/],
]);

const revisions =
  /^-(?:\d+|n|p|s|w|b|M|C)$|^--(?:stat|shortstat|name-only|name-status|oneline|graph|all|cached|staged|short|porcelain|branch|decorate|patch|no-patch|numstat|merges|no-merges|follow|since=[\w.-]+|until=[\w.-]+|author=\w+|no-color|no-pager)$/;
const readingGit: ReadonlyMap<string, RegExp> = new Map([
  ["status", revisions],
  ["log", revisions],
  ["diff", revisions],
  ["show", revisions],
  ["rev-parse", /^--(?:short|abbrev-ref|show-toplevel|git-dir|verify|is-inside-work-tree)$/],
  ["ls-files", /^-[comdst]+$/],
  ["blame", /^-[lsw]+$/],
]);

/** True if the text names oldhand, one of its files, or a folder that contains one. */
function namesOwnFiles(command: string, place: CommandPlace): boolean {
  const text = foldText(command);
  if (/oldhand/.test(text)) return true;
  if (place.own.some((path) => text.includes(foldText(path)))) return true;
  return parseEveryCommand(command).some((one) => {
    const folder = one.cwd === null ? place.cwd : (resolveText(expandHome(one.cwd, place), place.cwd) ?? place.cwd);
    const targets = one.redirects.map(({ target }) => target);
    const values = [...one.words, ...one.assignments, ...targets].flatMap((word) => [
      word,
      word.replace(/^[^=]*=/, ""),
    ]);
    return values.some((word) => leadsToOwn(expandHome(word, place), folder, place));
  });
}

function leadsToOwn(word: string, folder: string, place: CommandPlace): boolean {
  const glob = word.search(/[*?[{]/);
  const fixed = glob < 0 ? word : word.slice(0, word.lastIndexOf("/", glob) + 1);
  if (glob < 0 && !/^[./~]|\//.test(word)) return false;
  const path = resolveText(fixed === "" ? "." : fixed, folder);
  if (path === null) return false;
  const isHere = isSamePlaceOrBelow(place.workspace, path);
  return place.own.some(
    (own) => isSamePlaceOrBelow(own, path) || (!isHere && isSamePlaceOrBelow(path === "" ? "/" : path, own)),
  );
}

function expandHome(word: string, { userHome }: CommandPlace): string {
  return word.replace(/^(?:~(?=\/|$)|\$HOME\b|\$\{HOME\})/, userHome);
}

/** Quotes and backslashes do not change what a shell reads. */
function foldText(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/["'\\]|\p{Cf}/gu, "")
    .toLowerCase();
}

/** The path without `.` and `..`; the root is empty. Null if the word is not a path that the text tells. */
function resolveText(word: string, folder: string): string | null {
  if (/[$`]|^-/.test(word)) return null;
  const full = word.startsWith("/") ? word : `${folder}/${word}`;
  const kept: string[] = [];
  for (const name of full.split("/")) {
    if (name === "..") kept.pop();
    else if (name !== "" && name !== ".") kept.push(name);
  }
  return kept.length === 0 ? "" : `/${kept.join("/")}`;
}
