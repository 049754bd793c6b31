import type { Context } from "../../context.ts";
import { hostOfAgent } from "../../domain/actor.ts";

/** The agents whose calls the caller may see. An agent sees its own, under its own name or its host's. Undefined for the owner, who sees all. */
export function agentsInSight({ actor }: Pick<Context, "actor">): readonly string[] | undefined {
  if (actor.kind !== "agent") return undefined;
  return [...new Set([actor.name, hostOfAgent(actor).host])];
}
