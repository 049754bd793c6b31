import { OldhandError } from "../../../lib/errors.ts";
import { findNearestName } from "../../../lib/nearest.ts";
import { otherCommandNames } from "./meant-word.ts";

/** The error for an unknown command, with a suggestion. */
export function unknownCommandError(words: readonly string[], names: readonly string[]): OldhandError {
  const [first = "", second = ""] = words;
  if (first.startsWith("-")) return unknownFlagError(first);
  const group = names.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1));
  if (group.length > 0) {
    if (second === "" || second.startsWith("-"))
      return new OldhandError("usage", `oldhand ${first} needs a second word`, {
        hint: group.map((name) => `oldhand ${first} ${name}`).join(", or "),
      });
    const near = findNearestName(second, group);
    const meant = otherCommandNames[`${first} ${second}`] ?? (near === null ? null : `${first} ${near}`);
    return new OldhandError("usage", `oldhand ${first} has no "${second}"`, {
      hint: `${meant === null ? "" : `did you mean oldhand ${meant}? `}it has ${group.join(", ")}`,
    });
  }
  const commands = [...new Set(names.map((name) => name.split(" ", 1)[0] ?? name))];
  const meant = otherCommandNames[first] ?? findNearestName(first, commands) ?? otherCommandNames[second];
  return new OldhandError("usage", `there is no command "${first}"`, {
    hint: meant === undefined ? "oldhand --help lists them" : `did you mean oldhand ${meant}? oldhand --help lists all`,
  });
}

function unknownFlagError(typed: string): OldhandError {
  const meant = findNearestName(typed, ["--version", "--help", "--home", "--json", "--now"]);
  return new OldhandError("usage", `unknown option '${typed}'`, {
    hint: meant === null ? "oldhand --help" : `did you mean ${meant}? oldhand --help lists all`,
  });
}
