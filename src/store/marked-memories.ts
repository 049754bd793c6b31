import { anAgent } from "../domain/actor.ts";
import { extractMarkers } from "../domain/memory/markers.ts";
import { markedMemory } from "../domain/memory/marked-memory.ts";
import type { Policy } from "../domain/policy.ts";
import { hashText } from "../lib/hash.ts";
import { OldhandError } from "../lib/errors.ts";
import type { Db } from "./engine/db.ts";
import { changesOf } from "./journal.ts";
import { memoryIdOf } from "./memories.ts";
import { cursors, readCursor, writeCursor } from "./cursors.ts";
import { remember } from "./remember.ts";
import { keepTypedMemories, type TypedPrompt } from "./typed-memories.ts";

const BATCH = 200;
/** So many events without a marker are looked through again rather than noted. */
const FEW = 1_000;

interface Said extends TypedPrompt {
  readonly id: number;
  readonly kind: string;
}

/**
 * The memories agents marked in their answers, and those people typed to be remembered where no hook kept them at once:
 * imported prompts, say. Taken by whoever reads memories first, each once, also after it was undone or forgotten.
 */
export async function takeMarkedMemories(db: Db, law: Policy["memory"]): Promise<number> {
  const settled = await db.dialect.settledEvents(db);
  let taken = 0;
  for (;;) {
    const from = await readCursor(db, cursors.marked);
    if (from >= settled) return taken;
    const said = await db.all<Said>(
      `select id, kind, host, session, uid, at, workspace, text from events
       where id > ? and id <= ? and ((kind in ('answer', 'stop') and text like '%[MEMORY]%')
         or (kind = 'prompt' and agent is null and lower(text) like '%remember%')) order by id limit ?`,
      [from, settled, BATCH],
    );
    for (const one of said)
      taken += one.kind === "prompt" ? await keepTyped(db, one, law) : await takeFrom(db, one, law);
    const upTo = said.length < BATCH ? settled : (said.at(-1)?.id ?? settled);
    // Whoever watches the mind looks here after each change: to write down that nothing was found would be the next one.
    if (said.length === 0 && upTo - from < FEW) return taken;
    await writeCursor(db, cursors.marked, upTo);
  }
}

async function keepTyped(db: Db, prompt: Said, law: Policy["memory"]): Promise<number> {
  return (await keepTypedMemories(db, prompt, law)).filter((one) => one.written).length;
}

async function takeFrom(db: Db, said: Said, law: Policy["memory"]): Promise<number> {
  let taken = 0;
  const markers = extractMarkers(said.text).markers.filter((marker) => marker.name === "MEMORY");
  for (const [index, marker] of markers.entries()) {
    const wish = marker.data === null ? null : markedMemory(marker.data, said.workspace);
    if (wish === null) continue;
    const id = `m_${hashText(JSON.stringify([said.host, said.session, said.uid, index]))}`;
    const cause = { kind: "event" as const, id: String(said.id), note: null };
    const past = await changesOf(db, "memory", wish.key === undefined ? id : memoryIdOf(wish.scope, wish.key));
    if (past.some((change) => change.cause.kind === "event" && change.cause.id === cause.id)) continue;
    const by = { actor: anAgent, cause, at: said.at, law };
    const made = await remember(db, { ...wish, id, origin: "agent" }, by).catch((error: unknown) => {
      // What an agent may not replace stays as it is; its other markers still count.
      if (error instanceof OldhandError) return null;
      throw error;
    });
    if (made?.kind === "written") taken++;
  }
  return taken;
}
