import { formatActor, agentOf, hostOfAgent, type Actor } from "../../../domain/actor.ts";
import { AGENT_HOST } from "../../../domain/event/agent-session.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { folderCovers } from "../../../domain/workspace.ts";
import type { OpenMind } from "../../../mind.ts";
import { hostInEnv } from "../../../observe/protocol/host-env.ts";
import { resolveTypedWorkspace } from "../../../observe/protocol/workspace.ts";
import { workspacesOfSession } from "../../../store/sessions/sessions.ts";
import type { Globals } from "./arguments.ts";

/**
 * The agent whose shell this is, from variables that hosts set in the shells of their agents. Null in a person's
 * terminal. This prevents accidental decisions in the owner's name; a program can still remove these variables.
 */
export function detectAgentShell({ forOwner }: Pick<Globals, "forOwner">, env = process.env): Actor | null {
  const found = hostInEnv(env);
  // Nobody but the agent types in a shell of oldhand's own agent, so the flag is not the owner's there.
  return found === null || (forOwner && found.host !== AGENT_HOST) ? null : agentOf(found);
}

/**
 * The mind as the user of this shell may see it: an agent sees only its workspace. That is the current folder, unless
 * the host names the session and the session has worked only elsewhere: `cd` alone gives no access to another
 * project.
 */
export async function seenFromShell(mind: OpenMind, globals: Pick<Globals, "forOwner">): Promise<OpenMind> {
  const agent = detectAgentShell(globals);
  if (agent?.kind !== "agent") return mind;
  const here = resolveTypedWorkspace(".");
  const { host, session } = hostOfAgent(agent);
  const worked = session === null ? [] : await workspacesOfSession(mind.db, host, session);
  const isHere = worked.length === 0 || worked.some((one) => folderCovers(one, here));
  return { ...mind, within: isHere ? [here] : worked };
}

/** The error for an agent that typed an owner-only command. */
export function ownerOnlyError(agent: Actor, typed: readonly string[], forAgents?: string): OldhandError {
  return new OldhandError(
    "refused",
    `only the owner may run this command, and this shell belongs to ${formatActor(agent)}`,
    {
      hint: `${forAgents === undefined ? "" : `${forAgents}; or `}ask the user to type in a terminal: oldhand ${typed.map(quoteWord).join(" ")}`,
    },
  );
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
