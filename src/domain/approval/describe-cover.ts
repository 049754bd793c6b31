import { type Approval, isOnceOnly, leavesSandbox } from "./approval.ts";
import { coversArguments } from "./command-cover.ts";

/** What a yes for the session, or for always, covers: an approval's `action` in words for a person. */
export function describeCover(action: string): string {
  if (isOnceOnly({ action })) return "only this call";
  if (leavesSandbox({ action })) return `${describeCover(action.replace(/^outside: /, ""))}${ANYWHERE}`;
  if (action.startsWith("shell ") && !MARK.test(action))
    return `run ${action.slice("shell ".length)}${coversArguments(action) ? ANY_ARGUMENTS : " (exactly this command)"}`;
  const shown = action
    .replace(MARK, " (exactly this one)")
    // A protected file is an action of its own.
    .replace(/ \((?:host|credentials|own|outside): (.+)\)/, ", only $1");
  return verbs.reduce((text, [pattern, words]) => text.replace(pattern, words), shown);
}

const ANY_ARGUMENTS =
  " in this workspace, also with other arguments. It asks again if an argument could name a file outside this folder, a file to write, or a program to run";

const ANYWHERE =
  ". It runs outside the sandbox, with your files and network. It asks again after a change of what may decide what it runs";

/** The keys that answer a question. */
export function formatAnswerKeys(isOnce: boolean, key: (letter: string) => string = (letter) => `[${letter}]`): string {
  return isOnce
    ? `${key("y")}es  ${key("n")}o`
    : `${key("y")}es once  ${key("s")}ession  ${key("a")}lways  ${key("n")}o`;
}

/** The sentence below a question; empty if a yes is for this call only. */
export function explainCover({ action }: Pick<Approval, "action">): string {
  if (isOnceOnly({ action })) return "";
  return `A yes for the session, or for always, covers: ${describeCover(action)}`;
}

/** It tells actions apart that are too long, or whose secrets were removed. */
const MARK = / h_[0-9a-z]+$/;

const verbs: readonly (readonly [RegExp, string])[] = [
  [/^shell /, "run "],
  [/^web_fetch /, "fetch pages of "],
  [/^web_search /, "search with "],
  [/^http_request (\S+) /, "send $1 requests to "],
];
