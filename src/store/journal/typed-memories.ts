import { owner } from "../../domain/actor.ts";
import type { Memory, MemoryScope } from "../../domain/memory/memory.ts";
import { typedMemories } from "../../domain/text/typed-memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { hashText } from "../../lib/hash.ts";
import type { Db } from "../engine/db.ts";
import { listChangesOf } from "./journal.ts";
import { remember } from "./remember.ts";

/** A stored prompt; secrets are removed from it. */
export interface TypedPrompt {
  readonly host: string;
  readonly session: string;
  readonly uid: string;
  readonly at: number;
  readonly workspace: string | null;
  readonly text: string;
}

/**
 * Stores what a person typed to be remembered, with origin owner, in the prompt's workspace unless it says
 * otherwise. Each request is stored once, even if it was undone or forgotten since. Returns the memories, and
 * whether each was written.
 */
export async function writeTypedMemories(
  db: Db,
  prompt: TypedPrompt,
  policy: Policy["memory"],
): Promise<readonly { readonly memory: Memory; readonly written: boolean }[]> {
  const { host, session, uid, at, workspace, text: words } = prompt;
  const kept: { memory: Memory; written: boolean }[] = [];
  for (const [index, { text, everywhere }] of typedMemories(words).entries()) {
    const id = `m_${hashText(JSON.stringify(["typed", host, session, uid, index]))}`;
    if ((await listChangesOf(db, "memory", id)).length > 0) continue;
    const scope: MemoryScope =
      everywhere || workspace === null ? { kind: "global" } : { kind: "workspace", name: workspace };
    const event = await db.get<{ id: number }>("select id from events where session = ? and host = ? and uid = ?", [
      session,
      host,
      uid,
    ]);
    const cause = { kind: "event", id: String(event?.id ?? uid), note: null } as const;
    const made = await remember(db, { id, text, scope, origin: "owner" }, { actor: owner, cause, at, policy });
    kept.push({ memory: made.memory, written: made.kind === "written" });
  }
  return kept;
}
