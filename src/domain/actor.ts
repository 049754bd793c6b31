/** In whose name something is done. */
export type Actor =
  | { readonly kind: "owner" }
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: Plain }
  | { readonly kind: "worker"; readonly id: string };

const plain = ["hook", "maintenance", "import", "distil", "tool", "external"] as const;
type Plain = (typeof plain)[number];

export const owner: Actor = { kind: "owner" };
/** The agent at the other end of a connection that gives no name. */
export const unnamedAgent: Actor = { kind: "agent", name: "agent" };

/** The session of a host's agent, as far as it is known. */
export interface AgentSession {
  readonly host: string;
  readonly session: string | null;
}

/** An agent is named after its host and its session. */
export function agentOf({ host, session }: AgentSession): Actor {
  return { kind: "agent", name: session === null ? host : `${host} ${session}` };
}

/** The inverse of `agentOf`. */
export function hostOfAgent({ name }: Extract<Actor, { kind: "agent" }>): AgentSession {
  const [host = "", session = null] = name.split(" ");
  return { host, session };
}

/** Nobody but the owner decides what the owner alone may decide. */
export function isOwner(actor: Actor): boolean {
  return actor.kind === "owner";
}

/** As the journal stores it. An agent is called by its name; no name makes it the owner. */
export function formatActor(actor: Actor): string {
  if (actor.kind === "worker") return `worker ${actor.id}`;
  if (actor.kind !== "agent") return actor.kind;
  return isFree(actor.name) ? actor.name : `agent ${actor.name}`;
}

/** The actor of a stored text: the inverse of `actorText`. */
export function parseActor(text: string): Actor {
  if (text === "owner") return owner;
  const kind = plain.find((one) => one === text);
  if (kind !== undefined) return { kind };
  if (text.startsWith("worker ")) return { kind: "worker", id: text.slice("worker ".length) };
  return { kind: "agent", name: text.startsWith("agent ") ? text.slice("agent ".length) : text };
}

/** A name that cannot be read as anybody else. */
function isFree(name: string): boolean {
  const isTaken = name === "" || name === "owner" || plain.some((one) => one === name);
  return !isTaken && !name.startsWith("agent ") && !name.startsWith("worker ");
}
