import type { Context } from "../../context.ts";
import type { Preparation } from "../../operation.ts";

/** Updates what an operation declares in `prepare`, each once, in the order of their dependencies. */
export async function prepare(ctx: Context, wanted: readonly Preparation[]): Promise<void> {
  for (const [name, act] of preparations) if (wanted.includes(name)) await act(ctx);
}

/** Each is loaded on demand: most commands need one or none. */
const preparations: readonly (readonly [Preparation, (ctx: Context) => Promise<unknown>])[] = [
  ["events", async ({ db }) => (await import("../../store/derived/digest.ts")).digest(db)],
  ["markers", storeMarked],
  ["owner-edits", async (ctx) => (await import("../../recall/identity/memory-files.ts")).readOwnerEdits(ctx)],
  ["identity-edits", async (ctx) => (await import("../../recall/identity/identity-files.ts")).syncIdentityFiles(ctx)],
  ["vectors", embedMemories],
];

async function storeMarked(ctx: Context): Promise<void> {
  const { actOnMarkers } = await import("../../record/markers/act-on-markers.ts");
  const { mistakes } = await actOnMarkers(ctx);
  if (mistakes === 0) return;
  // The mistake that reaches the threshold creates the rule, so that the next session has it.
  const { distil } = await import("../../distil/mining/distil.ts");
  await distil({ ...ctx, actor: { kind: "hook" } }, { write: true, only: ["mistakes"] });
}

async function embedMemories(ctx: Context): Promise<void> {
  const { embedBeforeQuery } = await import("../../search/embed-pending.ts");
  const seconds = ctx.config.policy.search.onceEmbedSeconds;
  return embedBeforeQuery(ctx, { seconds, only: "passages", quietly: true });
}
