import { interpreterOf, isScript } from "./programs.ts";

/** Returns the commands that a command starts, each as words: for `find -exec`, `npx`, `uv run`. */
export function findStartedCommands(command: {
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

/** Programs that run a program of the project or of a package, and the subcommands that do so. */
const runners: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
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
  const script = scriptHandedTo(program, words);
  if (script > 0) return words.slice(script);
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

/**
 * Returns the index of the script that an interpreter runs, also if a runner starts the interpreter. Words before it
 * belong to the interpreter, words after it to the script. -1 if there is none.
 */
export function findScriptIndex(program: string, words: readonly string[]): number {
  const at = scriptHandedTo(program, words);
  if (at > 0 || !runners.has(program)) return at;
  const started = runBy(words, program);
  const [first = ""] = started ?? [];
  if (started === null) return -1;
  const inside = isScript(first) ? 0 : scriptHandedTo(first.slice(first.lastIndexOf("/") + 1), started);
  return inside < 0 ? -1 : words.length - started.length + inside;
}

function scriptHandedTo(program: string, words: readonly string[]): number {
  const interpreter = interpreterOf(program);
  if (interpreter === null) return -1;
  let { verb } = interpreter;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "-" || interpreter.code.test(word)) return -1;
    // `bash -euo pipefail x.sh`: in a group of short flags the last takes the value.
    if (interpreter.values.has(word) || interpreter.values.has(word.replace(/^([-+])[a-z]+(?=[A-Za-z]$)/, "$1"))) at++;
    else if (/^[-+]/.test(word)) continue;
    else if (word === verb) verb = undefined;
    // `bun test` and `deno fmt` run no script.
    else
      return interpreter.verb === undefined || (isScript(word) && (verb === undefined || program === "bun")) ? at : -1;
  }
  return -1;
}

/** `prisma@5.1` is prisma. */
function withoutVersion(word: string): string {
  const at = word.lastIndexOf("@");
  return at > 0 ? word.slice(0, at) : word;
}
