import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  /** The first line it prints. */
  readonly firstLine: Promise<string>;
  readonly ended: Promise<Ended>;
  kill(): void;
}

export interface Children {
  start(args: readonly string[], options?: { readonly uid?: number }): Running;
  run(args: readonly string[], options?: { readonly uid?: number }): Promise<Ended>;
  remove(): void;
}

const here = dirname(fileURLToPath(import.meta.url));

/** Bundles a program such as `child.ts` into one file for plain Node, under node_modules so that packages resolve. */
export async function bundleChildren(program = join(here, "child.ts")): Promise<Children> {
  const file = join(here, "../../node_modules/.cache/oldhand-test", `child-${randomUUID()}.mjs`);
  const bundle = await rolldown({
    input: program,
    external: ["pg", "@photostructure/sqlite"],
    platform: "node",
    logLevel: "silent",
  });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  const start: Children["start"] = (args, options = {}) =>
    follow(spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"], ...options }));
  return {
    start,
    run: (args, options) => start(args, options).ended,
    remove: () => rmSync(file, { force: true }),
  };
}

function follow(child: Child): Running {
  let out = "";
  let err = "";
  let reportFirst = (_line: string): void => {};
  const firstLine = new Promise<string>((resolve) => {
    reportFirst = resolve;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    if (out.includes("\n")) reportFirst(out.slice(0, out.indexOf("\n")));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      reportFirst("");
      // Text after the last line break was cut off by a kill.
      resolve({ code, lines: out.split("\n").slice(0, -1), stderr: err });
    });
  });
  return { pid: child.pid ?? 0, firstLine, ended, kill: () => child.kill("SIGKILL") };
}
