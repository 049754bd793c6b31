import { coversArguments } from "./command-cover.ts";

/** What a yes for the session, or for always, covers: an approval's `action` in words for a person. */
export function describeCover(action: string): string {
  if (action.startsWith("shell ") && !MARK.test(action))
    return `run ${action.slice("shell ".length)}${coversArguments(action) ? ANY_ARGUMENTS : " (exactly this command)"}`;
  const shown = action
    .replace(MARK, " (exactly this one)")
    // A protected file is an action of its own.
    .replace(/ \((?:host|credentials|own|outside): (.+)\)/, ", only $1");
  return verbs.reduce((text, [pattern, words]) => text.replace(pattern, words), shown);
}

const ANY_ARGUMENTS =
  " in this workspace, with any arguments but those that may name another folder, a file to write or a program";

/** The sentence below a question. */
export function explainCover(action: string): string {
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
