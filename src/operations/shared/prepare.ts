import type { Context } from "../../context.ts";
import type { Preparation } from "../../operation.ts";
import { syncIdentityFiles } from "../../recall/identity/identity-files.ts";
import { readOwnerEdits } from "../../recall/identity/memory-files.ts";
import { embedBeforeQuery } from "../../search/embed-pending.ts";
import { digest } from "../../store/derived/digest.ts";
import { storeMarkedMemories } from "../../store/journal/marked-memories.ts";

/** Updates what an operation declares in `prepare`, each once, in the order of their dependencies. */
export async function prepare(ctx: Context, wanted: readonly Preparation[]): Promise<void> {
  for (const [name, act] of preparations) if (wanted.includes(name)) await act(ctx);
}

const preparations: readonly (readonly [Preparation, (ctx: Context) => Promise<unknown>])[] = [
  ["events", ({ db }) => digest(db)],
  ["markers", ({ db, config }) => storeMarkedMemories(db, config.policy.memory)],
  ["owner-edits", readOwnerEdits],
  ["identity-edits", syncIdentityFiles],
  ["vectors", embedMemories],
];

function embedMemories(ctx: Context): Promise<void> {
  const seconds = ctx.config.policy.search.onceEmbedSeconds;
  return embedBeforeQuery(ctx, { seconds, only: "passages", quietly: true });
}
