import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { type FilledMind, fillDashboardMind } from "./dashboard-minds.ts";
import { answerMs, bareNodeMs, commandMs, openMs, serve, type Served } from "./dashboard-server.ts";
import { median, rounded } from "./floor.ts";

export interface DashboardOptions {
  /** Events in each mind, the smallest first. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Address of a server without a database; null: SQLite. */
  readonly postgres: string | null;
  /** A folder in which the minds stay, and are found the next time; null: one that is removed. Not with PostgreSQL. */
  readonly folder: string | null;
  readonly say: (line: string) => void;
}

/** By what was asked. */
type Times = Readonly<Record<string, number>>;

export interface DashboardReport {
  readonly node: string;
  readonly store: "sqlite" | "postgres";
  readonly rounds: number;
  /** An empty program, started in turn with the commands: what the machine gives just now. */
  readonly bareNodeMs: number;
  readonly minds: readonly {
    readonly events: number;
    readonly rules: { readonly candidates: number };
    readonly seconds: FilledMind["seconds"];
    readonly startToFirstPageMs: number;
    readonly stopMs: number;
    /** Milliseconds, the median over rounds; `fastest` has the best of them. */
    readonly views: Times;
    readonly answers: Times;
    readonly commands: Times;
    readonly fastest: { readonly views: Times; readonly answers: Times; readonly commands: Times };
  }[];
  /** The largest mind to the smallest, each by its fastest round: that is the one in which the machine did least besides. */
  readonly growth: { readonly views: Times; readonly answers: Times; readonly commands: Times };
  readonly worst: { readonly view: string; readonly growth: number; readonly ms: number };
}

interface Standing {
  readonly mind: FilledMind;
  readonly served: Served;
  readonly page: Page;
  readonly firstPageMs: number;
  readonly times: Map<string, number[]>;
}

/**
 * How long a person waits for each page of the dashboard, for its answers and for commands, in minds of several sizes.
 * All servers stand at the same time and are asked in turn, so that what else the machine does meets all alike. Nothing
 * is embedded meanwhile: that would be measured instead.
 */
export async function benchDashboard(options: DashboardOptions): Promise<DashboardReport> {
  const { sizes, say } = options;
  const dir = options.folder ?? mkdtempSync(join(tmpdir(), "oldhand-dashboard-"));
  const browser = await launchBrowser();
  const standing: Standing[] = [];
  const minds: FilledMind[] = [];
  const servers: Served[] = [];
  try {
    for (const events of sizes) {
      say(`storing ${events} events`);
      const mind = await fillDashboardMind(dir, events, options.postgres);
      minds.push(mind);
      commandMs(mind, ["config", "set", "embedder", "none"]);
    }
    for (const mind of minds) {
      say(`serving ${mind.events} events`);
      const served = await serve(mind);
      servers.push(served);
      // Else the page refuses to be asked whether it is ready.
      const page = await (await browser.newContext({ bypassCSP: true })).newPage();
      await openMs(page, served.address);
      standing.push({ mind, served, page, firstPageMs: performance.now() - served.begun, times: new Map() });
    }
    for (let round = 0; round <= options.rounds; round++) {
      say(`round ${round} of ${options.rounds}`);
      // The first round warms up.
      for (const one of round % 2 === 0 ? standing : standing.toReversed()) await measure(one, round > 0);
    }
    const stops = new Map<Standing, number>();
    for (const one of standing) stops.set(one, await one.served.stop());
    return reportOf(options, standing, stops);
  } finally {
    await browser.close();
    // Stopped already, but where something went wrong.
    for (const served of servers) await served.stop();
    for (const mind of minds) await mind.dropDatabase();
    if (options.folder === null) rmSync(dir, { recursive: true, force: true });
  }
}

async function measure({ mind, served, page, times }: Standing, keeps: boolean): Promise<void> {
  const note = (name: string, ms: number) => {
    if (keeps) times.set(name, [...(times.get(name) ?? []), ms]);
  };
  for (const [name, path] of viewsOf(mind)) note(`view ${name}`, await openMs(page, served.origin + path));
  for (const [operation, input] of answersAsked)
    note(`answer ${nameOf(operation, input)}`, await answerMs(served, operation.replaceAll(" ", "/"), input));
  if (!keeps) return;
  note("bare node", bareNodeMs(mind));
  for (const args of commandsOf(mind)) note(`command ${nameOf(args[0] ?? "", args.slice(1))}`, commandMs(mind, args));
}

function nameOf(first: string, rest: unknown): string {
  const text = Array.isArray(rest)
    ? rest.map((one) => (/[-_]\w{8,}|^r_/.test(String(one)) ? "ID" : one)).join(" ")
    : "";
  return `${first} ${Array.isArray(rest) ? text : JSON.stringify(rest)}`.trim();
}

function viewsOf(mind: FilledMind): readonly (readonly [string, string])[] {
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

const answersAsked: readonly (readonly [string, unknown])[] = [
  ["sessions search", { query: "permission denied docker daemon", by: "neighbours" }],
  ["recall", { query: "docker build" }],
  ["stats", { by: "tool" }],
  ["report", { limit: 10, workspace: "/home/dev/projects/service-1" }],
];

function commandsOf(mind: FilledMind): readonly (readonly string[])[] {
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

function reportOf(
  options: DashboardOptions,
  standing: readonly Standing[],
  stops: ReadonlyMap<Standing, number>,
): DashboardReport {
  const [smallest, largest] = [standing[0], standing.at(-1)];
  const growthOf = (kind: string): Times =>
    Object.fromEntries(
      [...(largest?.times ?? [])]
        .filter(([name]) => name.startsWith(`${kind} `))
        .map(([name, all]) => {
          const small = smallest?.times.get(name) ?? [];
          return [name.slice(kind.length + 1), rounded(Math.min(...all) / Math.min(...small))];
        }),
    );
  const timesOf = (one: Standing | undefined, kind: string, of: (all: readonly number[]) => number = median): Times =>
    Object.fromEntries(
      [...(one?.times ?? [])]
        .filter(([name]) => name.startsWith(`${kind} `))
        .map(([name, all]) => [name.slice(kind.length + 1), rounded(of(all), 0)]),
    );
  const fastest = (all: readonly number[]) => Math.min(...all);
  const growth = { views: growthOf("view"), answers: growthOf("answer"), commands: growthOf("command") };
  const [view = "", most = 0] = Object.entries(growth.views).toSorted((a, b) => b[1] - a[1])[0] ?? [];
  return {
    node: process.versions.node,
    store: options.postgres === null ? "sqlite" : "postgres",
    rounds: options.rounds,
    bareNodeMs: rounded(median(standing.flatMap((one) => one.times.get("bare node") ?? [])), 1),
    minds: standing.map((one) => ({
      events: one.mind.events,
      rules: { candidates: one.mind.candidates },
      seconds: one.mind.seconds,
      startToFirstPageMs: rounded(one.firstPageMs, 0),
      stopMs: rounded(stops.get(one) ?? Number.NaN, 0),
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
