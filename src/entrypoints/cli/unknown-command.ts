import { OldhandError } from "../../lib/errors.ts";
import { nearestTo } from "../../lib/nearest.ts";

/** What to say to who typed a command that is none, with the one that was probably meant. */
export function unknownCommand(words: readonly string[], names: readonly string[]): OldhandError {
  const [first = "", second = ""] = words;
  const group = names.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1));
  if (group.length > 0) {
    const meant = nearestTo(second, group);
    return new OldhandError("usage", `oldhand ${first} has no "${second}"`, {
      hint: `${meant === null ? "" : `did you mean oldhand ${first} ${meant}? `}it has ${group.join(", ")}`,
    });
  }
  const meant = nearestTo(first, [...new Set(names.map((name) => name.split(" ", 1)[0] ?? name))]);
  return new OldhandError("usage", `there is no command "${first}"`, {
    hint: meant === null ? "oldhand --help lists them" : `did you mean oldhand ${meant}? oldhand --help lists all`,
  });
}
