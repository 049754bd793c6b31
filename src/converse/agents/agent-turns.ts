import type { Context } from "../../context.ts";
import { HOUR } from "../../lib/clock.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { cap } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import { listTurns, storeTurnWithin } from "../../store/sessions/working-memory.ts";

/** One turn of an agent's working memory: a task with its answer, or a note that was stored there. */
export type AgentTurn =
  | { readonly kind: "exchange"; readonly id: string; readonly user: string; readonly agent: string }
  | { readonly kind: "note"; readonly id: string; readonly text: string };

/** The newest turns that fit into `maxCharacters`, at least one; oldest first. */
export async function listAgentTurns(
  db: Db,
  session: string,
  { now, maxCharacters }: { readonly now: number; readonly maxCharacters: number },
): Promise<readonly AgentTurn[]> {
  const all = await listTurns(db, session, now);
  const taken: AgentTurn[] = [];
  let characters = 0;
  for (const { key, value } of all.toReversed()) {
    characters += value.length;
    if (taken.length > 0 && characters > maxCharacters) break;
    taken.push(parseTurn(key, value));
  }
  return taken.toReversed();
}

/** Stores a turn without secrets. If the working memory is full, the oldest turns are deleted. `db` is a transaction. */
export async function storeAgentTurn(
  ctx: Pick<Context, "db" | "config" | "clock">,
  session: string,
  turn: { readonly user: string; readonly agent: string },
): Promise<void> {
  const { workingBytes, workingHours } = ctx.config.policy.memory;
  // As JSON, a character takes at most six bytes, so both texts fit together.
  const longest = Math.floor(workingBytes / 16);
  await storeTurnWithin(ctx.db, {
    session,
    text: JSON.stringify({ user: cap(turn.user, longest), agent: cap(turn.agent, longest) }),
    now: ctx.clock.now(),
    ttlMs: workingHours * HOUR,
    maxBytes: workingBytes,
  });
}

function parseTurn(id: string, value: string): AgentTurn {
  const parsed = value.startsWith("{") ? tryParseJson(value) : null;
  if (!isRecord(parsed)) return { kind: "note", id, text: value };
  const { user, agent } = parsed;
  return typeof user === "string" && typeof agent === "string"
    ? { kind: "exchange", id, user, agent }
    : { kind: "note", id, text: value };
}
