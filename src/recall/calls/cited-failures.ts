import type { LocatedCall } from "../../domain/fact/call-needs.ts";
import type { Matcher, Rule } from "../../domain/rule/rule.ts";
import { citedCalls } from "../../store/events/cited-calls.ts";
import type { Db } from "../../store/engine/db.ts";

export interface CitedFailure {
  readonly call: LocatedCall;
  readonly error: string;
}

/** Only the latest of these calls are checked on the disk. */
const MOST = 5;

/**
 * The latest failures a rule was learned from, as if made in this workspace. If their events are deleted, the
 * calls are rebuilt from the matcher.
 */
export async function failuresCitedBy(db: Db, rule: Rule, workspace: string): Promise<readonly CitedFailure[]> {
  const refs = rule.evidence.refs.slice(-MOST);
  const events = await citedCalls(db, refs);
  if (events.length > 0)
    return events.flatMap(({ tool, input, cwd, workspace: of, error }) =>
      tool === null ? [] : [{ call: { tool, input, cwd: of === workspace ? cwd : workspace }, error: error ?? "" }],
    );
  const calls = rule.matcher === null ? [] : callsOf(rule.matcher, workspace);
  return refs.flatMap(({ excerpt }) => calls.map((call) => ({ call, error: excerpt })));
}

function callsOf({ tool, head, heads = [], has = [] }: Matcher, cwd: string): readonly LocatedCall[] {
  const named = (kind: RegExp) => has.flatMap((trait) => kind.exec(trait)?.slice(1) ?? []);
  if (tool !== "shell")
    return [{ tool, input: Object.fromEntries(has.flatMap((trait) => [trait.split("=", 2)])), cwd }];
  return [...(head === undefined ? [] : [head]), ...heads].map((one) => ({
    tool: "bash",
    input: { command: [one, ...named(/^(?:flag|arg) (.+)$/)].join(" ") },
    cwd,
  }));
}
