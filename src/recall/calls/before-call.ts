import type { Context } from "../../context.ts";
import type { CallControl } from "../../domain/rule/delivery.ts";
import type { Matcher, ActiveRule } from "../../domain/rule/rule.ts";
import { listActiveRulesAndFactNames } from "../../store/nouns/rules.ts";
import { type Audience, listSayableRules } from "./sayable-rules.ts";

/** A call that is about to run. */
export interface PendingCall {
  readonly host: string;
  readonly session: string;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly tool: string;
  readonly input: unknown;
  /** The sub-agent that would make it. */
  readonly agent: string | null;
  /** The name under which it is stored, or will be; absent where nobody knows it. It is no part of its own past. */
  readonly uid?: string | null;
}

/** The same, or one that somebody only asks about, in no session. */
export type PossibleCall = Omit<PendingCall, "session"> & { readonly session: string | null };

export interface CallAdvice {
  /** To be read by the model; null where everything was said already. */
  readonly context: string | null;
  /** To be obeyed by the host. */
  readonly decision: { readonly kind: "ask" | "deny"; readonly reason: string } | null;
}

/** What the host can do with an answer at this moment. */
export type AcceptedAnswer = "decision" | "context" | "both";

/** The rules that warn against a call, hardest first. */
export function findRulesAgainstCall(
  ctx: Pick<Context, "db" | "clock" | "config">,
  call: PossibleCall & Pick<Audience, "inPlay">,
): Promise<readonly ActiveRule[]> {
  let matching: ((matcher: Matcher) => Promise<boolean>) | undefined;
  return listSayableRules(ctx, { ...call, call }, async ({ matcher }) => {
    if (matcher === null) return false;
    // Loaded only where there are rules: a shell parser is a lot for a hook that has nothing to say.
    matching ??= (await import("./call-match.ts")).newCallMatchCheck(ctx.db, call);
    return matching(matcher);
  });
}

export type CallContext = Pick<Context, "db" | "clock" | "config">;

/** What the host can do with an answer: at this moment, and at all. */
export interface AnswerCapability {
  readonly takes: AcceptedAnswer;
  readonly control: CallControl;
}

/** What to say, and to decide, before the call. */
export async function adviseBeforeCall(
  ctx: CallContext,
  call: PendingCall,
  room: AnswerCapability,
): Promise<CallAdvice | null> {
  const { rules: inPlay, factNames } = await listActiveRulesAndFactNames(ctx.db, call.workspace);
  // One at `advise` is not sure enough to disturb a call that may work: it is said at the start, and after a failure.
  const rules = (await findRulesAgainstCall(ctx, { ...call, inPlay })).filter((rule) => rule.level !== "advise");
  // Loaded only where there is something to decide: most calls meet no rule.
  if (rules.length > 0) return (await import("./decide-call.ts")).decideCall(ctx, { rules, call, room });
  if (factNames.length === 0 || room.takes === "decision") return null;
  const text = JSON.stringify(call.input) ?? "";
  // Most calls name nothing that a fact is about.
  if (!factNames.some((name) => text.includes(name))) return null;
  return (await import("./facts-before-call.ts")).adviseFactsBeforeCall(ctx, call);
}
