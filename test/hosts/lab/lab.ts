import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ModelRequest, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import type { Client } from "./client.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const program = join(root, "dist", "oldhand.cjs");

/** A turn of a model that goes by what it reads: the first choice whose pattern the request, as JSON, holds. */
export interface ChosenTurn {
  readonly choose: readonly { readonly when: string; readonly turn: ScriptedTurn }[];
}

export interface SessionJob {
  readonly turns: readonly (ScriptedTurn | ChosenTurn)[];
  readonly prompt?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** After so long the client is ended. */
  readonly limitMs?: number;
  /** Another repository than the lab's. */
  readonly cwd?: string;
  /** `oldhand serve` runs beside the client, with the model as its provider. `{token}` in `env` is its token. */
  readonly serve?: boolean;
  /** Instead of a prompt: what a person types into the client's own screen. */
  readonly keys?: readonly {
    readonly text: string;
    readonly afterMs?: number;
    readonly afterRequests?: number;
    readonly awaits?: string;
  }[];
}

export interface SessionRecord {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly ModelRequest[];
  readonly remaining: number;
  /** Time limits of the lab that ran out: each says which. */
  readonly timeOuts: readonly string[];
}

/** A home, a repository and a client of their own, without a network; nothing of this machine's user is seen or touched. */
export class Lab {
  readonly folder = mkdtempSync(join(tmpdir(), "oldhand-lab-"));
  readonly home = join(this.folder, "home");
  readonly project = join(this.folder, "project");
  readonly #client: Extract<Client, { kind: "ready" }>;
  readonly #alone: readonly string[];
  readonly #only: "calls" | null;
  readonly #timeOuts = new Set<string>();
  readonly #spooled = new Set<string>();

  /** What is said when a session starts, at prompts and at its end adds to what its model is asked; most tests are about calls. */
  constructor(client: Extract<Client, { kind: "ready" }>, alone: readonly string[], says: "everything" | "calls") {
    this.#client = client;
    this.#alone = alone;
    this.#only = says === "calls" ? "calls" : null;
    for (const folder of [this.home, this.project, join(this.folder, "tmp"), join(this.folder, "bin")])
      mkdirSync(folder, { recursive: true });
    spawnSync("git", ["init", "-q", "."], { cwd: this.project });
    this.#onPath(client.drive.program, client.command);
    this.#onPath("oldhand", [process.execPath, program]);
  }

  #onPath(name: string, command: readonly string[]): void {
    const file = join(this.folder, "bin", name);
    writeFileSync(file, `#!/bin/sh\nexec ${command.map(shellWord).join(" ")} "$@"\n`);
    chmodSync(file, 0o755);
  }

  /** `oldhand …` as its user would run it; the answer of `--json`, where there is one. */
  oldhand(...words: readonly string[]): { readonly status: number | null; readonly out: string; readonly err: string } {
    this.#noteSpool();
    const [first = "", ...rest] = [...this.#alone, process.execPath, program, ...words];
    const ran = spawnSync(first, rest, { cwd: this.project, env: this.#env(), encoding: "utf8" });
    if (words[0] === "install" && ran.status === 0 && this.#only === "calls") this.#hushOtherMoments(words);
    return { status: ran.status, out: ran.stdout, err: ran.stderr };
  }

  #hushOtherMoments(words: readonly string[]): void {
    const at = words.indexOf("--home");
    const mind = at === -1 ? join(this.home, ".oldhand") : (words[at + 1] ?? "");
    mkdirSync(mind, { recursive: true });
    const recall = { speakAtStart: 0, speakAtPrompt: 0, speakAtStop: 0 };
    writeFileSync(join(mind, "config.json"), JSON.stringify({ recall }));
  }

  json<T>(...words: readonly string[]): T {
    const { status, out, err } = this.oldhand(...words, "--json");
    if (status !== 0) throw new Error(`oldhand ${words.join(" ")} ended with ${status}: ${err}`);
    return JSON.parse(out) as T;
  }

  async session(job: SessionJob): Promise<SessionRecord> {
    const { drive } = this.#client;
    const words = drive.words(job.keys ? null : (job.prompt ?? "go on"));
    const client = [...this.#client.command, ...words, ...(job.flags ?? [])];
    // A terminal of no size, which it would be, is drawn on by nobody.
    const shell = `stty rows 50 cols 140; ${client.map(shellWord).join(" ")}`;
    const command = job.keys ? ["script", "-qefc", shell, "/dev/null"] : client;
    const [first = "", ...rest] = [...this.#alone, process.execPath, join(root, "test/hosts/lab/session.mjs")];
    const child = spawn(first, rest, { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(
      JSON.stringify({
        model: drive.model,
        client: drive.program,
        command,
        cwd: job.cwd ?? this.project,
        env: { ...this.#env(), ...job.env },
        turns: job.turns,
        serve: job.serve ? [process.execPath, program, "serve", "--json"] : undefined,
        keys: job.keys,
        timeoutMs: job.limitMs ?? 240_000,
      }),
    );
    const record = JSON.parse(await text(child.stdout)) as SessionRecord;
    for (const one of record.timeOuts) this.#timeOuts.add(one);
    this.#noteSpool();
    return record;
  }

  /** Every time limit that ran out here: one of the lab's own, or a hook's that then spooled its event. */
  timeOuts(): readonly string[] {
    this.#noteSpool();
    const { size } = this.#spooled;
    return [...this.#timeOuts, ...(size > 0 ? [`hooks ran out of time: the spool got ${size} of their files`] : [])];
  }

  /** For a test that waits by itself: a time limit of its own ran out. */
  ranOut(why: string): void {
    this.#timeOuts.add(why);
  }

  /** The next command or session start empties the spool, so it is looked at before. */
  #noteSpool(): void {
    const spool = join(this.home, ".oldhand", "spool");
    if (!existsSync(spool)) return;
    // Hooks spool also where a test has spoilt the store, and that is no matter of time.
    if (!this.read(".oldhand", "mind.db")?.startsWith("SQLite format 3")) return;
    // A file that is written or taken has more endings.
    for (const name of readdirSync(spool)) this.#spooled.add(name.replace(/\..*/, ""));
  }

  read(...path: readonly string[]): string | null {
    const file = join(this.home, ...path);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  }

  write(content: string, ...path: readonly string[]): void {
    const file = join(this.home, ...path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  remove(...path: readonly string[]): void {
    rmSync(join(this.home, ...path), { recursive: true });
  }

  /** Files under a folder of the home whose names end so. */
  find(folder: string, ending: string): readonly string[] {
    const root = join(this.home, folder);
    if (!existsSync(root)) return [];
    return readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(ending) && statSync(join(root, name)).isFile())
      .map((name) => join(root, name));
  }

  /** Every file under a folder of the home, with what is in it. */
  tree(folder: string): Readonly<Record<string, string>> {
    const files = this.find(folder, "").toSorted();
    return Object.fromEntries(files.map((file) => [relative(this.home, file), readFileSync(file, "utf8")]));
  }

  /** One more repository beside the lab's. */
  repository(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    spawnSync("git", ["init", "-q", "."], { cwd: folder });
    return folder;
  }

  /** What still runs with this home; empty where nobody tells. */
  processes(): readonly string[] {
    if (!existsSync("/proc")) return [];
    return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && runsIn(pid, this.home));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Nothing of the tester's environment reaches the client: no key, no settings, no proxy. */
  #env(): Record<string, string> {
    const temporary = join(this.folder, "tmp");
    return {
      PATH: `${join(this.folder, "bin")}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.home,
      TMPDIR: temporary,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      USER: "lab",
      SHELL: "/bin/bash",
      NO_PROXY: "127.0.0.1,localhost",
      ...this.#client.drive.env(temporary),
    };
  }
}

function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function runsIn(pid: string, home: string): boolean {
  try {
    return readFileSync(join("/proc", pid, "environ"), "utf8")
      .split("\0")
      .includes(`HOME=${home}`);
  } catch {
    // It ended while we looked, or is somebody else's.
    return false;
  }
}
