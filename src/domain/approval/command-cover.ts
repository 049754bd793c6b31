import { parseCommands } from "../shell/command.ts";
import { subcommands } from "../shell/programs.ts";
import { findPattern } from "./command-pattern.ts";
import { isCoverableOption, readingPrograms, takesText } from "./harmless-options.ts";
import { isCredentialPath } from "./protected-paths.ts";

/**
 * What a yes for the session or for always covers: a program with its subcommand if the command consists of nothing but
 * that, harmless options, and operands that stay in the workspace. Else the very text. So a yes to `git diff` does not
 * cover `git diff --output=x`.
 */
export function describeCommandAction(command: string): string {
  return `shell ${findWideHead(command) ?? command.trim()}`;
}

/** True if the action of a command stands for a program with its subcommand and not for one very text. */
export function coversArguments(action: string): boolean {
  const text = action.replace(/^shell /, "");
  return text !== action && findWideHead(text) === text;
}

function findWideHead(command: string): string | null {
  const [only, ...others] = parseCommands(command);
  if (only === undefined || others.length > 0 || HIDDEN.test(command)) return null;
  const { head, program, words, wrappers, assignments, redirects, operator } = only;
  const isBare = wrappers.length + assignments.length + redirects.length === 0 && operator === null;
  if (isBare && readers.has(program) && words[0] === program) return findReaderHead(program, words.slice(1));
  const parts = head.split(" ");
  // `git -c alias.x=… push` is not `git push`.
  const isPlain = parts.length > 1 && parts.every((part, at) => words[at] === part);
  if (!isBare || !isPlain || !subcommands.has(program) || isOpenEnded(parts)) return null;
  return areCovered(head, words.slice(parts.length)) ? head : null;
}

/** Programs that only show what is in the files that they name, with these options. What goes through folders is not here. */
const readers: ReadonlyMap<string, RegExp> = new Map([
  ...["cat", "head", "tail", "ls", "wc", "nl", "stat", "file", "grep"].map(
    (name) => [name, readingPrograms.get(name) ?? /^$/] as const,
  ),
  ["sed", /^-n$/],
  ["find", /^-(?:name|iname|path|type|maxdepth|mindepth|size|mtime|mmin|newer|print|empty)$/],
]);

function findReaderHead(program: string, words: readonly string[]): string | null {
  const options = readers.get(program) ?? /^$/;
  const pattern = findPattern(program, words);
  if (program === "sed" && (words[0] !== "-n" || (pattern !== null && !SHOWS_LINES.test(pattern)))) return null;
  const areHarmless = words.every((word, at) => {
    if (word === pattern && words.indexOf(word) === at) return true;
    return word.startsWith("-") ? options.test(word) : staysInside(word);
  });
  return areHarmless ? (program === "sed" ? "sed -n" : program) : null;
}

/** Of `sed -n`: lines by number, such as `5p` or `1,20p`. */
const SHOWS_LINES = /^\d+(?:,\d+)?p$/;

function areCovered(head: string, words: readonly string[]): boolean {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word.startsWith("-") ? !isCoverableOption(head, word) : !staysInside(word)) return false;
    // The text itself is not an argument, also if it looks like an option.
    if (at < end && takesText(head, word)) at++;
  }
  return true;
}

/**
 * True for an operand that cannot lead out of the workspace, wherever in the workspace the command starts. A colon may be
 * part of an address (`host:path`, `ext::program`), `=` sets a variable, `@` names a file with more arguments, and `+`
 * overwrites a branch.
 */
function staysInside(word: string): boolean {
  return (
    !/^[/@+]|[:=]/.test(word) && !word.split(/[/,]/).includes("..") && !/,\//.test(word) && !isCredentialPath(word)
  );
}

/** Expansions, redirections and separators: what a command does is then not in its first words. */
const HIDDEN = /[$`<>;&|\n\r\\*?[\]{}()!~]/;

function isOpenEnded([program = "", verb = ""]: readonly string[]): boolean {
  return runners.has(program) || openEnded.has(`${program} ${verb}`);
}

/** Programs that run whatever is named behind them. */
const runners: ReadonlySet<string> = new Set("npx bunx uvx xcrun php".split(" "));

/** Subcommands that run, fetch or configure whatever their operands name. */
const openEnded: ReadonlySet<string> = new Set(
  [
    "npm exec,npm x,npm config,npm set,npm pkg,npm install,npm i,npm add,npm link,npm init,npm create",
    "pnpm exec,pnpm dlx,pnpm config,pnpm install,pnpm i,pnpm add,pnpm link,pnpm create",
    "yarn exec,yarn dlx,yarn config,yarn add,yarn link,yarn create,bun x,bun run,bun add,bun install,bun link,bun create",
    "uv run,uv pip,uv tool,uv add,uvx run,poetry run,poetry add,poetry config,pdm run,pdm add,hatch run,rye run,pipenv run,pipenv install,pipx run,pipx install",
    "conda run,conda install,conda config,mamba run,mamba install,bundle exec,bundle config,mise run,mise exec,mise x,asdf plugin,deno run,deno eval,deno install",
    "go run,go install,go get,go tool,go generate,go env,cargo run,cargo install,cargo add,rustup run,dotnet run,dotnet tool,dotnet exec",
    "docker run,docker exec,docker compose,docker container,docker cp,docker context,podman run,podman exec,podman compose,podman container,podman cp,docker-compose run,docker-compose exec",
    "kubectl exec,kubectl run,kubectl cp,kubectl config,kubectl debug,gh extension,gh alias,gh api,gh config,helm plugin,helm repo",
    "git config,git clone,git submodule,git bisect,git rebase,git remote,git worktree,git difftool,git mergetool,git filter-branch,git hook,git lfs,git bundle,git archive,git init,git send-email,git daemon,git upload-pack,git receive-pack,git for-each-repo,git am,git apply,git help,git instaweb,git sparse-checkout",
  ].flatMap((line) => line.split(",")),
);
