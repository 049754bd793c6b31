import { readdirSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { CommandTraits } from "../../../domain/approval/decide-action.ts";
import { isCredentialPath } from "../../../domain/approval/protected-paths.ts";
import { parseEveryCommand } from "../../../domain/shell/every-command.ts";
import { systemErrorCode } from "../../../lib/errors.ts";

/**
 * What a command's text does not show about the files that it names: where links lead, and what `*` stands for. It only
 * gives a reason: until the command runs, all of it may change.
 */
export function readNamedFiles(
  command: string,
  { workspace, cwd }: { readonly workspace: string; readonly cwd: string },
): Pick<CommandTraits, "secret" | "linked"> {
  const root = realOf(workspace) ?? workspace;
  const words = parseEveryCommand(command)
    .flatMap(({ words: all, redirects }) => [...all.slice(1), ...redirects.map(({ target }) => target)])
    .filter((word) => !word.startsWith("-") && !isAbsolute(word) && !/^~|\$|`|:\/\//.test(word));
  for (const word of words.slice(0, MOST_WORDS)) {
    for (const name of expand(word, cwd)) {
      if (name !== word && isCredentialPath(name)) return { secret: name };
      const real = realOf(join(cwd, name));
      if (real === null || isOutside(workspace, join(cwd, name))) continue;
      const isSecret = isCredentialPath(real);
      if (isOutside(root, real))
        return { linked: `${name} leads to ${real}, outside the workspace.`, ...(isSecret ? { secret: real } : {}) };
      const inside = relative(root, real);
      if (isCredentialPath(inside) && !isCredentialPath(name))
        return { linked: `${name} leads to ${inside}, which may hold passwords or keys.`, secret: inside };
    }
  }
  return {};
}

const MOST_WORDS = 200;
const MOST_NAMES = 1_000;

function isOutside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
}

/** The names that a word with `*`, `?` or `[…]` stands for, as a shell reads it; else the word itself. */
function expand(word: string, cwd: string): readonly string[] {
  if (!/[*?[]/.test(word)) return [word];
  let names: readonly string[] = [""];
  for (const part of word.split(/[\\/]/)) {
    names = names
      .flatMap((name) => {
        if (!/[*?[]/.test(part)) return [join(name, part)];
        const fits = toPattern(part);
        return fits === null
          ? []
          : listNames(join(cwd, name))
              .filter((one) => fits.test(one) && (part.startsWith(".") || !one.startsWith(".")))
              .map((one) => join(name, one));
      })
      .slice(0, MOST_NAMES);
  }
  return names;
}

function toPattern(part: string): RegExp | null {
  const text = part
    .replaceAll(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
    .replaceAll("[!", "[^");
  try {
    return new RegExp(`^${text}$`, "s");
  } catch {
    return null;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return [];
  }
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return null;
  }
}
