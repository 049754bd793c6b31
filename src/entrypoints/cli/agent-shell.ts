import { formatActor, agentOf, hostOfAgent, type Actor } from "../../domain/actor.ts";
import { OldhandError } from "../../lib/errors.ts";
import { folderCovers } from "../../domain/workspace.ts";
import type { OpenMind } from "../../mind.ts";
import { hostInEnv } from "../../observe/protocol/host-env.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import { workspacesOfSession } from "../../store/sessions/sessions.ts";
import type { Globals } from "./arguments.ts";

/**
 * Whose shell this is, by what hosts set in the shells of their agents. Null in a person's terminal. It keeps an agent from
 * deciding in its owner's name without a thought; a program that wants to can hide these variables.
 */
export function detectAgentShell({ forOwner }: Pick<Globals, "forOwner">, env = process.env): Actor | null {
  const found = forOwner ? null : hostInEnv(env);
  return found === null ? null : agentOf(found);
}

/**
 * The mind as whoever types is shown it: an agent in its shell sees the workspace it works in. That is the folder it stands
 * in, unless its host names the session and that session has worked elsewhere only: `cd` alone opens no other project.
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

/** For an agent that typed what is its owner's to decide. */
export function ownerOnlyError(agent: Actor, typed: readonly string[]): OldhandError {
  return new OldhandError(
    "refused",
    `only the owner may run this command, and this shell belongs to ${formatActor(agent)}`,
    { hint: `ask the user to type in a terminal: oldhand ${typed.map(quoteWord).join(" ")}` },
  );
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
