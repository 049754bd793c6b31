import { dirname, resolve } from "node:path";
import { commandsOf } from "../../domain/shell/command.ts";
import { shellTextOf } from "../../domain/shell/shell-text.ts";
import { scriptFiles } from "../../domain/text/declared-scripts.ts";
import { nearness } from "../../domain/text/near-name.ts";
import { slipsBetween } from "../../lib/nearest.ts";
import { pathWithin } from "../../domain/workspace.ts";
import type { Around, Failure, Finding } from "./answer.ts";
import { ownText } from "./open-file.ts";

/** For a script, target or task that is not declared: those that are, the nearest first. */
export function scriptsHere(around: Around, { call, cause }: Failure): Finding | null {
  const { thing } = cause;
  if (thing === null) return null;
  const commands = commandsOf(shellTextOf(call.input) ?? "");
  const running = commands.find((one) => one.words.includes(thing)) ?? commands.at(-1);
  const meant = scriptFiles.filter(({ programs }) => running === undefined || programs.includes(running.program));
  const workdir = (call.input as { readonly workdir?: unknown } | null)?.workdir;
  const base = typeof workdir === "string" ? workdir : (call.cwd ?? around.root);
  for (const folder of upTo(around.root, resolve(base, running?.cwd ?? ".")))
    for (const { file, names } of meant) {
      const text = ownText(around, folder, file);
      const found = text === null ? [] : names(text).filter((name) => name !== thing && name.length <= 60);
      if (found.length === 0) continue;
      const within = pathWithin(around.root, folder) ?? "";
      const sorted = nearestFirst(thing, found);
      const shown = sorted.slice(0, MOST);
      const list = (some: readonly string[]) => [some.join(", ") + (some.length < found.length ? ", …" : "")];
      return {
        label: `scripts in ${within === "" ? file : `${within}/${file}`}, nearest to ${thing.slice(0, 40)} first`,
        lines: list(shown),
        shorter: list(shown.slice(0, Math.max(1, fitting(shown)))),
        offers: { file: null, texts: shown.slice(0, 3) },
      };
    }
  return null;
}

const MOST = 20;

/** How many names fit beside the label. */
function fitting(names: readonly string[]): number {
  let room = 190;
  return names.filter((name) => (room -= name.length + 2) > 0).length;
}

/** The folder itself and those above it, up to the workspace. */
function upTo(root: string, folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = folder; pathWithin(root, at) !== null; at = dirname(at)) {
    folders.push(at);
    if (at === dirname(at)) break;
  }
  return folders.length === 0 ? [root] : folders;
}

function nearestFirst(asked: string, names: readonly string[]): readonly string[] {
  const scored = names.map((name, at) => ({ name, at, score: likeness(asked, name) }));
  return scored.toSorted((a, b) => b.score - a.score || a.at - b.at).map(({ name }) => name);
}

/** `tests` is near `test`, and `test:unit` too; what belongs together is often named after the same word. */
function likeness(asked: string, name: string): number {
  const plain = nearness(asked.replaceAll(":", "-"), name.replaceAll(":", "-"));
  const [a, b] = [wordsIn(asked), wordsIn(name)];
  const shared = a.filter((word) => b.some((other) => nearness(word, other) > 0.7)).length;
  const alike = 1 - slipsBetween(asked, name) / Math.max(asked.length, name.length);
  return Math.max(
    plain,
    shared === 0 ? 0 : 0.4 + (0.4 * shared) / Math.max(a.length, b.length),
    synonym(a, b) ? 0.35 : 0,
    sameLetters(asked, name) ? 0.75 : 0,
    alike < 0.5 ? 0 : 0.3 * alike,
  );
}

/** Typed in the wrong order: `lnti` for `lint`. In a short name that is as many slips as another name has. */
function sameLetters(asked: string, name: string): boolean {
  const letters = (text: string) => [...text.toLowerCase()].toSorted().join("");
  return asked.length > 2 && letters(asked) === letters(name);
}

function wordsIn(name: string): readonly string[] {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function synonym(a: readonly string[], b: readonly string[]): boolean {
  return alikes.some((some) => a.some((word) => some.has(word)) && b.some((word) => some.has(word)));
}

const alikes: readonly ReadonlySet<string>[] = [
  "test tests unit spec jest vitest mocha tape ava e2e",
  "lint eslint check style standard xo biome",
  "typecheck types tsc tsd check",
  "format fmt prettier fix",
  "build compile bundle dist make",
  "dev start serve watch run",
  "clean clear reset",
  "cover coverage cov",
  "release publish version prepublish",
  "docs doc documentation typedoc",
  "bench benchmark benchmarks perf",
].map((words) => new Set(words.split(" ")));
