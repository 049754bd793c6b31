import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { sleep } from "../src/lib/sleep.ts";
import { openStore } from "../src/store/open.ts";
import { roundTo } from "./floor.ts";

export interface HerdBenchOptions {
  /** The built program; every hook is a process of its own. */
  readonly program: string;
  readonly rounds: number;
  /** A server address without a database. */
  readonly postgres: string;
  readonly say?: (line: string) => void;
}

export interface HerdReport {
  readonly rounds: number;
  /** From the fourth failure on `a` to the rule at the call on `b`. `a` ends its turn after the failure. */
  readonly afterTurn: HerdDelays;
  /** The same, while the turn of `a` goes on: a living process of `b` learns from it. */
  readonly withinTurn: HerdDelays;
  readonly load: readonly [number, number];
}

interface HerdDelays {
  /** `b` has a process that lives as long as its session, and one process per call. */
  readonly livingMs: Delays;
  readonly commandMs: Delays;
}

interface Delays {
  readonly count: number;
  readonly silent: number;
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
}

/** Two homes on one PostgreSQL, with clones of one repository in different folders. */
export async function benchHerd({ program, rounds, postgres, say = () => {} }: HerdBenchOptions): Promise<HerdReport> {
  const folder = mkdtempSync(join(tmpdir(), "oldhand-bench-herd-"));
  const database = await newDatabase(postgres);
  const load = loadavg()[0] ?? 0;
  try {
    await (await openStore({ database: database.address, busyMs: 20_000 })).close();
    const [a, b] = ["a", "b"].map((name) => newMachine(program, { folder, name, database: database.address }));
    if (a === undefined || b === undefined) throw new Error("two machines are needed");
    const measure = async (turnEnds: boolean): Promise<HerdDelays> => {
      const living: (number | null)[] = [];
      const command: (number | null)[] = [];
      for (let round = 0; round < rounds; round++) {
        const one = await measureRound(a, b, { name: `${turnEnds ? "end" : "on"}${round}`, turnEnds });
        living.push(one.living);
        command.push(one.command);
        say(
          `${turnEnds ? "after" : "within"} a turn, round ${round + 1}: ${one.living ?? "–"} ms living, ${one.command ?? "–"} ms command`,
        );
      }
      return { livingMs: summarise(living), commandMs: summarise(command) };
    };
    const afterTurn = await measure(true);
    const withinTurn = await measure(false);
    return { rounds, afterTurn, withinTurn, load: [roundTo(load, 1), roundTo(loadavg()[0] ?? 0, 1)] };
  } finally {
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface HerdMachine {
  readonly workspace: string;
  /** One process for one payload. */
  hook(payload: object): Promise<string>;
  /** A process that lives as long as its session. */
  stream(): { ask(payload: object): Promise<string>; close(): void };
}

/** A rule that is not spoken after this long counts as silent. */
const LIMIT_MS = 15_000;

async function measureRound(
  a: HerdMachine,
  b: HerdMachine,
  { name, turnEnds }: { readonly name: string; readonly turnEnds: boolean },
): Promise<{ readonly living: number | null; readonly command: number | null }> {
  const tool = `deploy${name} push --fast`;
  const error = "Exit code 2\nerror: unknown option '--fast'";
  const session = (of: HerdMachine, id: string) => ({ session_id: `${name}-${id}`, cwd: of.workspace });
  const call = (of: HerdMachine, id: string, at: number) => ({
    ...session(of, id),
    ...{ tool_name: "Bash", tool_input: { command: tool }, tool_use_id: `${name}-${id}-${at}` },
  });
  const stream = b.stream();
  await stream.ask({ ...session(b, "living"), hook_event_name: "SessionStart", source: "startup" });
  for (const id of ["a1", "a2"])
    await a.hook({ ...session(a, id), hook_event_name: "SessionStart", source: "startup" });
  const fail = (id: string, at: number) => a.hook({ ...call(a, id, at), hook_event_name: "PostToolUseFailure", error });
  await fail("a1", 1);
  await fail("a1", 2);
  await fail("a2", 3);
  const began = performance.now();
  await fail("a2", 4);
  const ended = turnEnds
    ? a.hook({ ...session(a, "a2"), hook_event_name: "Stop", stop_hook_active: false })
    : Promise.resolve("");
  const delays: { living: number | null; command: number | null } = { living: null, command: null };
  const attempt = (id: string, at: number) => ({ ...call(b, `${id}${at}`, at), hook_event_name: "PreToolUse" });
  for (let at = 0; performance.now() - began < LIMIT_MS; at++) {
    if (delays.living === null && isSpoken(await stream.ask(attempt("living", at))))
      delays.living = Math.round(performance.now() - began);
    if (delays.command === null && isSpoken(await b.hook(attempt("command", at))))
      delays.command = Math.round(performance.now() - began);
    if (delays.living !== null && delays.command !== null) break;
    // An agent thinks between two calls. A living process learns in such a pause, if it lasts a second.
    await sleep(turnEnds ? 100 : 1_500);
  }
  await ended;
  stream.close();
  return delays;
}

function isSpoken(reply: string): boolean {
  return /oldhand, rule r_/.test(reply);
}

function newMachine(
  program: string,
  { folder, name, database }: { readonly folder: string; readonly name: string; readonly database: string },
): HerdMachine {
  const home = join(folder, name, "home");
  const workspace = join(folder, name, `shop-${name}`);
  mkdirSync(home, { recursive: true });
  mkdirSync(join(workspace, ".git"), { recursive: true });
  writeFileSync(join(workspace, ".git", "config"), '[remote "origin"]\n\turl = git@example.com:acme/shop.git\n');
  const settings = { database, embedder: "none", team: { machine: name } };
  writeFileSync(join(home, "config.json"), JSON.stringify(settings), { mode: 0o600 });
  const start = (...more: readonly string[]) =>
    spawn(process.execPath, [program, "hook", "claude-code", "--home", home, ...more], { cwd: workspace });
  return {
    workspace,
    hook: (payload) => readAll(start(), JSON.stringify(payload)),
    stream: () => {
      const child = start("--stream");
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        ask: async (payload) => {
          child.stdin.write(`${JSON.stringify(payload)}\n`);
          const { value } = (await lines.next()) as { value?: string };
          return value ?? "";
        },
        close: () => child.stdin.end(),
      };
    },
  };
}

function readAll(child: ChildProcessWithoutNullStreams, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.once("error", reject);
    child.once("close", () => resolve(text));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

function summarise(delays: readonly (number | null)[]): Delays {
  const known = delays.filter((one) => one !== null).toSorted((x, y) => x - y);
  const at = (share: number) => known[Math.min(known.length - 1, Math.ceil(share * known.length) - 1)] ?? 0;
  const silent = delays.length - known.length;
  return { count: known.length, silent, p50: at(0.5), p95: at(0.95), most: at(1) };
}

async function newDatabase(postgres: string): Promise<{ readonly address: string; remove(): Promise<void> }> {
  const name = `bench_${randomUUID().replaceAll("-", "")}`;
  const addressOf = (database: string) => {
    const url = new URL(postgres);
    url.pathname = `/${database}`;
    return url.toString();
  };
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: addressOf("postgres") });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(`create database ${name}`);
  return { address: addressOf(name), remove: () => run(`drop database if exists ${name} with (force)`) };
}
