import type { ShellCommand } from "../shell/command.ts";
import { isPublicAddress } from "../../lib/public-address.ts";
import { parseEveryCommand } from "../shell/every-command.ts";
import { findPattern } from "./command-pattern.ts";
import type { CommandTraits } from "./decide-action.ts";
import { readingGit, readingPrograms } from "./harmless-options.ts";
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
  const secret = findSecret(command);
  const contacts = findContact(command);
  return {
    ...{ isReading: isReading && reachesHome === "no", reachesHome, needsNetwork },
    ...(secret === undefined ? {} : { secret }),
    ...(contacts === undefined ? {} : { contacts }),
  };
}

function findSecret(command: string): string | undefined {
  return parseEveryCommand(command)
    .flatMap(({ program, words, redirects }) => {
      const given = words.slice(1);
      const pattern = findPattern(program, given);
      const files = given.filter((word, at) => word !== pattern || given.indexOf(word) !== at);
      return [...files, ...redirects.map(({ target }) => target)];
    })
    .flatMap((word) => word.split(/[:=,]/))
    .find((part) => isCredentialPath(part));
}

/** The host that a command plainly names to contact, with what it is if it is not a public one. */
function findContact(command: string): string | undefined {
  const hosts = parseEveryCommand(command)
    .filter(({ program }) => clients.has(program))
    .flatMap(({ words }) => words.slice(1).flatMap((word) => hostOf(word) ?? []));
  const closed = hosts.find((host) => /^(?:localhost|.*\.local(?:host)?)$/i.test(host) || isClosedAddress(host));
  return closed === undefined ? hosts[0] : `${closed}, an address of this machine or its network`;
}

function isClosedAddress(host: string): boolean {
  return /^[\d.]+$|:/.test(host) && !isPublicAddress(host);
}

function hostOf(word: string): string | null {
  const bare = /^(?:localhost|\d+(?:\.\d+){3}|\[[\da-fA-F:]+\])(?=[:/]|$)/.exec(word);
  const typed = bare === null ? word : `http://${word}`;
  return /^https?:\/\//i.test(typed) && URL.canParse(typed)
    ? new URL(typed).hostname.replace(/^\[(.*)\]$/, "$1")
    : null;
}

const clients: ReadonlySet<string> = new Set(["curl", "wget", "http", "https", "xh"]);

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

/** True if the text names oldhand, one of its files, or a folder that contains one. */
function namesOwnFiles(command: string, place: CommandPlace): boolean {
  // A worktree lies in oldhand's home: its own path says nothing.
  const text = foldText(isWorktree(place) ? command.replaceAll(place.workspace, ".") : command);
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

function isWorktree({ own, workspace }: CommandPlace): boolean {
  return own.some((one) => one !== workspace && isSamePlaceOrBelow(one, workspace));
}

function leadsToOwn(word: string, folder: string, place: CommandPlace): boolean {
  const glob = word.search(/[*?[{]/);
  const fixed = glob < 0 ? word : word.slice(0, word.lastIndexOf("/", glob) + 1);
  if (glob < 0 && !/^[./~]|\//.test(word)) return false;
  const path = resolveText(fixed === "" ? "." : fixed, folder);
  if (path === null) return false;
  const isHere = isSamePlaceOrBelow(place.workspace, path);
  if (isHere && isWorktree(place)) return false;
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
