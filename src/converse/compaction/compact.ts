import type { Context } from "../../context.ts";
import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import { type Detail, findDetails } from "../../domain/turn/details.ts";
import { examineSummary } from "../../domain/turn/exam.ts";
import { fitsWindow, needsCompaction } from "../../domain/turn/needs-compaction.ts";
import { summarisePlainly } from "../../domain/turn/plain-summary.ts";
import type { Gateway } from "../../models/gateway/gateway.ts";
import { summariseSession } from "../../record/session-summaries.ts";
import { storeMarkedMemories } from "../../store/journal/marked-memories.ts";
import { activeMessages } from "../turn/active-entries.ts";
import type { CompactionOutcome, CompactionParts, CompactionState } from "../turn/chat-parts.ts";
import type { SpentOnCalls } from "../turn/entry.ts";
import { askForSummary } from "./ask-for-summary.ts";
import {
  type CompactionPlan,
  countByLastAnswer,
  estimateRequest,
  listSpokenTexts,
  mayCompactAgain,
  planCompaction,
  sizeOf,
  withCompaction,
} from "./plan-compaction.ts";

type CompactionContext = Pick<Context, "db" | "config">;

/** Compaction with the settings and the gateway of a mind. */
export function openCompaction(ctx: CompactionContext, gateway: Gateway): CompactionParts {
  return {
    isDue: (state) => needsCompaction({ ...fillOf(state), compactAt: ctx.config.policy.chat.compactAt }),
    compact: (state) => compactSession({ ...ctx, gateway }, state),
  };
}

/**
 * Replaces the older part of a conversation by a summary. Memory is flushed before anything is replaced or ended. The summary is
 * examined: what it lost is added. If the request does not get 30 % shorter, the conversation is handed to the next session.
 */
export async function compactSession(
  parts: CompactionContext & { readonly gateway: Gateway },
  state: CompactionState,
): Promise<CompactionOutcome> {
  const tokens = estimateRequest(state.request.chat);
  const plan = mayCompactAgain(state.entries) ? planCompaction(state.entries, tokens) : null;
  const canCompact = plan !== null && canShrink(state, plan);
  if (!canCompact && !mustEnd(state)) return { kind: "nothing" };
  await flushMemory(parts, state.session);
  if (!canCompact) return handOff(state, summariseAll(state));
  const details = findDetails(plan.before);
  const asked = await askForSummary(parts.gateway, state, summaryTokens(tokens));
  const { spent } = asked;
  if (asked.kind === "later") return { kind: "nothing", spent };
  const plain = summarisePlainly(plan.before, details);
  const first = asked.kind === "summary" ? asked.text : plain;
  const summary = shortestThatShrinks(state, plan, { texts: [first, plain], details });
  if (summary === null) return handOff(state, plain, spent);
  const tokensAfter = estimateAfter(state, plan, summary);
  const { keepFrom } = plan;
  return {
    kind: "compacted",
    entry: { kind: "compaction", summary, keepFrom, tokensBefore: tokens, tokensAfter, call: asked.call, spent },
  };
}

/** What agents marked and people typed to be remembered is stored, and the session's decisions and open ends. */
async function flushMemory({ db, config }: CompactionContext, session: string): Promise<void> {
  await storeMarkedMemories(db, config.policy.memory);
  await summariseSession(db, { host: AGENT_HOST, id: session });
}

function fillOf({ tokens, window, request, entries }: CompactionState) {
  const most = Math.max(tokens, estimateRequest(request.chat), countByLastAnswer(entries));
  return { tokens: most, window, reserve: Math.min(request.chat.maxTokens, window / 4) };
}

/** A summary is a tenth of what it replaces, within limits. */
function summaryTokens(tokens: number): number {
  return Math.min(6_000, Math.max(400, Math.round(tokens * 0.1)));
}

/** Known before a model is called: the part that stays may be too large already. */
function canShrink(state: CompactionState, plan: CompactionPlan): boolean {
  return estimateAfter(state, plan, "") <= estimateRequest(state.request.chat) * MOST_LEFT;
}

const MOST_LEFT = 0.7;

function estimateAfter({ request, entries }: CompactionState, { keepFrom }: CompactionPlan, summary: string): number {
  return estimateRequest({ ...request.chat, messages: activeMessages(withCompaction(entries, keepFrom, summary)) });
}

/** The first summary that makes the request short enough, with as much of what it lost as there is room for. */
function shortestThatShrinks(
  state: CompactionState,
  plan: CompactionPlan,
  of: { readonly texts: readonly string[]; readonly details: readonly Detail[] },
): string | null {
  const tokens = estimateRequest(state.request.chat);
  const most = Math.min(MOST_ADDED, Math.round(tokens * SHARE_ADDED));
  for (const text of of.texts)
    for (const room of [most, most / 4, 0]) {
      const summary = examineSummary(text, { details: of.details, beside: plan.beside, tokens: room }).text;
      if (estimateAfter(state, plan, summary) <= tokens * MOST_LEFT) return summary;
    }
  return null;
}

const MOST_ADDED = 8_000;
const SHARE_ADDED = 0.15;

/** If nothing can be replaced, the call is made all the same, unless it cannot fit. */
function mustEnd(state: CompactionState): boolean {
  return state.why === "too-long" || (state.why === "preflight" && !fitsWindow(fillOf(state)));
}

function summariseAll({ entries }: CompactionState): string {
  const texts = listSpokenTexts(entries);
  return summarisePlainly(texts, findDetails(texts));
}

/** For the person and the next session. The session's own summary, which that one begins with, was stored by the flush. */
function handOff(state: CompactionState, summary: string, spent?: SpentOnCalls): CompactionOutcome {
  const { window, entries } = state;
  const alone = sizeOfLastMessage(state);
  // A new session would not help: the same message would not fit there either.
  const isMessageTooLong = alone > window / 2;
  if (isMessageTooLong && !entries.some(({ kind }) => kind === "assistant"))
    return { kind: "handoff", message: explainLongMessage(alone, window), spent };
  const why = `The conversation fills the model's window (${window.toLocaleString("en-US")} tokens) and cannot be made shorter.`;
  const then = isMessageTooLong
    ? explainLongMessage(alone, window)
    : "Begin a new session; it starts with this one's summary.";
  return { kind: "handoff", message: `${why} ${then}\n\n${summary.slice(0, LONGEST_HANDOFF)}`, spent };
}

const LONGEST_HANDOFF = 4_000;

function sizeOfLastMessage({ entries }: CompactionState): number {
  const last = entries.findLast(({ kind }) => kind === "user");
  return last === undefined ? 0 : sizeOf(last);
}

function explainLongMessage(tokens: number, window: number): string {
  const count = (value: number) => value.toLocaleString("en-US");
  return `Your message is too long: it has about ${count(tokens)} tokens, and the window of the model that would answer holds ${count(window)} for all of the session. Send a part of it, or choose a model with a larger window. In a chat, take it back first: /undo`;
}
