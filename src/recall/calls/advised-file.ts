import { join } from "node:path";
import { thisMachine } from "../../config.ts";
import { isLikePath } from "../../domain/text/like-path.ts";
import { findAdvisedCommand } from "../../domain/rule/matching/contradiction.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { checkFactState } from "./fact-state.ts";

/**
 * True if the file that a sentence names in place of a missing one does not exist in the workspace, nor in the folder of the
 * call: a rule that was learned in a subfolder has paths from there. Other words may name files that the call makes.
 */
export function isAdvisedFileGone(
  text: string,
  { workspace, cwd }: { workspace: string; cwd: string | null },
): boolean {
  const [, place, script] = /^Run `[^`]+` in `([^`]+)`: there is no `([^`]+)` in /.exec(text) ?? [];
  if (place !== undefined && script !== undefined)
    return isGone(join(workspace, place, script), workspace) || !isGone(join(cwd ?? workspace, script), workspace);
  const missing = /: there is no `([^`]+)`/.exec(text)?.[1];
  const command = findMainCommand(findAdvisedCommand(text) ?? "");
  if (missing === undefined || command === null) return false;
  const folders = [workspace, cwd ?? workspace].map((one) => (command.cwd === null ? one : join(one, command.cwd)));
  return command.words.some(
    (word) =>
      isLikePath(missing, word) &&
      isOfProject(word) &&
      folders.every((folder) => isGone(join(folder, word), workspace)),
  );
}

/** A relative path, as typed: no pattern, no variable, no number that stands for others, and no address. */
function isOfProject(path: string): boolean {
  return /^[\w.@][\w.@+/-]*$/.test(path) && path.includes("/");
}

function isGone(subject: string, workspace: string): boolean {
  return checkFactState({ kind: "missing-path", subject, workspace, at: 0 }, thisMachine().env) === "holds";
}
