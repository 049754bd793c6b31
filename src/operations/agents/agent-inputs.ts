import { z } from "zod";
import { agentNamePattern, agentNameRule, agentSessionPattern } from "../../domain/event/agent-session.ts";

/** The name of an agent, as a person or a path has it. */
export const agentInput = z.string().regex(agentNamePattern, agentNameRule).describe("the agent's name");

export const agentSessionInput = z
  .string()
  .regex(agentSessionPattern, "has at most 200 letters, digits and . _ @ : / + = -")
  .optional()
  .describe("the session to continue; if omitted, a new one begins");
