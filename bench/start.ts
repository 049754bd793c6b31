import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packageRoot } from "../src/lib/package-root.ts";
import { fillMind } from "./filled-mind.ts";
import { median, roundTo, computeTimeRatio } from "./floor.ts";

export interface StartRow {
  readonly what: string;
  readonly medianMs: number;
  /** Relative to bare `node -e 0`. */
  readonly ratio: number;
}

/** The cost of a hook in a large mind divided by its cost in a small one, in the same rounds. */
export interface Flatness {
  readonly small: number;
  readonly large: number;
  /** For the whole process. */
  readonly storedEvent: number;
  readonly storedFailure: number;
  /** For the part on top of a bare Node, where any difference must be. */
  readonly storedEventOverNode: number;
  readonly storedFailureOverNode: number;
}

export interface StartReport {
  readonly node: string;
  readonly rounds: number;
  readonly stored: number;
  readonly rows: readonly StartRow[];
  readonly flatness: Flatness;
  /** Compared with another build in the same rounds, each in its own new home; above 1: this build is slower. */
  readonly against?: Readonly<Record<string, number>>;
}

export interface StartOptions {
  readonly rounds: number;
  readonly stored: number;
  /** Events in the large mind. */
  readonly large: number;
  /** The `oldhand.cjs` of another build to compare with. */
  readonly against?: string | undefined;
  readonly say: (line: string) => void;
}

/**
 * Measures what our processes cost compared with Node itself. Each case runs once per round, so that other load affects
 * all equally.
 */
export async function benchStart(options: StartOptions): Promise<StartReport> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const [small, large] = [join(dir, "small"), join(dir, "large")];
  try {
    await fillMind(small, options.stored);
    options.say(`storing ${options.large} events`);
    await fillMind(large, options.large);
    const program = join(packageRoot(), "dist", "oldhand.cjs");
    let calls = 0;
    const hook = (input: string, home = small): Case => ({ args: [program, "hook", "claude-code"], input, home });
    const cases: Record<string, () => Case> = {
      "bare node": () => ({ args: ["-e", "0"], input: "", home: small }),
      "--version": () => ({ args: [program, "--version"], input: "", home: small }),
      "hook, switched off": () => ({ ...hook(after(0)), env: { OLDHAND_OFF: "1" } }),
      "hook, nothing to store": () => hook(other),
      "hook, before a call": () => hook(before),
      "hook, one stored event": () => hook(after(++calls)),
      "hook, one stored event, large mind": () => hook(after(++calls), large),
      "hook, one stored failure": () => hook(failed(++calls)),
      "hook, one stored failure, large mind": () => hook(failed(++calls), large),
    };
    if (options.against !== undefined) Object.assign(cases, comparison(program, options.against, dir));
    const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
    for (let round = 0; round <= options.rounds; round++) {
      // The order alternates, because later cases find a warmer machine.
      const order = Object.entries(cases);
      for (const [name, make] of round % 2 === 0 ? order : order.toReversed()) {
        const ms = run(make());
        // The first round warms the disk cache.
        if (round > 0) times.get(name)?.push(ms);
      }
    }
    const floor = median(times.get("bare node") ?? []);
    const rows = [...times].map(([what, all]) => ({
      what,
      medianMs: roundTo(median(all), 1),
      ratio: roundTo(median(all) / floor),
    }));
    const { rounds, stored } = options;
    const against = options.against === undefined ? {} : { against: comparedWith(times) };
    return { node: process.versions.node, rounds, stored, rows, flatness: flatnessOf(times, options), ...against };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const COMPARED = ["before a call", "one stored event", "one stored failure"];
const THIS = "this build";
const OTHER = "the other build";

/** Each build creates its own home: an older build refuses a database of a newer one. */
function comparison(program: string, other: string, dir: string): Record<string, () => Case> {
  let calls = 0;
  const inputs = [() => before, () => after(++calls), () => failed(++calls)];
  const builds = [
    { name: THIS, path: program, home: join(dir, "this") },
    { name: OTHER, path: resolve(other), home: join(dir, "other") },
  ];
  return Object.fromEntries(
    COMPARED.flatMap((what, index) =>
      builds.map(({ name, path, home }) => [
        `${what}, ${name}`,
        () => ({ args: [path, "hook", "claude-code"], input: inputs[index]?.() ?? "", home }),
      ]),
    ),
  );
}

function comparedWith(times: ReadonlyMap<string, readonly number[]>): Record<string, number> {
  const of = (name: string) => times.get(name) ?? [];
  return Object.fromEntries(
    COMPARED.map((what) => [what, roundTo(computeTimeRatio(of(`${what}, ${THIS}`), of(`${what}, ${OTHER}`)), 3)]),
  );
}

function flatnessOf(times: ReadonlyMap<string, readonly number[]>, options: StartOptions): Flatness {
  const of = (name: string) => times.get(name) ?? [];
  const bare = of("bare node");
  const over = (name: string) => median(of(name).map((ms, round) => ms - (bare[round] ?? 0)));
  const [event, failure] = ["hook, one stored event", "hook, one stored failure"];
  const whole = (name: string) => roundTo(computeTimeRatio(of(`${name}, large mind`), of(name)));
  const own = (name: string) => roundTo(over(`${name}, large mind`) / over(name));
  return {
    small: options.stored,
    large: options.large,
    storedEvent: whole(event),
    storedFailure: whole(failure),
    storedEventOverNode: own(event),
    storedFailureOverNode: own(failure),
  };
}

interface Case {
  readonly home: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A clean environment: the caller's variables could distort the measurement. */
function run(one: Case): number {
  const begun = performance.now();
  const env = { PATH: process.env["PATH"] ?? "", HOME: one.home, OLDHAND_HOME: one.home, ...one.env };
  const { status } = spawnSync(process.execPath, one.args, { input: one.input, env });
  if (status !== 0) throw new Error(`${one.args.join(" ")} ended with ${status}`);
  return performance.now() - begun;
}

const common = { session_id: "bench", cwd: tmpdir(), transcript_path: "none", permission_mode: "default" };
const call = { tool_name: "Bash", tool_input: { command: "git status", description: "state" } };
const other = JSON.stringify({ ...common, hook_event_name: "Notification", message: "hello" });
const before = JSON.stringify({ ...common, hook_event_name: "PreToolUse", ...call, tool_use_id: "b" });

function after(n: number): string {
  const tool_response = { stdout: "On branch main\nnothing to commit", stderr: "", interrupted: false };
  return JSON.stringify({ ...common, hook_event_name: "PostToolUse", ...call, tool_use_id: `ok${n}`, tool_response });
}

function failed(n: number): string {
  const error = "Exit code 1\nerror: pathspec 'mian' did not match any file(s) known to git";
  return JSON.stringify({ ...common, hook_event_name: "PostToolUseFailure", ...call, tool_use_id: `no${n}`, error });
}
