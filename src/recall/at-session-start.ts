import type { Policy } from "../domain/policy.ts";
import { CHARACTERS_PER_TOKEN, estimateTokens, estimateContextWindow } from "../domain/advice/context-window.ts";
import { decisionLabel } from "../domain/event/decision-label.ts";
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
import { composeWaitingMessages } from "./waiting-messages.ts";

/**
 * The start of a session: rules, memories, the ledger, the last session's handoff, and other sessions' work.
 * Text that stays the same from session to session comes first, the date last.
 */
export async function composeAtSessionStart(
  ctx: Pick<Context, "db" | "models" | "clock" | "config"> & {
    /** Returns the identity text within the given number of characters. */
    readonly identity?: (characters: number) => string;
    /** The last line, instead of date and time. */
    readonly date?: string;
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
    // A fixed order, so that the same memories always give the same bytes.
    .toSorted((a, b) => b.importance - a.importance || (a.id < b.id ? -1 : 1));
  const facts = await listFactParts(ctx, to, rules);
  // Each missing thing is mentioned once.
  const alreadyShown = { rules, facts: new Set(facts.map((part) => part.subject)) };
  const handoff: Part[] = summary === null ? [] : [handoffPart(summary, await openThreads(db, summary, alreadyShown))];
  const others = await listOtherSessionParts(db, to, { now, minutes: policy.otherSessionsMinutes });
  const identity = identityPart(ctx.identity, room);
  const date = ctx.date ?? `It is ${dateAndTime(now)}.`;
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
      // No reserved share: a fact helps most at the call.
      { heading: "Facts of this workspace:", share: 0, parts: facts },
    ],
    room,
    date,
  );
  const whole =
    identity === null
      ? message
      : {
          text: message?.text ?? `${identity.text}\n\n${date}`,
          parts: [identity.shown, ...(message?.parts ?? [])],
        };
  return withWaitingMessages(whole, await composeWaitingMessages(ctx, to));
}

/** Last, because it differs from session to session. */
function withWaitingMessages(message: Message | null, line: string | null): Message | null {
  if (line === null) return message;
  const shown = { kind: "messages", subject: line, level: "advise", tokens: estimateTokens(line) } as const;
  return {
    text: message === null ? `From oldhand: ${line}` : `${message.text}\n${line}`,
    parts: [...(message?.parts ?? []), shown],
  };
}

/** The identity text; null if it is empty or already in the session's context. */
function identityPart(
  says: ((characters: number) => string) | undefined,
  room: MessageRoom,
): { readonly text: string; readonly shown: ShownPart } | null {
  const text = says?.(Math.floor(room.characters * IDENTITY_SHARE)) ?? "";
  // Hash of the whole text, because the part that fits may vary.
  const subject = hashText(says?.(Infinity) ?? "");
  if (text === "" || room.already.has(`identity ${subject}`)) return null;
  return { text, shown: { kind: "identity", subject, level: "advise", tokens: estimateTokens(text) } };
}

/** Maximum share of the room for the identity. */
const IDENTITY_SHARE = 0.35;

/** Below this, nothing useful fits. */
const LEAST_CHARACTERS = 200;
/** Share of the session's budget that is reserved for its prompts and failures. */
const SHARE_FOR_LATER = 0.35;

/** The minimum of a share of the model's window, the host's limit, and what is left for this session. */
function computeRoomAtStart(policy: Policy["recall"], to: Recipient, spent: number): number {
  const share = estimateContextWindow(to.model) * policy.bootShare;
  const left = policy.sessionTokens * (1 - SHARE_FOR_LATER) - spent;
  return Math.floor(Math.min(to.maxCharacters, share * CHARACTERS_PER_TOKEN, left * CHARACTERS_PER_TOKEN));
}

function handoffPart(
  summary: NonNullable<Awaited<ReturnType<typeof getLatestSummary>>>,
  threads: readonly string[],
): Part {
  const lines = [
    oneLine(summary.text, 500),
    ...summary.decisions.slice(-4).map((one) => `${decisionLabel(one)}: ${oneLine(one, 160)}`),
    ...threads.slice(-4).map((one) => `open: ${removeOrders(oneLine(one, 160))}`),
  ];
  const label = `session ${summary.session} of ${summary.host}, until ${dateAndTime(summary.lastAt)}`;
  // It contains prompts, commands and errors, so it gets the least trusted origin.
  return {
    kind: "handoff",
    subject: `${summary.host} ${summary.session} ${summary.upTo}`,
    says: { label, origin: "tool", text: lines.join("\n") },
  };
}

/** Cuts a failure's text where the tool's output reads like instructions. The user's own requests are kept. */
function removeOrders(thread: string): string {
  const kept = thread.startsWith("failed: ") ? takeBeforeOrders(thread.split(": ")).join(": ") : thread;
  return kept === thread ? thread : `${kept} (the rest looks like instructions)`;
}

function takeBeforeOrders(pieces: readonly string[]): readonly string[] {
  const at = pieces.findLastIndex((_, index) => findInstruction(pieces.slice(index).join(": ")) !== null);
  return at < 0 ? pieces : takeBeforeOrders(pieces.slice(0, at));
}
