import type { Context } from "../../context.ts";
import { hostOfAgent } from "../../domain/actor.ts";

/** Whose calls may be seen: an agent sees its own, under its own name or its host's; the owner sees all. */
export function agentsInSight({ actor }: Pick<Context, "actor">): readonly string[] | undefined {
  if (actor.kind !== "agent") return undefined;
  return [...new Set([actor.name, hostOfAgent(actor).host])];
}
