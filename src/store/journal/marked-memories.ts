import { unnamedAgent } from "../../domain/actor.ts";
import { agentOfSession } from "../../domain/event/agent-session.ts";
import { extractMarkers } from "../../domain/memory/markers.ts";
import { type MarkedMemory, parseMarkedMemory } from "../../domain/memory/marked-memory.ts";
import type { TaskAttempt } from "../../domain/goal/attempt.ts";
import type { Policy } from "../../domain/policy.ts";
import { hashText } from "../../lib/hash.ts";
import { OldhandError } from "../../lib/errors.ts";
import type { Db } from "../engine/db.ts";
import { listChangesOf } from "./journal.ts";
import { makeMemoryId, nameMemoryScope } from "../nouns/memories.ts";
import { nameSessionWorkspace } from "../state/workspaces.ts";
import { cursors, readCursor, writeCursor } from "../state/cursors.ts";
import { findAttemptOfSession } from "../goals/attempts.ts";
import { remember } from "./remember.ts";
import { writeTypedMemories, type TypedPrompt } from "./typed-memories.ts";

const BATCH = 200;
/** Up to this many events without a marker are read again instead of moving the cursor. */
const MAX_REREAD_EVENTS = 1_000;

interface StoredText extends TypedPrompt {
  readonly id: number;
  readonly kind: string;
}

/**
 * Stores memories that agents marked in their answers, and those people typed to be remembered if no hook
 * stored them at once, such as in imported prompts. Runs before memories are read. Each is stored once, even
 * if it was undone or forgotten since.
 */
export async function storeMarkedMemories(db: Db, policy: Policy["memory"]): Promise<number> {
  if (!(await hasUnreadMarkers(db))) return 0;
  const settled = await db.dialect.settledEvents(db);
  let taken = 0;
  for (;;) {
    const from = await readCursor(db, cursors.marked);
    if (from >= settled) return taken;
    const texts = await db.all<StoredText>(
      `select id, kind, host, session, uid, at, workspace, text from events
       where id > ? and id <= ? and ${MAY_HAVE_MARKER} order by id limit ?`,
      [from, settled, BATCH],
    );
    for (const one of texts)
      taken += one.kind === "prompt" ? await storeTyped(db, one, policy) : await storeMarkedIn(db, one, policy);
    const upTo = texts.length < BATCH ? settled : (texts.at(-1)?.id ?? settled);
    // The cursor is not written: watchers run this after each change, and the write would trigger them again.
    if (texts.length === 0 && upTo - from < MAX_REREAD_EVENTS) return taken;
    await writeCursor(db, cursors.marked, upTo);
  }
}

const MAY_HAVE_MARKER = `((kind in ('answer', 'stop') and text like '%[MEMORY]%')
  or (kind = 'prompt' and agent is null and lower(text) like '%remember%'))`;

/** False if no new event has one, and not too many are new: most often. Then nobody waits for writers of other events. */
async function hasUnreadMarkers(db: Db): Promise<boolean> {
  const found = await db.get<{ first: number | null; last: number | null; marked: number | null }>(
    `select min(id) as first, max(id) as last, max(case when ${MAY_HAVE_MARKER} then 1 else 0 end) as marked
     from events where id > coalesce((select cast(value as bigint) from meta where key = ?), 0)`,
    [cursors.marked],
  );
  return found?.marked === 1 || (found?.last ?? 0) - (found?.first ?? 0) >= MAX_REREAD_EVENTS;
}

async function storeTyped(db: Db, prompt: StoredText, policy: Policy["memory"]): Promise<number> {
  return (await writeTypedMemories(db, prompt, policy)).filter((one) => one.written).length;
}

async function storeMarkedIn(db: Db, text: StoredText, policy: Policy["memory"]): Promise<number> {
  let taken = 0;
  const markers = extractMarkers(text.text).markers.filter((marker) => marker.name === "MEMORY");
  if (markers.length === 0) return 0;
  const workspace =
    text.workspace === null ? null : await nameSessionWorkspace(db, { ...text, workspace: text.workspace });
  const attempt = await findAttemptOfSession(db, text.session, text.at);
  for (const [index, marker] of markers.entries()) {
    const marked = marker.data === null ? null : parseMarkedMemory(marker.data, workspace);
    if (marked === null) continue;
    // What a named agent remembers is its own, whatever its marker says.
    const agent = agentOfSession(text);
    const learned = attempt === null ? marked : toLearning(marked, attempt);
    const newMemory = agent === null ? learned : { ...learned, scope: { kind: "agent" as const, name: agent } };
    const id = `m_${hashText(JSON.stringify([text.host, text.session, text.uid, index]))}`;
    const cause = { kind: "event" as const, id: String(text.id), note: null };
    const past = await listChangesOf(
      db,
      "memory",
      newMemory.key === undefined ? id : makeMemoryId(await nameMemoryScope(db, newMemory.scope), newMemory.key),
    );
    if (past.some((change) => change.cause.kind === "event" && change.cause.id === cause.id)) continue;
    const by = { actor: unnamedAgent, cause, at: text.at, policy };
    const made = await remember(db, { ...newMemory, id, origin: "agent" }, by).catch((error: unknown) => {
      // A memory that an agent may not replace stays; its other markers still count.
      if (error instanceof OldhandError) return null;
      throw error;
    });
    if (made?.kind === "written") taken++;
  }
  return taken;
}

/** What is learned in the work on a goal belongs to the goal, and says at which task. */
function toLearning(marked: MarkedMemory, { goal, task }: Pick<TaskAttempt, "goal" | "task">): MarkedMemory {
  return {
    ...marked,
    kind: "learning",
    category: marked.category ?? "operational",
    tags: [...new Set([...marked.tags, task])],
    scope: { kind: "goal", name: goal },
  };
}
