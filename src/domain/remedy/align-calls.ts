import { isMisspelling } from "../../lib/nearest.ts";
import type { ShellCommand } from "../shell/command.ts";
import { interpreterOf } from "../shell/programs.ts";
import { listWordChanges, type WordChanges } from "./word-changes.ts";

/** Two calls of one program, however it is started, and what differs behind it. */
export interface AlignedCalls {
  /** `same`: started alike. `respelled`: another path, launcher or spelling, or without a wrong prefix. */
  readonly origin: "same" | "respelled";
  readonly changes: WordChanges;
}

/** Null if the second call runs another program. A like name counts only if the error says that the first is missing. */
export function alignPrograms(before: ShellCommand, after: ShellCommand, isMissing: boolean): AlignedCalls | null {
  if (before.words[0] === after.words[0])
    return { origin: "same", changes: listWordChanges(before.words.slice(1), after.words.slice(1)) };
  for (const a of startsOf(before.words))
    for (const b of startsOf(after.words))
      if (isSameProgram(a[0] ?? "", b[0] ?? "", isMissing))
        return { origin: "respelled", changes: listWordChanges(a.slice(1), b.slice(1)) };
  // `rtk bun run test` and `bun run test`.
  if (before.words[1] !== undefined && before.words[1] === after.words[0])
    return { origin: "respelled", changes: listWordChanges(before.words.slice(2), after.words.slice(1)) };
  return null;
}

/** The words as typed, without a launcher or an interpreter, and with `docker compose` as one name. */
function startsOf(words: readonly string[]): readonly (readonly string[])[] {
  const [first = "", second = ""] = words;
  const starts: (readonly string[])[] = [words];
  const launched = launchers.find((launcher) => launcher.every((word, at) => bare(words[at] ?? "") === word));
  if (launched !== undefined && words.length > launched.length) starts.push(words.slice(launched.length));
  if (interpreterOf(bare(first)) !== null && /[/.]/.test(second) && !second.startsWith("-"))
    starts.push(words.slice(1));
  if (/^[a-z]\w*$/.test(second)) starts.push([`${first}-${second}`, ...words.slice(2)]);
  return starts;
}

const launchers: readonly (readonly string[])[] = [
  ..."uv poetry pdm pipenv hatch rye pipx".split(" ").map((program) => [program, "run"]),
  ["npx"],
  ["bunx"],
  ["uvx"],
  ..."npm pnpm yarn".split(" ").flatMap((program) => [
    [program, "exec"],
    [program, "dlx"],
  ]),
  ["bun", "x"],
  ["bundle", "exec"],
  ["python", "-m"],
];

function isSameProgram(one: string, other: string, isMissing: boolean): boolean {
  const [a, b] = [bare(one), bare(other)];
  return a !== "" && (a === b || (isMissing && isMisspelling(a, b)));
}

/** Without its folder and version, and without the `w` of a wrapper script. */
function bare(program: string): string {
  const name = program.slice(program.lastIndexOf("/") + 1).replace(/^(python|pip|node|ruby|php|lua|perl)[\d.]+$/, "$1");
  return name.replace(/^(gradle|mvn)w$/, "$1");
}
