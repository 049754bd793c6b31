import { join } from "node:path";
import { thisMachine } from "../../config.ts";
import { isLikePath } from "../../domain/text/like-path.ts";
import { findAdvisedCommand } from "../../domain/rule/matching/contradiction.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { checkFactState } from "./fact-state.ts";

/**
 * True if the file that a sentence names in place of a missing one does not exist in the workspace. Other words may name
 * files that the call makes.
 */
export function isAdvisedFileGone(text: string, workspace: string): boolean {
  const missing = /: there is no `([^`]+)`/.exec(text)?.[1];
  const command = findMainCommand(findAdvisedCommand(text) ?? "");
  if (missing === undefined || command === null) return false;
  const folder = command.cwd === null ? workspace : join(workspace, command.cwd);
  return command.words.some(
    (word) => isLikePath(missing, word) && isOfProject(word) && isGone(join(folder, word), workspace),
  );
}

/** A relative path, as typed: no pattern, no variable, no number that stands for others, and no address. */
function isOfProject(path: string): boolean {
  return /^[\w.@][\w.@+/-]*$/.test(path) && path.includes("/");
}

function isGone(subject: string, workspace: string): boolean {
  return checkFactState({ kind: "missing-path", subject, workspace, at: 0 }, thisMachine().env) === "holds";
}
