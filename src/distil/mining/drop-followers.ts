import type { Context } from "../../context.ts";
import { listNamedCommands } from "../../domain/remedy/named-remedy.ts";
import { ranTrait } from "../../domain/rule/matching/situation.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { groupBy } from "../../lib/group-by.ts";
import { readRanBefore } from "../counting/ran-before.ts";
import type { GroupTry } from "./find-causes.ts";

/**
 * Drops the calls that worked after their session had run what errors of the same commands tell to run first: they
 * followed the advice, so they do not show that the command works without it.
 */
export async function dropFollowers(db: Context["db"], tries: readonly GroupTry[]): Promise<readonly GroupTry[]> {
  const failed = tries.filter((one) => one.failed && one.head !== null);
  const heads = new Set(failed.map((one) => one.head));
  const errors = [...groupBy(failed, (one) => one.event.signature ?? "").values()].flatMap((some) => some[0] ?? []);
  const named = errors.flatMap(({ event }) =>
    listNamedCommands(event.error ?? "").flatMap((command) => findMainCommand(command)?.head ?? []),
  );
  const first = [...new Set(named)].filter((head) => !heads.has(head));
  if (first.length === 0) return tries;
  const ranBefore = await readRanBefore(db, first.map(ranTrait));
  return tries.filter((one) => one.failed || ranBefore(one.event).length === 0);
}
