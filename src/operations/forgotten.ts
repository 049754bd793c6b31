import { z } from "zod";
import type { Context } from "../context.ts";
import { scrubForgotten } from "../store/forgotten.ts";
import { knownBackups } from "./known-backups.ts";

const leftShape = {
  waits: z.string().nullable().describe("why bytes of it are still in the store's files; null: they are gone"),
  keptIn: z.array(z.string()).describe("what oldhand cannot take it out of"),
};

export const forgottenShape = z.object({ forgotten: z.string(), ...leftShape });

export const leftBehindShape = z.object(leftShape);

/** After the transaction: takes the bytes out of the store's files, and tells where else they may be. */
export async function leftBehind(ctx: Context): Promise<z.infer<typeof leftBehindShape>> {
  ctx.report({ text: "taking what was forgotten out of the store's files" });
  const waits = await scrubForgotten(ctx.db);
  const backups = knownBackups(ctx.config.home);
  return {
    waits,
    keptIn: [
      backups.length === 0 ? "backups made before now" : `backups made before now, such as ${backups.join(", ")}`,
      ...(ctx.store.kind === "postgres" ? ["the server's own write-ahead log, logs and base backups"] : []),
    ],
  };
}

export async function afterForgetting(ctx: Context, forgotten: string): Promise<z.infer<typeof forgottenShape>> {
  return { forgotten, ...(await leftBehind(ctx)) };
}

export function forgottenText(made: z.infer<typeof forgottenShape>): string {
  return [`Forgotten: ${made.forgotten}`, ...leftLines(made)].join("\n");
}

export function leftLines({ waits, keptIn }: z.infer<typeof leftBehindShape>): readonly string[] {
  return [
    ...(waits === null
      ? []
      : [
          `Bytes of it are still in the store's files: ${waits}. The next \`oldhand forget\`, \`maintain\` or \`doctor --fix\` takes them out.`,
        ]),
    `Not touched: ${keptIn.join("; ")}.`,
  ];
}
