import type { Context } from "../context.ts";
import { isShellTool, mainCommand, shellTextOf } from "../domain/command.ts";
import { type Event, isFailure } from "../domain/event.ts";
import type { Policy } from "../domain/policy.ts";
import type { Evidence, Level, Matcher, Scope } from "../domain/rule.ts";
import { wilsonLower } from "../domain/wilson.ts";
import { DAY } from "../lib/clock.ts";
import { oneLine, plural } from "../lib/text.ts";
import { eventsAfter, lastEventAt } from "../store/events.ts";
import { recoveriesOf } from "../store/recoveries.ts";

/** A rule that could be, with what speaks for it. */
export interface Proposal {
  readonly text: string;
  readonly signature: string | null;
  readonly matcher: Matcher;
  readonly scope: Scope;
  readonly level: Level;
  readonly confidence: number;
  readonly evidence: Evidence;
  readonly backtest: {
    readonly opportunities: number;
    readonly hits: number;
    readonly falseAlarms: number;
    readonly lower: number;
  };
}

interface Tried {
  readonly command: string;
  failed: number;
  worked: number;
  readonly sessions: Set<string>;
  readonly workspaces: Set<string>;
  readonly failures: Event[];
  /** The numbers of all of them. */
  readonly ids: number[];
}

const BATCH = 5_000;
const KEPT_REFS = 20;

/** The same command failing again and again: one rule each, with every try of it counted, also those that worked. */
export async function mineFailures(world: Pick<Context, "db" | "clock" | "config">): Promise<readonly Proposal[]> {
  const { distil, observe } = world.config.policy;
  const since = (await lastEventAt(world.db, world.clock.now())) - distil.mineDays * DAY;
  const tried = new Map<string, Tried>();
  for await (const event of callsSince(world, since)) {
    const command = commandOf(event);
    if (command === null) continue;
    const entry = tried.get(command) ?? newTried(command);
    tried.set(command, entry);
    count(entry, event);
  }
  const proposals: Proposal[] = [];
  for (const entry of tried.values()) {
    if (entry.failed < distil.minCount || entry.sessions.size < distil.minSessions) continue;
    proposals.push(propose(entry, await remedyOf(world.db, entry, observe.recoveryWithin), distil));
  }
  return proposals.toSorted((a, b) => b.backtest.hits - a.backtest.hits || (a.text < b.text ? -1 : 1));
}

async function* callsSince(world: Pick<Context, "db">, since: number): AsyncIterable<Event> {
  for (let after = 0; ;) {
    const events = await eventsAfter(world.db, after, Number.MAX_SAFE_INTEGER, BATCH);
    for (const event of events) if (event.kind === "call" && event.at >= since) yield event;
    const end = events.at(-1);
    if (end === undefined || events.length < BATCH) return;
    after = end.id;
  }
}

function count(entry: Tried, event: Event): void {
  if (isFailure(event)) {
    entry.failed++;
    entry.ids.push(event.id);
    entry.sessions.add(`${event.host} ${event.session}`);
    if (event.workspace !== null) entry.workspaces.add(event.workspace);
    if (entry.failures.length < KEPT_REFS) entry.failures.push(event);
  } else if (event.outcome === "ok" || event.benign) entry.worked++;
}

interface Remedy {
  readonly command: string;
  readonly times: number;
}

/** What worked most often after it had failed: that is what should have been run. */
async function remedyOf(db: Context["db"], entry: Tried, within: number): Promise<Remedy | null> {
  const times = new Map<string, number>();
  for (const { by } of await recoveriesOf(db, entry.ids, within)) {
    const command = commandOf(by);
    if (command === null) continue;
    // Where the command itself is the same, what was put before it made the difference.
    const better = command === entry.command ? oneLine(shellTextOf(by.input) ?? "", 500) : command;
    if (better !== entry.command) times.set(better, (times.get(better) ?? 0) + 1);
  }
  const [best] = [...times].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return best ? { command: best[0], times: best[1] } : null;
}

function propose(entry: Tried, remedy: Remedy | null, policy: Policy["distil"]): Proposal {
  const opportunities = entry.failed + entry.worked;
  const lower = wilsonLower(entry.failed, opportunities);
  const [workspace] = entry.workspaces;
  const scope: Scope =
    entry.workspaces.size === 1 && workspace !== undefined ? { kind: "workspace", workspace } : { kind: "global" };
  const first = entry.failures[0];
  const final = entry.failures.at(-1);
  const mayNudge = opportunities >= policy.opportunitiesBeforeSpeaking && lower >= policy.nudgePrecision;
  return {
    text: sentence(entry, remedy, opportunities),
    signature: first?.signature ?? null,
    matcher: { tool: "shell", command: entry.command },
    scope,
    level: mayNudge ? "nudge" : "watch",
    confidence: Number(lower.toFixed(4)),
    evidence: {
      observations: entry.failed,
      sessions: entry.sessions.size,
      first: first?.at ?? 0,
      last: final?.at ?? 0,
      refs: entry.failures.map((event) => ({
        host: event.host,
        session: event.session,
        seq: event.seq,
        at: event.at,
        excerpt: oneLine(event.error ?? "", 200),
      })),
    },
    backtest: { opportunities, hits: entry.failed, falseAlarms: entry.worked, lower },
  };
}

/** Made of what the agent ran and how often it failed. Never of the tool's output: that is somebody else's text. */
function sentence(entry: Tried, remedy: Remedy | null, opportunities: number): string {
  const tale = `\`${oneLine(entry.command, 120)}\` failed ${entry.failed} of ${plural(opportunities, "time")}`;
  return remedy
    ? `Run \`${oneLine(remedy.command, 120)}\` instead: ${tale}, and this worked after it ${plural(remedy.times, "time")}.`
    : `Do not run it as it is: ${tale}.`;
}

function commandOf(event: Event): string | null {
  const shell = event.tool !== null && isShellTool(event.tool) ? shellTextOf(event.input) : null;
  return shell === null ? null : (mainCommand(shell)?.text ?? null);
}

function newTried(command: string): Tried {
  return {
    command,
    failed: 0,
    worked: 0,
    sessions: new Set(),
    workspaces: new Set(),
    failures: [],
    ids: [],
  };
}
