import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../src/store/open.ts";
import { median, roundTo } from "./floor.ts";
import { newBenchDatabase } from "./dashboard-minds.ts";
import { openSlowNetwork, type SlowNetwork } from "./slow-network.ts";

export interface HookServerOptions {
  /** Builds to measure, by name: their `oldhand.cjs`. */
  readonly programs: Readonly<Record<string, string>>;
  readonly rounds: number;
  /** A server address without a database. */
  readonly postgres: string;
  readonly say?: (line: string) => void;
}

export interface HookServerRow {
  readonly build: string;
  readonly server: string;
  readonly sessions: number;
  /** Calls against a rule at `deny` that were denied. */
  readonly denied: number;
  /** Those that were denied by the local copy of the rules. */
  readonly byCopy: number;
  /** Calls against a rule at `nudge` whose hook said the rule. */
  readonly nudged: number;
  /** Of one hook, from its start to its end. */
  readonly medianMs: number;
  readonly mostMs: number;
}

/**
 * Whether rules arrive at the call, if the mind is on a server far away: each call is made in a new session, by a process of
 * its own.
 */
export async function benchHookServer(options: HookServerOptions): Promise<{
  readonly rows: readonly HookServerRow[];
  readonly load: readonly [number, number];
  readonly text: string;
}> {
  const { programs, rounds, postgres, say = () => {} } = options;
  const rows: HookServerRow[] = [];
  const before = loadavg()[0] ?? 0;
  for (const [server, roundTripMs, state] of servers)
    for (const [build, program] of Object.entries(programs)) {
      const row = await measureServer({ program, rounds, postgres, roundTripMs, state });
      rows.push({ build, server, sessions: rounds, ...row });
      say(formatRow({ build, server, sessions: rounds, ...row }));
    }
  const load = [roundTo(before, 1), roundTo(loadavg()[0] ?? 0, 1)] as const;
  return { rows, load, text: `${[HEAD, ...rows.map(formatRow)].join("\n")}\n\nLoad: ${load.join(" to ")}.\n` };
}

const servers = [
  ["0 ms", 0, "working"],
  ["10 ms", 10, "working"],
  ["30 ms", 30, "working"],
  ["100 ms", 100, "working"],
  ["does not answer", 0, "hang"],
  ["stopped", 0, "refuse"],
] as const;

const HEAD = `| build | round trip | denied | by the copy | nudged | median ms | most ms |
|---|---|---|---|---|---|---|`;

function formatRow({ build, server, sessions, denied, byCopy, nudged, medianMs, mostMs }: HookServerRow): string {
  return `| ${build} | ${server} | ${denied} of ${sessions} | ${byCopy} | ${nudged} of ${sessions} | ${medianMs} | ${mostMs} |`;
}

interface Measured {
  readonly program: string;
  readonly rounds: number;
  readonly postgres: string;
  readonly roundTripMs: number;
  readonly state: Parameters<SlowNetwork["become"]>[0];
}

type Counts = Omit<HookServerRow, "build" | "server" | "sessions">;

async function measureServer({ program, rounds, postgres, roundTripMs, state }: Measured): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "oldhand-bench-server-"));
  const database = await newBenchDatabase(postgres);
  const network = await openSlowNetwork(database.database, roundTripMs);
  try {
    await (await openStore({ database: database.database, busyMs: 20_000 })).close();
    const home = join(folder, "home");
    const workspace = join(folder, "shop");
    mkdirSync(join(workspace, ".git"), { recursive: true });
    mkdirSync(home);
    const settings = { database: network.address, embedder: "none", team: { machine: "bench" } };
    writeFileSync(join(home, "config.json"), JSON.stringify(settings), { mode: 0o600 });
    const run = (words: readonly string[], stdin = "") =>
      runProgram([program, ...words, "--home", home], workspace, stdin);
    const learned = await run(["learn", "Never force-push main", "--command", "git push --force", "--json"]);
    const { rule } = JSON.parse(learned.text) as { readonly rule: { readonly id: string } };
    await run(["rules", "edit", rule.id, "--level", "deny"]);
    await run(["learn", "Deploy from the release branch", "--command", "deployctl push"]);
    await network.become(state);
    const times: number[] = [];
    const counts = { denied: 0, byCopy: 0, nudged: 0 };
    for (let round = -1; round < rounds; round++) {
      const call = async (name: string, command: string) => {
        const payload = {
          ...{ session_id: `${name}-${round}`, cwd: workspace, hook_event_name: "PreToolUse" },
          ...{ tool_name: "Bash", tool_input: { command }, tool_use_id: `${name}-${round}-1` },
        };
        return run(["hook", "claude-code"], JSON.stringify(payload));
      };
      const denied = await call("deny", "git push --force origin main");
      const nudged = await call("nudge", "deployctl push");
      // The first one compiles the code.
      if (round === -1) continue;
      times.push(denied.ms, nudged.ms);
      if (/"permissionDecision":"deny"/.test(denied.text)) counts.denied++;
      if (/local copy/.test(denied.text)) counts.byCopy++;
      if (/oldhand, rule r_/.test(nudged.text)) counts.nudged++;
    }
    return { ...counts, medianMs: Math.round(median(times)), mostMs: Math.round(Math.max(...times)) };
  } finally {
    await network.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Not `spawnSync`: the network is in this process. */
function runProgram(
  words: readonly string[],
  cwd: string,
  stdin: string,
): Promise<{ readonly text: string; readonly ms: number }> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let text = "";
    const child = spawn(process.execPath, words, { cwd });
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.once("error", reject);
    child.once("close", () => resolve({ text, ms: performance.now() - began }));
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}
