import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A command shown on a page. */
export interface Shown {
  readonly command: string;
  /** From `# exit 1` after the command; default 0. */
  readonly exit: number;
  /** The output shown on the page; empty if none. */
  readonly output: string;
  readonly line: number;
}

/** The commands of a page's console blocks, in order. */
export function commandsIn(path: string): readonly Shown[] {
  const shown: { command: string; exit: number; output: string; line: number }[] = [];
  let inside = false;
  // Of the block that is read: what stands in another block before any command is nobody's output.
  let first = 0;
  readFileSync(join(root, path), "utf8")
    .split("\n")
    .forEach((line, index) => {
      if (line.startsWith("```")) {
        inside = !inside && /^```(console|sh)$/.test(line);
        first = shown.length;
      } else if (inside && line.startsWith("$ ")) {
        const [, command = "", exit = "0"] = /^\$ (.*?)(?:\s+# exit (\d+))?$/.exec(line) ?? [];
        shown.push({ command, exit: Number(exit), output: "", line: index + 1 });
      } else {
        const last = shown.slice(first).at(-1);
        if (inside && last) last.output += `${line}\n`;
      }
    });
  return shown;
}

/** True for commands that the test does not run: they install something or need a host. */
export function isForeign(command: string): boolean {
  return /^(npm|npx|git|claude|codex) /.test(command);
}

/** A new user's machine: an empty home, the sample, `oldhand` on the PATH. */
export interface Desk {
  readonly home: string;
  run(shown: Shown): Promise<void>;
  clear(): void;
}

export async function newDesk(stand: {
  readonly database: string | null;
  /** Where an Ollama runs, for pages that use one. */
  readonly ollama?: string | null;
}): Promise<Desk> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-docs-"));
  const [bin, folder] = [join(home, "bin"), join(home, "folder")];
  mkdirSync(bin);
  cpSync(join(root, "samples"), join(folder, "samples"), { recursive: true });
  writeFileSync(
    join(bin, "oldhand"),
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist", "oldhand.cjs")}" "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const port = await freePort();
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: home, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
  for (const name of Object.keys(env)) if (name.startsWith("OLDHAND_") || name.startsWith("CLAUDE")) delete env[name];
  if (stand.ollama) env["OLLAMA_HOST"] = stand.ollama;
  const background: ChildProcess[] = [];
  // Maps ids on the page to the ids of this run.
  const given = new Map<string, string>();
  const real = (text: string) =>
    [...given]
      .reduce((done, [shown, actual]) => done.replaceAll(shown, actual), text)
      .replaceAll("4517", String(port))
      .replaceAll(
        /postgres:\/\/user:password@[\w.:-]+\/oldhand/g,
        stand.database ?? "postgres://nobody@127.0.0.1:1/none",
      );
  return {
    home,
    run: async (shown) => {
      const [, name, value] = /^(?:export|unset) (\w+)(?:=(.*))?$/.exec(shown.command) ?? [];
      if (name !== undefined) {
        // Variables that a user's shell would keep for the following commands.
        if (value === undefined) delete env[name];
        else env[name] = value.replace(/^~/, home);
        return;
      }
      const waits = !shown.command.endsWith(" &");
      const child = spawn(
        "sh",
        ["-c", `exec 2>&1; ${waits ? real(shown.command) : `exec ${real(shown.command.slice(0, -2))}`}`],
        {
          cwd: folder,
          env,
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      if (!waits) background.push(child);
      const { output, exit } = await outcomeOf(child, waits);
      if (waits && exit !== shown.exit)
        throw new Error(`line ${shown.line}: \`${shown.command}\` ended with ${exit}, not ${shown.exit}:\n${output}`);
      if (shown.output.trim() !== "") compare(shown, output, given, real);
    },
    clear: () => {
      for (const child of background) child.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The whole output; for a background command, its first line. */
function outcomeOf(
  child: ChildProcess,
  waits: boolean,
): Promise<{ readonly output: string; readonly exit: number | null }> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (!waits && output.includes("\n")) resolve({ output, exit: null });
    });
    child.once("error", reject);
    child.once("close", (exit) => resolve({ output, exit }));
  });
}

const ID = /\b(?:[rp]|goal|task)_[0-9a-z]{16}\b/g;

/** `…` on a separate line matches any lines, inside a line any text. An id is bound at its first occurrence. */
function compare(shown: Shown, output: string, given: Map<string, string>, real: (text: string) => string): void {
  const fresh: string[] = [];
  const lines = shown.output.trimEnd().split("\n");
  const pattern = lines
    .map((line, index) => {
      if (line.trim() === "…") return index === lines.length - 1 ? "[^]*" : "(?:[^\\n]*\\n)*?";
      const text = escape(real(line))
        .replaceAll("…", "[^\\n]*?")
        .replaceAll(ID, (id) => {
          if ([...given.values()].includes(id)) return id;
          if (fresh.includes(id)) return `\\${fresh.indexOf(id) + 1}`;
          fresh.push(id);
          return `(${id.slice(0, id.indexOf("_") + 1)}[0-9a-z]{16})`;
        });
      return `${text}${index === lines.length - 1 ? "" : "\\n"}`;
    })
    .join("");
  const found = new RegExp(`^${pattern}\\s*$`).exec(`${output.trimEnd()}\n`);
  if (!found)
    throw new Error(
      `line ${shown.line}: \`${shown.command}\` printed\n\n${output}\nwhere the page shows\n\n${shown.output}`,
    );
  fresh.forEach((id, index) => given.set(id, found[index + 1] ?? id));
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
