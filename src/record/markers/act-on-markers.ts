import type { Context } from "../../context.ts";
import { agentOf } from "../../domain/actor.ts";
import type { ExecutionEntry } from "../../domain/goal/cycle.ts";
import { parseMarkedTask } from "../../domain/goal/marked-task.ts";
import { parseMarkedEntry } from "../../domain/ledger/marked-entry.ts";
import { extractMarkers, type Marker } from "../../domain/memory/markers.ts";
import { addresseeOfHost } from "../../domain/work/addressee.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";
import { DAY, HOUR } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { hashText } from "../../lib/hash.ts";
import { nonEmptyText } from "../../lib/json.ts";
import { capitalised, oneLine } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import { type MarkedText, readMarkedTexts } from "../../store/events/marked-texts.ts";
import { findCycleOfSession } from "../../store/goals/cycles.ts";
import { addExecutionEntry } from "../../store/goals/execution-log.ts";
import { filterEverKnown, withJournalLock } from "../../store/journal/journal.ts";
import { storeMarkedMemories } from "../../store/journal/marked-memories.ts";
import { storeState } from "../../store/sessions/working-memory.ts";
import { cursors } from "../../store/state/cursors.ts";
import { nameSessionWorkspace } from "../../store/state/workspaces.ts";
import { recordMistake, recordWin } from "../ledger.ts";
import { sendMessage } from "../messages.ts";
import { actOnTaskMarker } from "./act-on-task-marker.ts";

export type MarkerContext = Pick<Context, "db" | "config" | "clock">;

export interface ActedMarkers {
  readonly memories: number;
  readonly mistakes: number;
  readonly wins: number;
  readonly states: number;
  readonly journal: number;
  readonly tasks: number;
  readonly refused: number;
}

/**
 * Does what agents marked in their answers, with the rights of an agent: memories, entries of the ledger, states in the
 * session's working memory, entries of the execution log, tasks. Each marker of a session acts once. What a tool printed,
 * what is quoted, code, and logs of other products do nothing.
 */
export async function actOnMarkers(ctx: MarkerContext): Promise<ActedMarkers> {
  const counts = { mistakes: 0, wins: 0, states: 0, journal: 0, tasks: 0, refused: 0 };
  const memories = await storeMarkedMemories(ctx.db, ctx.config.policy.memory);
  await readMarkedTexts(ctx.db, { cursor: cursors.acted, wanted: "acts" }, async (text) => {
    if (isOfOtherProduct(text)) return;
    for (const marker of extractMarkers(text.text).markers) {
      const did = isOfOthers(marker) ? null : await actOnce(ctx, text, marker);
      if (did !== null) counts[did]++;
    }
  });
  return { memories, ...counts };
}

/** Memories are stored by other code; what only the work on a task says is read by its cycle. */
function isOfOthers({ name }: Marker): boolean {
  return name === "MEMORY" || ["BLOCKED", "STRATEGY", "ANSWER", "COMMIT"].includes(name);
}

type MarkerEffect = Exclude<keyof ActedMarkers, "memories">;

/** A log that was imported from another product is somebody else's words. */
function isOfOtherProduct({ uid }: MarkedText): boolean {
  return /^(?:living-board|learned-behavior|claude-mem|agent-framework):/.test(uid);
}

/** Null: it acted before, such as in the same words of the same session that came in another way. */
async function actOnce(ctx: MarkerContext, text: MarkedText, marker: Marker): Promise<MarkerEffect | null> {
  // An answer is stored more than once if a host's hook and its transcript both bring it.
  const key = hashText(JSON.stringify([text.host, text.session, marker.name, marker.raw]));
  return withJournalLock(ctx.db, async (tx) => {
    try {
      return await tx.tx((inner) => act({ ...ctx, db: inner }, { text, marker, key }));
    } catch (error) {
      if (!(error instanceof OldhandError)) throw error;
      return (await refuse({ ...ctx, db: tx }, { text, marker, key }, error)) ? "refused" : null;
    }
  });
}

interface SaidMarker {
  readonly text: MarkedText;
  readonly marker: Marker;
  readonly key: string;
}

async function act(ctx: MarkerContext, said: SaidMarker): Promise<MarkerEffect | null> {
  const { text, marker } = said;
  if (marker.data === null) throw new OldhandError("input", "between its braces is no JSON object");
  switch (marker.name) {
    case "WIN":
      return writeToLedger(ctx, said, "win");
    case "MISTAKE":
      return writeToLedger(ctx, said, "mistake");
    case "STATE":
      return keepState(ctx, text, marker.data);
    case "JOURNAL":
      return writeJournal(ctx, said, marker.data);
    default:
      return changeTasks(ctx, said, marker.data);
  }
}

async function writeToLedger(
  ctx: MarkerContext,
  said: SaidMarker,
  kind: "mistake" | "win",
): Promise<MarkerEffect | null> {
  const { text, marker, key } = said;
  const id = `${kind === "mistake" ? "mk" : "wn"}_${key}`;
  if ((await filterEverKnown(ctx.db, kind, [id])).size > 0) return null;
  const entry = parseMarkedEntry(kind, marker.data ?? {});
  if (typeof entry === "string") throw new OldhandError("usage", entry);
  const { workspace } = text;
  const given = {
    ...{ id, what: entry.what, why: entry.why, pattern: entry.pattern, session: text.session },
    workspace: workspace === null ? undefined : await nameSessionWorkspace(ctx.db, { ...text, workspace }),
  };
  const by = asAgent(ctx, text);
  if (kind === "win") await recordWin(by, given);
  else {
    const { shouldHave, signal, severity } = entry;
    await recordMistake(by, { ...given, shouldHave, signal, severity });
  }
  return kind === "win" ? "wins" : "mistakes";
}

/** What holds now: it stays in the session's working memory for as long as a turn would. */
async function keepState(
  ctx: MarkerContext,
  { session, at }: MarkedText,
  data: Readonly<Record<string, unknown>>,
): Promise<MarkerEffect | null> {
  const { workingHours, workingBytes } = ctx.config.policy.memory;
  const ttlMs = at + workingHours * HOUR - ctx.clock.now();
  if (ttlMs <= 0) return null;
  const states = nonEmptyText(data["key"]) === null ? Object.entries(data) : [[data["key"], data["value"]]];
  for (const [name, value] of states) {
    const text = `${String(name)}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
    const kept = { session, name: String(name).slice(0, 200), text, now: ctx.clock.now() };
    await storeState(ctx.db, { ...kept, ttlMs, maxBytes: workingBytes });
  }
  return "states";
}

async function writeJournal(
  ctx: MarkerContext,
  said: SaidMarker,
  data: Readonly<Record<string, unknown>>,
): Promise<MarkerEffect | null> {
  const summary = ["content", "text", "entry", "summary"].map((name) => nonEmptyText(data[name])).find((one) => one);
  if (summary == null) throw new OldhandError("usage", "content is missing");
  return (await log(ctx, said, { action: "journal", summary, task: null })) ? "journal" : null;
}

async function changeTasks(
  ctx: MarkerContext,
  said: SaidMarker,
  data: Readonly<Record<string, unknown>>,
): Promise<MarkerEffect | null> {
  const { marker, text } = said;
  // Logged first: whoever is second finds the row and does nothing.
  if (!(await log(ctx, said, { action: "marker", summary: `${marker.name}: ${oneLine(marker.raw, 300)}`, task: null })))
    return null;
  const parsed = parseMarkedTask(marker.name, data);
  if (typeof parsed === "string") throw new OldhandError("usage", parsed);
  const cycle = await findCycleOfSession(ctx.db, text);
  await actOnTaskMarker(asAgent(ctx, text), parsed, cycle?.goal ?? null);
  return "tasks";
}

/** The agent is told with its next messages, and the log keeps it. False if it was refused before. */
async function refuse(ctx: MarkerContext, said: SaidMarker, { message, hint }: OldhandError): Promise<boolean> {
  const { text, marker } = said;
  const why = `${message}${hint === undefined ? "" : `. ${capitalised(hint)}`}`;
  const summary = `${marker.name} of ${text.host} did nothing: ${why}`;
  if (!(await log(ctx, said, { action: "refused", summary, task: null }))) return false;
  // Nobody waits for an answer about what was said long ago, such as in imported history.
  if (ctx.clock.now() - text.at > DAY) return true;
  const { exact } = addresseeOfHost(text.host, ownMachineName(ctx.config));
  const told = `Your marker in the session ${text.session} did nothing: ${why}\nIt was: ${oneLine(marker.raw, 500)}`;
  await ctx.db
    .tx((tx) =>
      sendMessage({ ...ctx, db: tx }, { kind: "maintenance" }, { kind: "instruction", to: exact, text: told }),
    )
    .catch((error: unknown) => {
      // Too many messages wait already: the log has this one.
      if (!(error instanceof OldhandError)) throw error;
    });
  return true;
}

/** False if this marker has a row already. */
async function log(
  { db }: { readonly db: Db },
  { text, key }: SaidMarker,
  entry: Pick<ExecutionEntry, "action" | "summary" | "task">,
): Promise<boolean> {
  const cycle = await findCycleOfSession(db, text);
  return addExecutionEntry(db, {
    ...{ id: `xl_${key}`, at: text.at, cycle: cycle?.id ?? null, goal: cycle?.goal ?? null, ...entry },
    ...{ details: { host: text.host, session: text.session }, ms: null, source: null },
  });
}

/** Who said it, when it was said. */
function asAgent<T extends MarkerContext>(ctx: T, { host, session, at }: MarkedText) {
  return { ...ctx, actor: agentOf({ host, session }), clock: { now: () => at } };
}
