/** The host under which the sessions of named agents are stored. */
export const AGENT_HOST = "oldhand";

/** Two agents may call their sessions alike, so the id holds the agent's name. */
export function agentSessionId(agent: string, session: string): string {
  return `${agentSessionPrefix(agent)}${session}`;
}

/** What every session id of this agent begins with, and no session id of another agent. */
export function agentSessionPrefix(agent: string): string {
  return `agent:${agent}:`;
}

/** Whose session it is. Null if it is not the session of a named agent. */
export function agentOfSession({ host, session }: { readonly host: string; readonly session: string }): string | null {
  return host === AGENT_HOST ? (/^agent:([^:]+):/.exec(session)?.[1] ?? null) : null;
}

/** What a name of an agent may be. It has no colon, so that a session id has one meaning. */
export const agentNamePattern = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

export const agentNameRule =
  "an agent's name has 1 to 64 small letters, digits, dots, dashes and underscores, and begins and ends with a letter or digit";

/** What a caller may call a session of an agent. */
export const agentSessionPattern = /^[\w.@:/+=-]{1,200}$/;
