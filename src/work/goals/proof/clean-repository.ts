import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thisMachine } from "../../../config.ts";
import { type GitResult, runGit } from "../../../lib/run-git.ts";
import { OldhandError } from "../../../lib/errors.ts";

/** One path that differs between two commits. */
export interface ChangedPath {
  readonly path: string;
  readonly before: GitEntry | null;
  readonly after: GitEntry | null;
}

interface GitEntry {
  /** As git writes it: 100644, 100755, 120000 for a link. */
  readonly mode: string;
  readonly object: string;
}

/**
 * A repository in a temporary folder that has the objects of another one, and nothing else of it: no settings, hooks, filters,
 * references or attributes. What is checked out of it is what was committed. The other repository is only read.
 */
export class CleanRepository {
  /** In the temporary folder. */
  readonly folder: string;
  /** Where the objects are. */
  readonly objects: string;
  /** Stands for `objects` in the temporary folder. */
  readonly link: string;
  readonly #git: string;
  #trees = 0;

  constructor(folder: string, objects: string) {
    this.folder = folder;
    this.objects = objects;
    this.link = join(folder, "objects");
    this.#git = join(folder, "git");
  }

  async init(format: string): Promise<void> {
    symlinkSync(this.objects, this.link);
    const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, this.#git];
    requireDone(await runGit({ ...this.#at(), args }));
    mkdirSync(join(this.#git, "info"), { recursive: true });
    // Files that the owner does not want to hear of.
    const exclude = join(this.objects, "..", "info", "exclude");
    if (existsSync(exclude)) copyFileSync(exclude, join(this.#git, "info", "exclude"));
    // Where a shallow clone ends: without it, git would look for commits that are not there.
    const shallow = join(this.objects, "..", "shallow");
    if (existsSync(shallow)) copyFileSync(shallow, join(this.#git, "shallow"));
    writeFileSync(join(this.#git, "objects", "info", "alternates"), `${this.link}\n`);
    // These come before the attributes in the commit: files are written as they are stored, and a diff shows them all.
    writeFileSync(join(this.#git, "info", "attributes"), "* -text -ident -filter -working-tree-encoding !diff\n");
  }

  /** Git's answer, whatever it is. */
  ask(args: readonly string[], env: Readonly<Record<string, string>> = {}, input = ""): Promise<GitResult> {
    return runGit({ ...this.#at(), args, env: { GIT_DIR: this.#git, ...env }, input });
  }

  async git(args: readonly string[]): Promise<string> {
    return requireDone(await this.ask(args));
  }

  /** The commit, if it is there; else the empty tree. */
  async treeOf(commit: string | null): Promise<string> {
    if (commit !== null && (await this.ask(["cat-file", "-e", `${commit}^{commit}`])).ok) return commit;
    return (await this.git(["hash-object", "-t", "tree", "--stdin"])).trim();
  }

  async listChanges(from: string, to: string): Promise<readonly ChangedPath[]> {
    return parseRaw(await this.git(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to]));
  }

  async listPaths(tree: string): Promise<readonly string[]> {
    return (await this.git(["ls-tree", "-r", "-z", "--name-only", tree])).split("\0").filter((path) => path !== "");
  }

  /** The text of a file that is no link; null if there is none. */
  async readText(tree: string, path: string): Promise<string | null> {
    const found = (await this.ask(["ls-tree", "-z", tree, "--", path])).stdout;
    if (!/^100\d{3} blob /.test(found)) return null;
    return this.git(["cat-file", "blob", `${tree}:${path}`]);
  }

  /** Writes a commit into a folder of its own, with some of its changes taken back. */
  async checkOut(tree: string, takenBack: readonly ChangedPath[]): Promise<string> {
    const folder = join(this.folder, `tree-${++this.#trees}`);
    const index = `${folder}.index`;
    mkdirSync(folder);
    const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: folder };
    requireDone(await this.ask(["read-tree", tree], env));
    // First what goes: a link may stand where a folder was.
    const [gone, back] = [
      takenBack.filter(({ before }) => before === null),
      takenBack.filter(({ before }) => before !== null),
    ];
    const lines = [
      ...gone.map(({ path, after }) => `0 ${"0".repeat(after?.object.length ?? 40)}\t${path}\0`),
      ...back.map(({ path, before }) => `${before?.mode ?? ""} ${before?.object ?? ""}\t${path}\0`),
    ].join("");
    if (lines !== "") requireDone(await this.ask(["update-index", "--replace", "-z", "--index-info"], env, lines));
    requireDone(await this.ask(["checkout-index", "--all", "--quiet"], env));
    // For programs that ask git which files there are.
    cpSync(this.#git, join(folder, ".git"), { recursive: true });
    cpSync(index, join(folder, ".git", "index"));
    await runGit({ ...this.#at(), args: ["config", "core.bare", "false"], env: { GIT_DIR: join(folder, ".git") } });
    const head = join(folder, ".git", "HEAD");
    if ((await this.ask(["cat-file", "-t", tree])).stdout.trim() === "commit") writeFileSync(head, `${tree}\n`);
    return folder;
  }

  /**
   * True if what is in these trees has the names that it should have. Git does not compare what it reads with its name, so
   * somebody may have written another file under the name of an old one. It does when it verifies a pack.
   */
  async isSound(trees: readonly string[]): Promise<boolean> {
    const all = await this.ask(["rev-list", "--objects", "--no-walk", "--no-object-names", ...trees]);
    const pack = join(this.folder, "verified");
    const packed = await this.ask(["pack-objects", "-q", "--window=0", pack], {}, all.stdout);
    if (!all.ok || !packed.ok) return false;
    return (await this.ask(["verify-pack", `${pack}-${packed.stdout.trim()}.idx`])).ok;
  }

  /** Files of a work tree that differ from a commit, or are not part of it. Null if it cannot be told in time. */
  async countUncommitted(workTree: string, commit: string): Promise<number | null> {
    const env = { GIT_INDEX_FILE: join(this.folder, "status.index"), GIT_WORK_TREE: workTree };
    const read = await this.ask(["read-tree", commit], env);
    // In a submodule, git would start another git, with the settings of that one.
    const args = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all"];
    const { ok, stdout } = await this.ask(args, env);
    // The references of this repository are empty, so all of the index is new to git: only the second letter counts.
    return read.ok && ok ? stdout.split("\0").filter((line) => /^(?:.[^ ]|\?\?) /.test(line)).length : null;
  }

  #at() {
    return { folder: this.folder, path: thisMachine().env["PATH"] };
  }
}

/** It is removed afterwards, also after an error. */
export async function withCleanRepository<T>(
  source: string,
  act: (repository: CleanRepository) => Promise<T>,
): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "oldhand-proof-")));
  try {
    const args = ["rev-parse", "--path-format=absolute", "--git-path", "objects", "--show-object-format"];
    const asked = requireDone(await runGit({ folder: source, args, path: thisMachine().env["PATH"] }));
    const [objects = "", format = ""] = asked.trim().split("\n");
    const repository = new CleanRepository(folder, realpathSync(objects));
    await repository.init(format);
    return await act(repository);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function requireDone({ ok, stdout, stderr }: GitResult): string {
  if (!ok) throw new OldhandError("input", `git: ${stderr === "" ? "no answer" : stderr}`);
  return stdout;
}

/** `:100644 100644 OLD NEW M\0path\0` */
function parseRaw(text: string): readonly ChangedPath[] {
  const parts = text.split("\0");
  const found: ChangedPath[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [from = "", mode = "", before = "", after = ""] = (parts[at] ?? "").slice(1).split(" ");
    const entry = (kind: string, object: string) => (/^0+$/.test(kind) ? null : { mode: kind, object });
    found.push({ path: parts[at + 1] ?? "", before: entry(from, before), after: entry(mode, after) });
  }
  return found;
}
