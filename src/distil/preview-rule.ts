import { commandExamples, type CommandExample } from "../domain/rule/command-examples.ts";
import { matches } from "../domain/rule/matcher.ts";
import { covers, type Matcher, type Scope } from "../domain/rule/rule.ts";
import { isShellTool } from "../domain/shell/command.ts";
import { everyCommandOf } from "../domain/shell/every-command.ts";
import { isRunOf, namedCommands } from "../domain/shell/named-command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import { stepsOf } from "../domain/shell/step.ts";
import { oneLine } from "../lib/text.ts";
import type { Db } from "../store/engine/db.ts";
import { type RecentCall, recentCallsHolding } from "../store/recent-calls.ts";

/** What a rule against a command would have done, and would do. */
export interface RulePreview {
  readonly examples: readonly CommandExample[];
  readonly history: {
    /** Recorded calls that run the same command, with whatever flags. */
    readonly calls: number;
    readonly matched: number;
    readonly last: readonly MatchedCall[];
    /** Calls of the same command that it would not match, newest first. */
    readonly near: readonly { readonly command: string; readonly times: number }[];
  };
}

export interface MatchedCall {
  readonly at: number;
  readonly host: string;
  readonly session: string;
  readonly seq: number;
  readonly command: string;
}

/** Only the newest are looked at, so that an owner with a long history does not wait. */
const EVENTS = 50_000;
const CALLS = 5_000;
const SHOWN = 3;

/** Null for a rule that names no command. */
export async function previewRule(
  db: Db,
  { matcher, scope }: { readonly matcher: Matcher | null; readonly scope: Scope },
): Promise<RulePreview | null> {
  const text = matcher?.runs ?? matcher?.command;
  if (matcher === null || text === undefined) return null;
  const calls = (await callsOf(db, text)).filter((call) => covers(scope, call.workspace));
  const isMatched = (call: RecentCall) => matches(matcher, stepsOf(call), new Set());
  const matched = calls.filter(isMatched);
  return {
    examples: commandExamples(matcher),
    history: {
      calls: calls.length,
      matched: matched.length,
      last: matched.slice(0, SHOWN).map((call) => {
        const { at, host, session, seq } = call;
        return { at, host, session, seq, command: commandOf(call) };
      }),
      near: counted(calls.filter((call) => !isMatched(call)).map(commandOf)).slice(0, SHOWN),
    },
  };
}

/** The newest recorded calls that a matcher of a command matches, each spelling once. */
export async function recordedMatches(
  db: Db,
  { matcher, scope }: { readonly matcher: Matcher; readonly scope: Scope },
): Promise<RulePreview["history"]["near"]> {
  const text = matcher.head?.split(" ", 1)[0] ?? "";
  const calls = await recentCallsHolding(db, { text, events: EVENTS, limit: CALLS });
  const isMatched = (call: RecentCall) =>
    isShellTool(call.tool) && covers(scope, call.workspace) && matches(matcher, stepsOf(call), new Set());
  return counted(calls.filter(isMatched).map(commandOf));
}

/** The recorded calls that run the named command's program and subcommands, whatever flags and arguments they have. */
async function callsOf(db: Db, named: string): Promise<readonly RecentCall[]> {
  const [first] = namedCommands(named);
  if (first === undefined) return [];
  const bare = { ...first, flags: [], args: [], assignments: [], redirects: [], wrappers: [] };
  const found = await recentCallsHolding(db, { text: first.program, events: EVENTS, limit: CALLS });
  return found.filter((call) => {
    const shell = isShellTool(call.tool) ? shellTextOf(call.input) : null;
    return shell !== null && everyCommandOf(shell).some((command) => isRunOf(bare, command));
  });
}

function commandOf(call: RecentCall): string {
  return oneLine(shellTextOf(call.input) ?? "", 120);
}

function counted(commands: readonly string[]): RulePreview["history"]["near"] {
  const times = new Map<string, number>();
  for (const command of commands) times.set(command, (times.get(command) ?? 0) + 1);
  return [...times].map(([command, count]) => ({ command, times: count }));
}
