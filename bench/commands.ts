import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packageRoot } from "../src/lib/package-root.ts";
import { fillMind } from "./filled-mind.ts";
import { computeTimeRatio, type Contender, interleave, median, roundTo } from "./floor.ts";

export interface CommandRow {
  readonly command: string;
  readonly medianMs: number;
  /** Relative to bare `node -e 0` in the same rounds. */
  readonly ratio: number;
  /** The same command of the other build. */
  readonly other?: { readonly medianMs: number; readonly ratio: number };
}

export interface CommandsReport {
  readonly node: string;
  readonly rounds: number;
  readonly stored: number;
  readonly bareNodeMs: number;
  readonly rows: readonly CommandRow[];
}

const typed = ["--version", "--help", "status", "rules", "report", "sessions", "config get distil.minCount"];
/** Until its first answer. */
const MCP = "mcp";

/** Measures how long commands take in a small mind, compared with Node itself and with another build. */
export async function benchCommands(options: {
  readonly rounds: number;
  readonly stored: number;
  /** The `oldhand.cjs` of another build. It opens the same mind, so it must know its schema. */
  readonly against?: string | undefined;
}): Promise<CommandsReport> {
  const { rounds, stored, against } = options;
  const home = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  try {
    await fillMind(home, stored);
    const mine = join(packageRoot(), "dist", "oldhand.cjs");
    const other = against === undefined ? null : resolve(against);
    const builds = other === null ? [mine] : [mine, other];
    const commands = [...typed, MCP];
    const contenders: readonly Contender[] = [
      { name: BARE, act: () => run(["-e", "0"], home) },
      ...commands.flatMap((command) =>
        builds.map((program) => ({
          name: nameOf(command, program),
          ...(command === MCP ? serverOf(program, home) : { act: () => run([program, ...command.split(" ")], home) }),
        })),
      ),
    ];
    const times = await interleave(contenders, { rounds, seconds: 0 });
    const bare = times.get(BARE) ?? [];
    const measured = (command: string, program: string) => {
      const all = times.get(nameOf(command, program)) ?? [];
      return { medianMs: roundTo(median(all), 1), ratio: roundTo(computeTimeRatio(all, bare)) };
    };
    const rows = commands.map((command) => ({
      command,
      ...measured(command, mine),
      ...(other === null ? {} : { other: measured(command, other) }),
    }));
    return { node: process.versions.node, rounds, stored, bareNodeMs: roundTo(median(bare), 1), rows };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const BARE = "bare node";

function nameOf(command: string, program: string): string {
  return `${command} of ${program}`;
}

async function run(args: readonly string[], home: string): Promise<void> {
  const child = start(args, home);
  child.stdout.resume();
  await end(child);
}

/** Measured until the first answer; the end of the process is not. */
function serverOf(program: string, home: string): Pick<Contender, "act" | "after"> {
  let child: ChildProcessWithoutNullStreams | null = null;
  return {
    act: async () => {
      child = start([program, MCP], home);
      child.stdin.write(`${JSON.stringify(initialize)}\n`);
      await once(child.stdout, "data");
    },
    after: async () => {
      if (child !== null) await end(child);
    },
  };
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};

/** A clean environment: the caller's variables could distort the measurement. */
function start(args: readonly string[], home: string): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, OLDHAND_HOME: home };
  return spawn(process.execPath, args, { env, cwd: home });
}

async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  child.stdin.end();
  const [code] = (await once(child, "exit")) as readonly (number | null)[];
  if (code !== 0) throw new Error(`${child.spawnargs.slice(1).join(" ")} ended with ${code}`);
}
