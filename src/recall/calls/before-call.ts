import type { Context } from "../../context.ts";
import type { CallControl } from "../../domain/rule/delivery/delivery.ts";
import type { Matcher, ActiveRule } from "../../domain/rule/rule.ts";
import { type ActiveListing, listActiveRulesAndFactNames } from "../../store/nouns/rules.ts";
import { type Audience, listSayableRules } from "./sayable-rules.ts";

/** A call to judge before it runs. Some hosts report it only with its result. */
export interface PendingCall {
  readonly host: string;
  readonly session: string;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly tool: string;
  readonly input: unknown;
  /** The sub-agent that would make it. */
  readonly agent: string | null;
  /** When the host reported it; now if unknown. */
  readonly arrivedAt?: number | undefined;
  /** The host says when the calls of one answer of the model have ended, so the time says nothing about it. */
  readonly reportsBatch?: true;
  /** The uid of its event, if known. A call must not count as its own history. */
  readonly uid?: string | null | undefined;
  /** All that the host reports with it; its result too, if the call has ended. */
  readonly events?: readonly ReportedEvent[];
}

interface ReportedEvent {
  readonly moment: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly ok?: boolean;
  readonly exitCode?: number | null;
}

/** A pending call, or a hypothetical one that belongs to no session. */
export type PossibleCall = Omit<PendingCall, "session"> & { readonly session: string | null };

export interface CallAdvice {
  /** Text for the model; null if all of it was already said. */
  readonly context: string | null;
  /** What the host must do. `reason` is for the model; `forPerson` says a denial in words for the person. */
  readonly decision: { readonly kind: "ask" | "deny"; readonly reason: string; readonly forPerson?: string } | null;
}

/** Which parts of a reply the host accepts at this moment. */
export type AcceptedReply = "decision" | "context" | "both";

/** The rules that warn against a call and may be shown to its session, strictest level first. */
export function findRulesAgainstCall(
  ctx: Pick<Context, "db" | "clock" | "config">,
  call: PossibleCall & Pick<Audience, "inPlay">,
): Promise<readonly ActiveRule[]> {
  let matching: ((matcher: Matcher) => Promise<boolean>) | undefined;
  return listSayableRules(ctx, { ...call, call }, async ({ matcher }) => {
    if (matcher === null) return false;
    // Loaded only if there are rules: a hook that has nothing to say must not load a shell parser.
    matching ??= (await import("./call-match.ts")).newCallMatchCheck(ctx.db, call);
    return matching(matcher);
  });
}

export type CallContext = Pick<Context, "db" | "clock" | "config"> & {
  /** Called with the rules and the names of facts that were loaded for the call. */
  readonly onListed?: ((listing: ActiveListing) => void) | undefined;
  /** Records which repository the workspace holds, if the listing does not know it. Returns true if more rules may now apply. */
  readonly registerPlace?: ((listing: ActiveListing) => Promise<boolean>) | undefined;
};

/** Which parts of a reply the host accepts at this moment, and which controls it supports. */
export interface ReplyCapability {
  readonly takes: AcceptedReply;
  readonly control: CallControl;
}

/** What to say before the call, and what to decide. */
export async function adviseBeforeCall(
  ctx: CallContext,
  call: PendingCall,
  capability: ReplyCapability,
): Promise<CallAdvice | null> {
  const first = await listActiveRulesAndFactNames(ctx.db, call.workspace);
  const isNewPlace = (await ctx.registerPlace?.(first)) === true;
  const listing = isNewPlace ? await listActiveRulesAndFactNames(ctx.db, call.workspace) : first;
  ctx.onListed?.(listing);
  const { rules: inPlay, factNames, ahead } = listing;
  // Rules at `advise` are too uncertain to interrupt a call. They are shown at session start and after a failure.
  const rules = (await findRulesAgainstCall(ctx, { ...call, inPlay })).filter((rule) => rule.level !== "advise");
  // Loaded only if a rule matches: most calls match none.
  if (rules.length > 0) return (await import("./decide-call.ts")).decideCall(ctx, { rules, call, capability, ahead });
  if (factNames.length === 0 || capability.takes === "decision") return null;
  const text = JSON.stringify(call.input) ?? "";
  // Most calls do not name the subject of a fact.
  if (!factNames.some((name) => text.includes(name))) return null;
  return (await import("./facts-before-call.ts")).adviseFactsBeforeCall(ctx, call);
}
