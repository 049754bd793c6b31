import { z } from "zod";
import type { Context } from "../../context.ts";
import { agentNamePattern, agentNameRule, agentSessionPattern } from "../../domain/event/agent-session.ts";
import { OldhandError } from "../../lib/errors.ts";
import { agentsInSight } from "../models/agents-in-sight.ts";

export const agentInput = z.string().regex(agentNamePattern, agentNameRule).describe("the agent's name");

/** For a task: `owner` is the name under which models are tested. */
export const namedAgentInput = agentInput.refine((name) => name !== "owner", 'may not be "owner"');

export const agentSessionInput = z
  .string()
  .regex(agentSessionPattern, "may have at most 200 letters, digits and . _ @ : / + = -")
  .optional()
  .describe("the session to continue; if omitted, a new one begins");

/** Refuses an agent that asks about another one. */
export function requireAgentInSight(ctx: Pick<Context, "actor">, agent: string): void {
  const seen = agentsInSight(ctx);
  if (seen === undefined || seen.includes(agent)) return;
  throw new OldhandError("refused", `an agent sees only its own calls, not those of ${agent}`, {
    hint: "the user can see all agents in a terminal",
  });
}
