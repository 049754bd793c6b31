import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Random } from "../src/lib/random.ts";

/** A copied package and its contents. */
export interface Package {
  readonly name: string;
  readonly root: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** A call that fails, and the right answer. */
export interface FailureCase {
  readonly kind: string;
  readonly root: string;
  readonly tool: string;
  readonly input: unknown;
  readonly error: string;
  /** A path, a name, or the first and last line; null if nothing similar exists. */
  readonly right: string | readonly [number, number] | null;
}

export function packageAt(name: string, root: string): Package {
  const files: string[] = [];
  const folders: string[] = [];
  const walk = (at: string) => {
    for (const one of readdirSync(join(root, at), { withFileTypes: true })) {
      const path = at === "" ? one.name : `${at}/${one.name}`;
      if (one.isDirectory() && one.name !== "node_modules") {
        folders.push(path);
        walk(path);
      } else if (one.isFile()) files.push(path);
    }
  };
  walk("");
  return { name, root, files: files.toSorted(), folders: folders.toSorted() };
}

export function pick<T>(random: Random, some: readonly T[]): T {
  const one = some[Math.floor(random() * some.length)];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}

const makeMissingFile = (root: string, path: string, kind: string, right: string | null): FailureCase => ({
  kind,
  root,
  tool: "Read",
  input: { file_path: join(root, path) },
  error: "File does not exist.",
  right,
});

/** A mistyped path: a typo in the name or in a folder, another extension or spelling, another folder. */
export function makeWrongPath(random: Random, { root, files, folders }: Package): FailureCase | null {
  const path = pick(random, files);
  const [folder, name] = [dirname(path) === "." ? "" : dirname(path), basename(path)];
  // If several files have the name, the right one is ambiguous.
  const isOnly = files.filter((file) => basename(file) === name).length === 1;
  const within = (at: string, file: string) => (at === "" ? file : `${at}/${file}`);
  const ways: Readonly<Record<string, () => string | null>> = {
    "slip in the name": () => within(folder, makeSlip(random, name)),
    "two slips": () => within(folder, makeSlip(random, makeSlip(random, name))),
    "slip in a folder": () => (folder === "" ? null : within(slippedFolder(random, folder), name)),
    "other ending": () => within(folder, otherEnding(name)),
    "other writing": () => within(folder, otherWriting(name)),
    "other folder": () => (isOnly ? within(pick(random, ["", ...folders]), name) : null),
    "folder that is not": () => (isOnly ? within(pick(random, ["src", "lib", "source", "app", "core"]), name) : null),
    "folder too many": () => within(within(folder, pick(random, ["src", "lib", "internal"])), name),
    "folder too few": () => (folder === "" ? null : within(dirname(folder) === "." ? "" : dirname(folder), name)),
  };
  const kind = pick(random, Object.keys(ways));
  const wrong = ways[kind]?.() ?? null;
  if (wrong === null || wrong === path || statSync(join(root, wrong), { throwIfNoEntry: false }) !== undefined)
    return null;
  return makeMissingFile(root, wrong, kind, path);
}

/** A typo in the stem: one letter added, removed or changed, or two swapped. */
function makeSlip(random: Random, name: string): string {
  const end = /(?:\.[\w]+)+$/.exec(name)?.[0] ?? "";
  const stem = name.slice(0, name.length - end.length);
  if (stem.length < 4) return name;
  const at = 1 + Math.floor(random() * (stem.length - 2));
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  const made = [
    () => stem.slice(0, at) + letter + stem.slice(at),
    () => stem.slice(0, at) + stem.slice(at + 1),
    () => stem.slice(0, at) + letter + stem.slice(at + 1),
    () => stem.slice(0, at) + (stem[at + 1] ?? "") + (stem[at] ?? "") + stem.slice(at + 2),
  ];
  return pick(random, made)() + end;
}

function slippedFolder(random: Random, folder: string): string {
  const names = folder.split("/");
  const at = Math.floor(random() * names.length);
  return names.map((name, i) => (i === at ? makeSlip(random, name) : name)).join("/");
}

function otherEnding(name: string): string {
  const others: Readonly<Record<string, string>> = {
    ".js": ".ts",
    ".ts": ".js",
    ".mjs": ".js",
    ".cjs": ".js",
    ".md": ".mdx",
    ".json": ".yaml",
    ".tsx": ".jsx",
    ".css": ".scss",
  };
  const end = /(?:\.d)?\.\w+$/.exec(name)?.[0] ?? "";
  return name.slice(0, name.length - end.length) + (others[end] ?? end);
}

function otherWriting(name: string): string {
  if (/[-_]/.test(name)) return name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  if (/[a-z][A-Z]/.test(name))
    return name.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a}-${b.toLowerCase()}`);
  return name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
}

/** An edit whose text differs slightly from the file: a changed word, a missing or extra line, another indentation. */
export function makeWrongEdit(random: Random, { root, files }: Package): FailureCase | null {
  const path = pick(
    random,
    files.filter((file) => /\.(?:[cm]?[jt]sx?|md|json|css|yml)$/.test(file)),
  );
  const text = readFileSync(join(root, path), "utf8");
  const lines = text.split("\n");
  if (lines.length < 20 || text.length > 400_000 || lines.some((line) => line.length > 400)) return null;
  const length = 2 + Math.floor(random() * 7);
  const from = Math.floor(random() * (lines.length - length));
  const block = lines.slice(from, from + length);
  if (block.filter((line) => /\w{4}/.test(line)).length < 2 || block[0]?.trim() === "" || block.at(-1)?.trim() === "")
    return null;
  const ways: Readonly<Record<string, () => readonly string[]>> = {
    "other indentation": () =>
      block.map((line) =>
        line.replace(/^\s+/, (space) => (space.includes("\t") ? "    ".repeat(space.length) : `${space}  `)),
      ),
    "word changed": () => changeLine(random, block),
    "line gone": () => block.toSpliced(1 + Math.floor(random() * (block.length - 1)), 1),
    "line come": () => block.toSpliced(1, 0, "  const added = value + 1;"),
    renamed: () => renameWord(random, block),
    "other quotes": () => block.map((line) => line.replace(/["']/g, (quote) => (quote === '"' ? "'" : '"'))),
    "two words changed": () => changeLine(random, changeLine(random, block)),
  };
  const kind = pick(random, Object.keys(ways));
  const old = (ways[kind]?.() ?? []).join("\n");
  if (text.includes(old) || text.indexOf(block.join("\n")) !== text.lastIndexOf(block.join("\n"))) return null;
  return makeMissingText(join(root, path), old, { root, kind, right: [from + 1, from + length] });
}

function makeMissingText(file: string, old: string, of: Pick<FailureCase, "root" | "kind" | "right">): FailureCase {
  return {
    ...of,
    tool: "Edit",
    input: { file_path: file, old_string: old, new_string: "other" },
    error: `String to replace not found in file.\nString: ${old}`,
  };
}

function changeLine(random: Random, block: readonly string[]): readonly string[] {
  const at = Math.floor(random() * block.length);
  return block.map((line, i) =>
    i === at ? line.replace(/\w{4,}/, (word) => `${word.slice(0, 2)}${word.slice(3)}Else`) : line,
  );
}

function renameWord(random: Random, block: readonly string[]): readonly string[] {
  const words = block.join(" ").match(/\b[A-Za-z]\w{3,}/g) ?? [];
  const word = words.length === 0 ? "" : pick(random, words);
  return word === "" ? block : block.map((line) => line.replaceAll(word, `new${word}`));
}

const shell = (command: string, error: string, of: Pick<FailureCase, "root" | "kind" | "right">): FailureCase => ({
  ...of,
  tool: "Bash",
  input: { command },
  error: `Exit code 1\n${error}`,
});

/** A script of package.json with a typo in its name. */
export function makeWrongScript(random: Random, { root }: Package): FailureCase | null {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts?: Record<string, string>;
  };
  const names = Object.keys(scripts).filter((name) => name.length > 3);
  if (names.length < 2) return null;
  const name = pick(random, names);
  const wrong = pick(random, [
    () => makeSlip(random, name),
    () => `${name}s`,
    () => name.replaceAll(":", "-"),
    () => `run-${name}`,
  ])();
  if (wrong in scripts) return null;
  return shell(`npm run ${wrong}`, `npm error Missing script: "${wrong}"`, { root, kind: "script", right: name });
}

/** A program with a typo in its name, or one of the project's own programs. */
export function makeWrongProgram(
  random: Random,
  { root }: Package,
  there: { readonly path: readonly string[]; readonly own: readonly string[] },
): FailureCase | null {
  if (random() < 0.5) {
    const own = pick(random, there.own);
    return notFound(own, { root, kind: "program of the project", right: own });
  }
  const name = pick(random, there.path);
  const wrong = makeSlip(random, name);
  return wrong === name || there.path.includes(wrong) ? null : notFound(wrong, { root, kind: "program", right: name });
}

/** A request that resembles nothing in the package. */
export function makeNothingNear(random: Random, own: Package, other: Package): FailureCase | null {
  const { root, files, folders } = own;
  const word = () => Array.from({ length: 3 + Math.floor(random() * 2) }, () => pick(random, syllables)).join("");
  const kind = pick(random, ["path", "path", "path below", "edit", "program"]);
  if (kind === "path" || kind === "path below") {
    const folder = pick(random, ["", ...folders]);
    const below = kind === "path" ? "" : `${word()}/`;
    const name = `${word()}${pick(random, [".js", ".ts", ".md", ".json", ""])}`;
    return makeMissingFile(root, `${folder === "" ? "" : `${folder}/`}${below}${name}`, kind, null);
  }
  if (kind === "program") return notFound(word(), { root, kind, right: null });
  const taken = makeWrongEdit(random, other);
  const path = pick(
    random,
    files.filter((file) => /\.(?:[cm]?[jt]s|md)$/.test(file)),
  );
  if (taken === null || statSync(join(root, path)).size > 400_000) return null;
  const { old_string: old } = taken.input as { readonly old_string: string };
  const strange = old.split("\n").map((line) => `${line} ${word()}`);
  return makeMissingText(join(root, path), strange.join("\n"), { root, kind, right: null });
}

function notFound(program: string, of: Pick<FailureCase, "root" | "kind" | "right">): FailureCase {
  return shell(program, `bash: line 1: ${program}: command not found`, of);
}

const syllables = "ba zor qui lem vat nox pru jix tel gam fuw dro kes hyp win obl uks vre zim yat".split(" ");
