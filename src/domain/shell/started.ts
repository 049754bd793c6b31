import { shells } from "./programs.ts";

/** The commands that a command starts with words of its own: `find -exec`, `npx`, `uv run`. Each as its words. */
export function startedBy(command: {
  readonly program: string;
  readonly words: readonly string[];
}): readonly (readonly string[])[] {
  if (finders.has(command.program)) return executed(command.words);
  const started = runBy(command.words, command.program);
  return started === null ? [] : [started];
}

const finders: ReadonlySet<string> = new Set(["find", "fd", "fdfind"]);
const executing: ReadonlySet<string> = new Set([
  "-exec",
  "-execdir",
  "-ok",
  "-okdir",
  "-x",
  "-X",
  "--exec",
  "--exec-batch",
]);

/** `find . -exec rm -rf {} + -exec touch x ;` */
function executed(words: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  let open: string[] | null = null;
  for (const word of words) {
    if (open !== null && (word === ";" || word === "+")) open = null;
    else if (open !== null) open.push(word);
    else if (executing.has(word)) found.push((open = []));
  }
  return found;
}

/** Programs that run one of the project's or of a package's, with the subcommands that do. */
const runners: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  // A script that is handed to its shell: `sh ./bin/deploy --all`.
  ...[...shells].map((shell): [string, string[]] => [shell, []]),
  ["npx", []],
  ["pnpx", []],
  ["bunx", []],
  ["uvx", []],
  ["rtk", []],
  ["npm", ["exec", "x"]],
  ["pnpm", ["exec", "dlx"]],
  ["yarn", ["exec", "dlx"]],
  ["bun", ["x"]],
  ["uv", ["run"]],
  ["poetry", ["run"]],
  ["pipenv", ["run"]],
  ["pdm", ["run"]],
  ["rye", ["run"]],
  ["hatch", ["run"]],
  ["bundle", ["exec"]],
  ["mise", ["exec", "x"]],
  ["doppler", ["run"]],
  ["op", ["run"]],
]);

const valueFlags: ReadonlySet<string> = new Set(
  "-p --package -w --workspace --with --python --extra --group --from --env-file --directory --project -C --prefix --filter -F --cwd --config".split(
    " ",
  ),
);

function runBy(words: readonly string[], program: string): readonly string[] | null {
  const verbs = runners.get(program);
  if (verbs === undefined) return null;
  let wanted = verbs.length > 0;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (valueFlags.has(word)) at++;
    else if (word.startsWith("-")) continue;
    else if (!wanted) return [withoutVersion(word), ...words.slice(at + 1)];
    else if (verbs.includes(word)) wanted = false;
    else return null;
  }
  return null;
}

/** `prisma@5.1` is prisma. */
function withoutVersion(word: string): string {
  const at = word.lastIndexOf("@");
  return at > 0 ? word.slice(0, at) : word;
}
