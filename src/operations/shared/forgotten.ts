import { z } from "zod";
import type { Context } from "../../context.ts";
import { scrubForgotten } from "../../store/state/scrub-forgotten.ts";
import { listKnownBackups } from "../../work/backups.ts";

const remainsFields = {
  waits: z.string().nullable().describe("why its bytes are still in the store's files; null if they are gone"),
  keptIn: z.array(z.string()).describe("where copies may remain that oldhand cannot remove"),
};

export const forgottenShape = z.object({ forgotten: z.string(), ...remainsFields });

export const remainsShape = z.object(remainsFields);

/** Call it after the transaction: removes the bytes from the store's files and returns where else they may remain. */
export async function scrubAndListRemains(ctx: Context): Promise<z.infer<typeof remainsShape>> {
  ctx.report({ text: "removing forgotten data from the store's files" });
  const waits = await scrubForgotten(ctx.db);
  const backups = listKnownBackups(ctx.config.home);
  return {
    waits,
    keptIn: [
      backups.length === 0 ? "backups made before now" : `backups made before now, such as ${backups.join(", ")}`,
      ...(ctx.store.kind === "postgres" ? ["the server's own write-ahead log, logs and base backups"] : []),
    ],
  };
}

export async function finishForgetting(ctx: Context, forgotten: string): Promise<z.infer<typeof forgottenShape>> {
  return { forgotten, ...(await scrubAndListRemains(ctx)) };
}

export function formatForgotten(made: z.infer<typeof forgottenShape>): string {
  return [`Forgotten: ${made.forgotten}`, ...formatForgottenRule(made.forgotten), ...formatRemains(made)].join("\n");
}

/** What a person must know who forgets a rule; empty for other entries. */
export function formatForgottenRule(id: string | null): readonly string[] {
  if (id === null || !id.startsWith("r_")) return [];
  return [
    "This is for good. The calls it was learned from are still recorded, so a rule like it can be learned again; `oldhand rules reject ID` prevents that, and can be undone.",
  ];
}

export function formatRemains({ waits, keptIn }: z.infer<typeof remainsShape>): readonly string[] {
  return [
    ...(waits === null
      ? []
      : [
          `Its bytes are still in the store's files: ${waits}. The next \`oldhand forget\`, \`maintain\` or \`doctor --fix\` removes them.`,
        ]),
    `It may also remain in: ${keptIn.join("; ")}.`,
  ];
}
