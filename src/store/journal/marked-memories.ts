import { unnamedAgent } from "../../domain/actor.ts";
import { agentOfSession } from "../../domain/event/agent-session.ts";
import { extractMarkers } from "../../domain/memory/markers.ts";
import { type MarkedMemory, parseMarkedMemory } from "../../domain/memory/marked-memory.ts";
import type { TaskAttempt } from "../../domain/goal/attempt.ts";
import type { Policy } from "../../domain/policy.ts";
import { hashText } from "../../lib/hash.ts";
import { OldhandError } from "../../lib/errors.ts";
import type { Db } from "../engine/db.ts";
import { type MarkedText, readMarkedTexts } from "../events/marked-texts.ts";
import { listChangesOf } from "./journal.ts";
import { makeMemoryId, nameMemoryScope } from "../nouns/memories.ts";
import { nameSessionWorkspace } from "../state/workspaces.ts";
import { cursors } from "../state/cursors.ts";
import { findAttemptOfSession } from "../goals/attempts.ts";
import { remember } from "./remember.ts";
import { writeTypedMemories } from "./typed-memories.ts";

/**
 * Stores memories that agents marked in their answers, and those people typed to be remembered if no hook
 * stored them at once, such as in imported prompts. Runs before memories are read. Each is stored once, even
 * if it was undone or forgotten since.
 */
export async function storeMarkedMemories(db: Db, policy: Policy["memory"]): Promise<number> {
  let taken = 0;
  await readMarkedTexts(db, { cursor: cursors.marked, wanted: "memories" }, async (one) => {
    taken += one.kind === "prompt" ? await storeTyped(db, one, policy) : await storeMarkedIn(db, one, policy);
  });
  return taken;
}

async function storeTyped(db: Db, prompt: MarkedText, policy: Policy["memory"]): Promise<number> {
  return (await writeTypedMemories(db, prompt, policy)).filter((one) => one.written).length;
}

async function storeMarkedIn(db: Db, text: MarkedText, policy: Policy["memory"]): Promise<number> {
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
