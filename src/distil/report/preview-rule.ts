import { commandExamples, type CommandExample } from "../../domain/rule/matching/command-examples.ts";
import { matchesSteps } from "../../domain/rule/matching/matcher.ts";
import { scopeCovers, type Matcher, type Scope } from "../../domain/rule/rule.ts";
import { isShellTool } from "../../domain/shell/command.ts";
import { parseEveryCommand } from "../../domain/shell/every-command.ts";
import { isRunOfNamed, parseNamedCommands } from "../../domain/shell/named-command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { oneLine } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import { type RecentCall, listRecentCallsHolding } from "../../store/events/recent-calls.ts";

/** What a rule against a command would have matched, and would match. */
export interface RulePreview {
  readonly examples: readonly CommandExample[];
  readonly history: {
    /** Recorded calls of the same command, with any flags. */
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

/** Only the newest are read, so that an owner with a long history does not wait. */
const MAX_EVENTS = 50_000;
const MAX_CALLS = 5_000;
const MAX_SHOWN = 3;

/** Null for a rule that names no command. */
export async function previewRule(
  db: Db,
  { matcher, scope }: { readonly matcher: Matcher | null; readonly scope: Scope },
): Promise<RulePreview | null> {
  const text = matcher?.runs ?? matcher?.command;
  if (matcher === null || text === undefined) return null;
  const calls = (await listCalls(db, text)).filter((call) => scopeCovers(scope, call.workspace));
  const isMatched = (call: RecentCall) => matchesSteps(matcher, parseSteps(call), new Set());
  const matched = calls.filter(isMatched);
  return {
    examples: commandExamples(matcher),
    history: {
      calls: calls.length,
      matched: matched.length,
      last: matched.slice(0, MAX_SHOWN).map((call) => {
        const { at, host, session, seq } = call;
        return { at, host, session, seq, command: getCommand(call) };
      }),
      near: countCommands(calls.filter((call) => !isMatched(call)).map(getCommand)).slice(0, MAX_SHOWN),
    },
  };
}

/** The newest recorded calls that a command matcher matches, each spelling once. */
export async function listRecordedMatches(
  db: Db,
  { matcher, scope }: { readonly matcher: Matcher; readonly scope: Scope },
): Promise<RulePreview["history"]["near"]> {
  const text = matcher.head?.split(" ", 1)[0] ?? "";
  const calls = await listRecentCallsHolding(db, { text, events: MAX_EVENTS, limit: MAX_CALLS });
  const isMatched = (call: RecentCall) =>
    isShellTool(call.tool) && scopeCovers(scope, call.workspace) && matchesSteps(matcher, parseSteps(call), new Set());
  return countCommands(calls.filter(isMatched).map(getCommand));
}

/** Recorded calls of the named program and subcommands, with any flags and arguments. */
async function listCalls(db: Db, named: string): Promise<readonly RecentCall[]> {
  const [first] = parseNamedCommands(named);
  if (first === undefined) return [];
  const bare = { ...first, flags: [], args: [], assignments: [], redirects: [], wrappers: [] };
  const found = await listRecentCallsHolding(db, { text: first.program, events: MAX_EVENTS, limit: MAX_CALLS });
  return found.filter((call) => {
    const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
    return shell !== null && parseEveryCommand(shell).some((command) => isRunOfNamed(bare, command));
  });
}

function getCommand(call: RecentCall): string {
  return oneLine(findShellText(call.input) ?? "", 120);
}

function countCommands(commands: readonly string[]): RulePreview["history"]["near"] {
  const times = new Map<string, number>();
  for (const command of commands) times.set(command, (times.get(command) ?? 0) + 1);
  return [...times].map(([command, count]) => ({ command, times: count }));
}
