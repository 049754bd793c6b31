import type { ShellCommand } from "../shell/command.ts";

/**
 * True of a command that is known to change nothing but the project's own dependencies, build or working copy. Of what
 * an error tells to run first, agents are taught only this without a person's review: anybody can write an error, and a
 * list of what is dangerous is never complete.
 */
export function isPreparation({ words, assignments, redirects, wrappers }: ShellCommand): boolean {
  if (assignments.length > 0 || wrappers.length > 0 || redirects.length > 0) return false;
  const [program = "", ...rest] = words;
  const name = /^(?:\.\/)?(?:(?:bin|node_modules\/\.bin|\.?venv\/bin)\/)?([\w.-]+)$/.exec(program)?.[1];
  if (name === undefined) return false;
  const line = [name.replace(/^(pip|python)3(?:\.\d+)?$/, "$1"), ...rest].join(" ");
  return preparations.some((one) => one.test(line)) || runsPreparingScript(line);
}

/** A file of the project, as an argument. */
const FILE = String.raw`(?!-)(?!.*\.\.)[\w-][\w./-]*`;
/** `npx`, or what stands for it. */
const RUNNER = String.raw`(?:(?:npx|bunx|pnpm|yarn|pnpm exec|yarn exec|npm exec)(?: --)? )?`;

const preparations: readonly RegExp[] = [
  String.raw`(?:terraform|tofu|terragrunt) (?:init|get)`,
  String.raw`bundle install`,
  String.raw`npm (?:install|i|ci)`,
  String.raw`npm rebuild(?: [\w@/-]+)?`,
  String.raw`(?:pnpm|yarn|bun) (?:install|i)(?: --(?:frozen-lockfile|immutable))?`,
  String.raw`yarn`,
  String.raw`(?:(?:uv |python -m )?pip) install (?:-r ${FILE}|(?:-e|--editable) \.(?:\[[\w,-]+\])?)`,
  String.raw`(?:uv|pdm|rye|pipenv) (?:sync|lock)`,
  String.raw`(?:poetry|pdm|pipenv) (?:install|lock)`,
  String.raw`uv venv(?: \.?venv)?`,
  String.raw`python -m venv \.?venv`,
  String.raw`(?:source|\.) (?:\./)?(?:\.venv|venv|env)/bin/activate`,
  String.raw`go mod (?:download|tidy|vendor)`,
  String.raw`go generate(?: \./\.\.\.)?`,
  String.raw`cargo (?:fetch|generate-lockfile)`,
  String.raw`rustup (?:component|target) add [\w-]+`,
  String.raw`git submodule update --init(?: --recursive)?`,
  String.raw`git lfs (?:pull|fetch)`,
  String.raw`git pull(?: --(?:rebase|ff-only))?`,
  String.raw`git fetch(?: (?:--unshallow|--tags|--all|origin))?`,
  String.raw`git stash(?: push)?(?: (?:-u|--include-untracked))?(?: (?:-m|--message) .*)?`,
  String.raw`git commit(?: (?:-m|-am|-a|--message|--all)(?: .*)?)?`,
  String.raw`dotnet (?:restore|tool restore)`,
  String.raw`mix deps\.get`,
  String.raw`composer install`,
  String.raw`(?:flutter|dart) pub get`,
  String.raw`swift package resolve`,
  String.raw`pod install`,
  String.raw`helm dep(?:endency)? (?:build|update)`,
  String.raw`corepack enable`,
  String.raw`${RUNNER}playwright install(?: (?:chromium|firefox|webkit|chrome))?`,
  String.raw`${RUNNER}cypress install`,
  String.raw`${RUNNER}prisma generate`,
  String.raw`(?:buf|sqlc) generate`,
  String.raw`rails db:(?:test:prepare|migrate RAILS_ENV=test)`,
].map((form) => new RegExp(`^${form}$`));

/** A script or target of the project whose name says that it only builds, generates or installs. */
function runsPreparingScript(line: string): boolean {
  const [, script] = /^(?:(?:npm|pnpm|yarn|bun) run|(?:pnpm|yarn)|g?make|just|task) ([a-z][\w:-]*)$/.exec(line) ?? [];
  const [first = "", ...others] = script?.toLowerCase().split(/[:_-]/) ?? [];
  return preparing.has(first) && others.every((part) => preparing.has(part) || prepared.has(part));
}

const preparing: ReadonlySet<string> = new Set(
  "build compile generate gen codegen typegen prepare setup bootstrap deps install init proto".split(" "),
);
const prepared: ReadonlySet<string> = new Set(
  "types type client api proto protos assets css schema graphql deps dependencies test tests lib libs code icons".split(
    " ",
  ),
);
