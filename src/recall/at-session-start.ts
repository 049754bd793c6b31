import type { Policy } from "../domain/policy.ts";
import { CHARACTERS, tokensOf, windowOf } from "../domain/advice/window.ts";
import { instructionIn } from "../domain/trust/instruction-like.ts";
import type { Context } from "../context.ts";
import { dateAndTime } from "../lib/clock.ts";
import { hashText } from "../lib/hash.ts";
import { oneLine } from "../lib/text.ts";
import { latestSummary } from "../store/session-summaries.ts";
import type { ShownPart, ShownSoFar } from "../store/shown.ts";
import { bootMemories } from "./boot-memories.ts";
import { compose, type Part, type Room, type Told } from "./compose.ts";
import { factParts } from "./facts-at-start.ts";
import { withoutForeignTools } from "./foreign-tools.ts";
import { openThreads } from "./open-threads.ts";
import { otherSessions } from "./other-sessions.ts";
import { approvedFirst, entryParts, type Listener, memoryPart, ruleSections, HEADINGS } from "./parts.ts";
import { sayableRules } from "./sayable-rules.ts";
import { stillTrueAtStart } from "./still-true.ts";

/**
 * What a session starts with: rules, memories, the ledger, where the last one left off, and what others are doing. What
 * stays the same from one session to the next comes first, the date last.
 */
export async function atSessionStart(
  ctx: Pick<Context, "db" | "models" | "clock" | "config"> & {
    /** Who the agent is, within so many characters. */
    readonly identity?: (characters: number) => string;
  },
  to: Listener,
  shown: ShownSoFar,
): Promise<Told | null> {
  const { db } = ctx;
  const law = ctx.config.policy.recall;
  const now = ctx.clock.now();
  const room = { characters: roomAtStart(law, to, shown.tokens), already: shown.parts };
  if (room.characters < LEAST) return null;
  const sayable = await withoutForeignTools(db, await sayableRules(ctx, to), to.host);
  const rules = approvedFirst(await stillTrueAtStart(db, sayable, to.workspace), law.bootRules);
  const summary = to.workspace === null ? null : await latestSummary(db, to.workspace, to);
  const here = { workspace: to.workspace ?? undefined };
  const memories = (await bootMemories(ctx, { here, situation: null, law, now }))
    .map(({ memory }) => memory)
    // Whatever led to them: the same memories are the same bytes.
    .toSorted((a, b) => b.importance - a.importance || (a.id < b.id ? -1 : 1));
  const handoff: Part[] = summary === null ? [] : [handoffPart(summary, await openThreads(db, summary))];
  const others = await otherSessions(db, to, { now, minutes: law.otherSessionsMinutes });
  const identity = identityPart(ctx.identity, room);
  const date = `It is ${dateAndTime(now)}.`;
  const told = compose(
    [identity?.text ?? "", "From oldhand, which remembers the sessions of this workspace."]
      .filter(Boolean)
      .join("\n\n"),
    [
      ...ruleSections(rules, { ...HEADINGS, share: 0.4 }),
      { heading: "What is known:", share: 0.3, parts: memories.map(memoryPart) },
      { heading: "From the ledger of mistakes and wins:", share: 0.1, parts: await entryParts(db, to.workspace) },
      { heading: "Where the last session in this workspace left off:", share: 0.12, parts: handoff },
      { heading: "Other sessions at work:", share: 0.08, parts: others },
      // It has no room of its own: with the call is where a fact helps.
      { heading: "Facts of this workspace:", share: 0, parts: await factParts(ctx, to, rules) },
    ],
    room,
    date,
  );
  if (identity === null) return told;
  return {
    text: told?.text ?? `${identity.text}\n\n${date}`,
    parts: [identity.shown, ...(told?.parts ?? [])],
  };
}

/** Who the agent is; null where nobody said, or where the session's context holds it still. */
function identityPart(
  says: ((characters: number) => string) | undefined,
  room: Room,
): { readonly text: string; readonly shown: ShownPart } | null {
  const text = says?.(Math.floor(room.characters * IDENTITY)) ?? "";
  // By the whole of it, as how much fits differs from one time to the next.
  const subject = hashText(says?.(Infinity) ?? "");
  if (text === "" || room.already.has(`identity ${subject}`)) return null;
  return { text, shown: { kind: "identity", subject, level: "advise", tokens: tokensOf(text) } };
}

/** The most of it that goes to who the agent is. */
const IDENTITY = 0.35;

/** Below this nothing worth saying fits. */
const LEAST = 200;
/** Of what a session may be told at all, for its prompts and failures. */
const KEPT_FOR_LATER = 0.35;

/** The least of three: a share of the model's window, what the host takes, and what is left for this session. */
function roomAtStart(law: Policy["recall"], to: Listener, spent: number): number {
  const share = windowOf(to.model) * law.bootShare;
  const left = law.sessionTokens * (1 - KEPT_FOR_LATER) - spent;
  return Math.floor(Math.min(to.hears, share * CHARACTERS, left * CHARACTERS));
}

function handoffPart(
  summary: NonNullable<Awaited<ReturnType<typeof latestSummary>>>,
  threads: readonly string[],
): Part {
  const lines = [
    oneLine(summary.text, 500),
    ...summary.decisions.slice(-4).map((one) => `decided: ${oneLine(one, 160)}`),
    ...threads.slice(-4).map((one) => `open: ${withoutOrders(oneLine(one, 160))}`),
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
function withoutOrders(thread: string): string {
  const kept = thread.startsWith("failed: ") ? beforeOrders(thread.split(": ")).join(": ") : thread;
  return kept === thread ? thread : `${kept} (the rest reads like orders)`;
}

function beforeOrders(pieces: readonly string[]): readonly string[] {
  const at = pieces.findLastIndex((_, index) => instructionIn(pieces.slice(index).join(": ")) !== null);
  return at < 0 ? pieces : beforeOrders(pieces.slice(0, at));
}
