import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { type FilledMind, fillDashboardMind } from "./dashboard-minds.ts";
import {
  measureResponseMs,
  measureBareNodeMs,
  measureCommandMs,
  measurePageMs,
  startBenchServer,
  type BenchServer,
} from "./dashboard-server.ts";
import { median, roundTo } from "./floor.ts";

export interface DashboardOptions {
  /** Number of events in each mind, smallest first. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Server address without a database name; null: SQLite. */
  readonly postgres: string | null;
  /** A folder that keeps the minds for the next run; null: a temporary one. Not with PostgreSQL. */
  readonly folder: string | null;
  readonly say: (line: string) => void;
}

/** Milliseconds by page, operation or command. */
type NamedTimes = Readonly<Record<string, number>>;

export interface DashboardReport {
  readonly node: string;
  readonly store: "sqlite" | "postgres";
  readonly rounds: number;
  /** An empty program, run in turn with the commands: the machine's current speed. */
  readonly bareNodeMs: number;
  readonly minds: readonly {
    readonly events: number;
    readonly rules: { readonly candidates: number };
    readonly seconds: FilledMind["seconds"];
    readonly startToFirstPageMs: number;
    readonly stopMs: number;
    /** Milliseconds: the median over rounds; `fastest` has the minimum. */
    readonly views: NamedTimes;
    readonly answers: NamedTimes;
    readonly commands: NamedTimes;
    readonly fastest: { readonly views: NamedTimes; readonly answers: NamedTimes; readonly commands: NamedTimes };
  }[];
  /** Largest mind divided by smallest, each by its fastest round: the one least disturbed by other processes. */
  readonly growth: { readonly views: NamedTimes; readonly answers: NamedTimes; readonly commands: NamedTimes };
  readonly worst: { readonly view: string; readonly growth: number; readonly ms: number };
}

interface MeasuredMind {
  readonly mind: FilledMind;
  readonly served: BenchServer;
  readonly page: Page;
  readonly firstPageMs: number;
  readonly times: Map<string, number[]>;
}

/**
 * Measures how long each page of the dashboard, its API calls and commands take in minds of several sizes. All servers
 * run at the same time and are called in turn, so that other load affects all equally. Nothing is embedded meanwhile,
 * because that would be measured too.
 */
export async function benchDashboard(options: DashboardOptions): Promise<DashboardReport> {
  const { sizes, say } = options;
  const dir = options.folder ?? mkdtempSync(join(tmpdir(), "oldhand-dashboard-"));
  const browser = await launchBrowser();
  const measured: MeasuredMind[] = [];
  const minds: FilledMind[] = [];
  const servers: BenchServer[] = [];
  try {
    for (const events of sizes) {
      say(`storing ${events} events`);
      const mind = await fillDashboardMind(dir, events, options.postgres);
      minds.push(mind);
      measureCommandMs(mind, ["config", "set", "embedder", "none"]);
    }
    for (const mind of minds) {
      say(`serving ${mind.events} events`);
      const served = await startBenchServer(mind);
      servers.push(served);
      // Without this, the page's policy blocks the script that checks whether it is ready.
      const page = await (await browser.newContext({ bypassCSP: true })).newPage();
      await measurePageMs(page, served.address);
      measured.push({ mind, served, page, firstPageMs: performance.now() - served.begun, times: new Map() });
    }
    for (let round = 0; round <= options.rounds; round++) {
      say(`round ${round} of ${options.rounds}`);
      // The first round is a warm-up.
      for (const one of round % 2 === 0 ? measured : measured.toReversed()) await measureMind(one, round > 0);
    }
    const stops = new Map<MeasuredMind, number>();
    for (const one of measured) stops.set(one, await one.served.stop());
    return makeReport(options, measured, stops);
  } finally {
    await browser.close();
    // Already stopped, unless an error occurred.
    for (const served of servers) await served.stop();
    for (const mind of minds) await mind.dropDatabase();
    if (options.folder === null) rmSync(dir, { recursive: true, force: true });
  }
}

async function measureMind({ mind, served, page, times }: MeasuredMind, keeps: boolean): Promise<void> {
  const note = (name: string, ms: number) => {
    if (keeps) times.set(name, [...(times.get(name) ?? []), ms]);
  };
  for (const [name, path] of listViews(mind)) note(`view ${name}`, await measurePageMs(page, served.origin + path));
  for (const [operation, input] of apiQueries)
    note(`answer ${nameOf(operation, input)}`, await measureResponseMs(served, operation.replaceAll(" ", "/"), input));
  if (!keeps) return;
  note("bare node", measureBareNodeMs(mind));
  for (const args of listCommands(mind))
    note(`command ${nameOf(args[0] ?? "", args.slice(1))}`, measureCommandMs(mind, args));
}

function nameOf(first: string, rest: unknown): string {
  const text = Array.isArray(rest)
    ? rest.map((one) => (/[-_]\w{8,}|^r_/.test(String(one)) ? "ID" : one)).join(" ")
    : "";
  return `${first} ${Array.isArray(rest) ? text : JSON.stringify(rest)}`.trim();
}

function listViews(mind: FilledMind): readonly (readonly [string, string])[] {
  return [
    ["today", "/"],
    ["sessions", "/sessions"],
    ["session", `/sessions/${encodeURIComponent(mind.session)}`],
    ["failures", "/failures"],
    ["rules", "/rules"],
    ["review", "/rules/review"],
    ...(mind.rule === null ? [] : [["rule", `/rules/${encodeURIComponent(mind.rule)}`] as const]),
    ["ledger", "/ledger"],
    ["memory", "/memory"],
    ["identity", "/identity"],
    ["history", "/history"],
    ["hosts", "/hosts"],
  ];
}

const apiQueries: readonly (readonly [string, unknown])[] = [
  ["sessions search", { query: "permission denied docker daemon", by: "neighbours" }],
  ["recall", { query: "docker build" }],
  ["stats", { by: "tool" }],
  ["report", { limit: 10, workspace: "/home/dev/projects/service-1" }],
];

function listCommands(mind: FilledMind): readonly (readonly string[])[] {
  return [
    ["status"],
    ["report"],
    ["sessions", "list"],
    ["sessions", "show", mind.session],
    ["sessions", "live"],
    ["sessions", "search", "permission denied docker daemon"],
    ["rules", "list"],
    ...(mind.rule === null ? [] : [["rules", "show", mind.rule] as const, ["rules", "backtest", mind.rule] as const]),
    ["recall", "docker build"],
    ["stats", "tool"],
    ["history"],
    ["hosts"],
    ["ledger"],
    ["memories"],
    ["suggest", "skills"],
  ];
}

function makeReport(
  options: DashboardOptions,
  measured: readonly MeasuredMind[],
  stops: ReadonlyMap<MeasuredMind, number>,
): DashboardReport {
  const [smallest, largest] = [measured[0], measured.at(-1)];
  const growthOf = (kind: string): NamedTimes =>
    Object.fromEntries(
      [...(largest?.times ?? [])]
        .filter(([name]) => name.startsWith(`${kind} `))
        .map(([name, all]) => {
          const small = smallest?.times.get(name) ?? [];
          return [name.slice(kind.length + 1), roundTo(Math.min(...all) / Math.min(...small))];
        }),
    );
  const timesOf = (
    one: MeasuredMind | undefined,
    kind: string,
    of: (all: readonly number[]) => number = median,
  ): NamedTimes =>
    Object.fromEntries(
      [...(one?.times ?? [])]
        .filter(([name]) => name.startsWith(`${kind} `))
        .map(([name, all]) => [name.slice(kind.length + 1), roundTo(of(all), 0)]),
    );
  const fastest = (all: readonly number[]) => Math.min(...all);
  const growth = { views: growthOf("view"), answers: growthOf("answer"), commands: growthOf("command") };
  const [view = "", most = 0] = Object.entries(growth.views).toSorted((a, b) => b[1] - a[1])[0] ?? [];
  return {
    node: process.versions.node,
    store: options.postgres === null ? "sqlite" : "postgres",
    rounds: options.rounds,
    bareNodeMs: roundTo(median(measured.flatMap((one) => one.times.get("bare node") ?? [])), 1),
    minds: measured.map((one) => ({
      events: one.mind.events,
      rules: { candidates: one.mind.candidates },
      seconds: one.mind.seconds,
      startToFirstPageMs: roundTo(one.firstPageMs, 0),
      stopMs: roundTo(stops.get(one) ?? Number.NaN, 0),
      views: timesOf(one, "view"),
      answers: timesOf(one, "answer"),
      commands: timesOf(one, "command"),
      fastest: {
        views: timesOf(one, "view", fastest),
        answers: timesOf(one, "answer", fastest),
        commands: timesOf(one, "command", fastest),
      },
    })),
    growth,
    worst: { view, growth: most, ms: timesOf(largest, "view")[view] ?? Number.NaN },
  };
}
