import type { Policy } from "../domain/policy.ts";
import { CHARACTERS_PER_TOKEN, estimateTokens, estimateContextWindow } from "../domain/advice/context-window.ts";
import { findInstruction } from "../domain/trust/instruction-like.ts";
import type { Context } from "../context.ts";
import { dateAndTime } from "../lib/clock.ts";
import { hashText } from "../lib/hash.ts";
import { oneLine } from "../lib/text.ts";
import { getLatestSummary } from "../store/sessions/session-summaries.ts";
import type { ShownPart, ShownSoFar } from "../store/shown/shown.ts";
import { loadBootMemories } from "./memory/boot-memories.ts";
import { composeMessage, type Part, type MessageRoom, type Message } from "./compose-message.ts";
import { listFactParts } from "./facts-at-start.ts";
import { dropForeignToolRules } from "./foreign-tools.ts";
import { openThreads } from "./open-threads.ts";
import { listOtherSessionParts } from "./other-sessions.ts";
import {
  takeApprovedFirst,
  listLedgerParts,
  type Recipient,
  toMemoryPart,
  toRuleSections,
  RULE_HEADINGS,
} from "./message-parts.ts";
import { listSayableRules } from "./calls/sayable-rules.ts";

/**
 * What a session starts with: rules, memories, the ledger, where the last one left off, and what others are doing. What
 * stays the same from one session to the next comes first, the date last.
 */
export async function composeAtSessionStart(
  ctx: Pick<Context, "db" | "models" | "clock" | "config"> & {
    /** Who the agent is, within so many characters. */
    readonly identity?: (characters: number) => string;
  },
  to: Recipient,
  shown: ShownSoFar,
): Promise<Message | null> {
  const { db } = ctx;
  const policy = ctx.config.policy.recall;
  const now = ctx.clock.now();
  const room = { characters: computeRoomAtStart(policy, to, shown.tokens), already: shown.parts };
  if (room.characters < LEAST_CHARACTERS) return null;
  const sayable = await dropForeignToolRules(db, await listSayableRules(ctx, to), to.host);
  const rules = takeApprovedFirst(sayable, policy.bootRules);
  const summary = to.workspace === null ? null : await getLatestSummary(db, to.workspace, to);
  const viewer = { workspace: to.workspace ?? undefined };
  const memories = (await loadBootMemories(ctx, { viewer, situation: null, policy, now }))
    .map(({ memory }) => memory)
    // Whatever led to them: the same memories are the same bytes.
    .toSorted((a, b) => b.importance - a.importance || (a.id < b.id ? -1 : 1));
  const facts = await listFactParts(ctx, to, rules);
  // One missing thing is said once.
  const told = { rules, facts: new Set(facts.map((part) => part.subject)) };
  const handoff: Part[] = summary === null ? [] : [handoffPart(summary, await openThreads(db, summary, told))];
  const others = await listOtherSessionParts(db, to, { now, minutes: policy.otherSessionsMinutes });
  const identity = identityPart(ctx.identity, room);
  const date = `It is ${dateAndTime(now)}.`;
  const message = composeMessage(
    [identity?.text ?? "", "From oldhand, which remembers the sessions of this workspace."]
      .filter(Boolean)
      .join("\n\n"),
    [
      ...toRuleSections(rules, { ...RULE_HEADINGS, share: 0.4 }),
      { heading: "What is known:", share: 0.3, parts: memories.map(toMemoryPart) },
      { heading: "From the ledger of mistakes and wins:", share: 0.1, parts: await listLedgerParts(db, to.workspace) },
      { heading: "Where the last session in this workspace left off:", share: 0.12, parts: handoff },
      { heading: "Other sessions at work:", share: 0.08, parts: others },
      // It has no room of its own: with the call is where a fact helps.
      { heading: "Facts of this workspace:", share: 0, parts: facts },
    ],
    room,
    date,
  );
  if (identity === null) return message;
  return {
    text: message?.text ?? `${identity.text}\n\n${date}`,
    parts: [identity.shown, ...(message?.parts ?? [])],
  };
}

/** Who the agent is; null where nobody said, or where the session's context holds it still. */
function identityPart(
  says: ((characters: number) => string) | undefined,
  room: MessageRoom,
): { readonly text: string; readonly shown: ShownPart } | null {
  const text = says?.(Math.floor(room.characters * IDENTITY_SHARE)) ?? "";
  // By the whole of it, as how much fits differs from one time to the next.
  const subject = hashText(says?.(Infinity) ?? "");
  if (text === "" || room.already.has(`identity ${subject}`)) return null;
  return { text, shown: { kind: "identity", subject, level: "advise", tokens: estimateTokens(text) } };
}

/** The most of it that goes to who the agent is. */
const IDENTITY_SHARE = 0.35;

/** Below this nothing worth saying fits. */
const LEAST_CHARACTERS = 200;
/** Of what a session may be told at all, for its prompts and failures. */
const SHARE_FOR_LATER = 0.35;

/** The least of three: a share of the model's window, what the host takes, and what is left for this session. */
function computeRoomAtStart(policy: Policy["recall"], to: Recipient, spent: number): number {
  const share = estimateContextWindow(to.model) * policy.bootShare;
  const left = policy.sessionTokens * (1 - SHARE_FOR_LATER) - spent;
  return Math.floor(Math.min(to.hears, share * CHARACTERS_PER_TOKEN, left * CHARACTERS_PER_TOKEN));
}

function handoffPart(
  summary: NonNullable<Awaited<ReturnType<typeof getLatestSummary>>>,
  threads: readonly string[],
): Part {
  const lines = [
    oneLine(summary.text, 500),
    ...summary.decisions.slice(-4).map((one) => `decided: ${oneLine(one, 160)}`),
    ...threads.slice(-4).map((one) => `open: ${removeOrders(oneLine(one, 160))}`),
  ];
  const label = `session ${summary.session} of ${summary.host}, until ${dateAndTime(summary.lastAt)}`;
  // Its words are prompts, commands and errors: the least trusted of these counts.
  return {
    kind: "handoff",
    subject: `${summary.host} ${summary.session} ${summary.upTo}`,
    says: { label, origin: "tool", text: lines.join("\n") },
  };
}

/** What failed is told; what a tool said there is left out from where it reads like orders. What was asked is the user's. */
function removeOrders(thread: string): string {
  const kept = thread.startsWith("failed: ") ? takeBeforeOrders(thread.split(": ")).join(": ") : thread;
  return kept === thread ? thread : `${kept} (the rest looks like instructions)`;
}

function takeBeforeOrders(pieces: readonly string[]): readonly string[] {
  const at = pieces.findLastIndex((_, index) => findInstruction(pieces.slice(index).join(": ")) !== null);
  return at < 0 ? pieces : takeBeforeOrders(pieces.slice(0, at));
}
