import type { Db } from "../engine/db.ts";

export interface StoredPrompt {
  readonly id: number;
  readonly session: string;
  readonly text: string;
}

/** Older events are not read: a hook cannot afford it, and old prompts no longer show what is usual. */
const RECENT_EVENTS = 3_000;

/** Recent prompts in a workspace, newest first, except one session's and those to sub-agents, which agents write. */
export function listPastPrompts(
  db: Db,
  workspace: string | null,
  wanted: { readonly besides: string | null; readonly characters: number; readonly most: number },
): Promise<StoredPrompt[]> {
  const { besides, characters, most } = wanted;
  return db.all<StoredPrompt>(
    `${selectRecent} and coalesce(workspace, '') = ? and session <> ? order by id desc limit ?`,
    [characters, RECENT_EVENTS, workspace ?? "", besides ?? "", most],
  );
}

/** The same over all workspaces. */
export function listLatestPrompts(db: Db, most: number): Promise<StoredPrompt[]> {
  return db.all<StoredPrompt>(`${selectRecent} order by id desc limit ?`, [1_000, RECENT_EVENTS, most]);
}

const selectRecent = `select id, session, substr(text, 1, ?) as text from events
  where id > (select coalesce(max(id), 0) - ? from events) and kind = 'prompt' and agent is null and text is not null`;

/** The memories these sessions were shown with a prompt, by session. */
export async function listMemoriesShownTo(
  db: Db,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (sessions.length === 0) return new Map();
  const rows = await db.all<{ session: string; subject: string }>(
    `select session, subject from shown
     where session in (${sessions.map(() => "?").join(", ")}) and kind = 'memory' and moment = 'prompt'`,
    sessions,
  );
  const given = new Map<string, Set<string>>();
  for (const { session, subject } of rows) given.set(session, (given.get(session) ?? new Set()).add(subject));
  return given;
}
