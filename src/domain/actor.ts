/** Who performs an action. */
export type Actor =
  /** `machine`: where the owner is, if several machines share the mind. */
  | { readonly kind: "owner"; readonly machine?: string }
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: Plain }
  | { readonly kind: "worker"; readonly id: string };

const plain = ["hook", "maintenance", "import", "distil", "tool", "external"] as const;
type Plain = (typeof plain)[number];

export const owner: Actor = { kind: "owner" };
/** An agent whose connection gives no name. */
export const unnamedAgent: Extract<Actor, { kind: "agent" }> = { kind: "agent", name: "agent" };

/** The session of a host's agent. `session` is null if it is unknown. */
export interface AgentSession {
  readonly host: string;
  readonly session: string | null;
}

/** Builds an agent actor whose name is its host and, if known, its session. */
export function agentOf({ host, session }: AgentSession): Actor {
  return { kind: "agent", name: session === null ? host : `${host} ${session}` };
}

/** The inverse of `agentOf`. */
export function hostOfAgent({ name }: Extract<Actor, { kind: "agent" }>): AgentSession {
  const [host = "", session = null] = name.split(" ");
  return { host, session };
}

/** Owner-only actions must check this. */
export function isOwner(actor: Actor): boolean {
  return actor.kind === "owner";
}

const ON = "owner on ";

/** The text that the journal stores. A reserved name gets the prefix `agent `, so no agent can pass for the owner. */
export function formatActor(actor: Actor): string {
  if (actor.kind === "worker") return `worker ${actor.id}`;
  if (actor.kind === "owner" && actor.machine !== undefined) return `${ON}${actor.machine}`;
  if (actor.kind !== "agent") return actor.kind;
  return isFree(actor.name) ? actor.name : `agent ${actor.name}`;
}

/** The inverse of `formatActor`. */
export function parseActor(text: string): Actor {
  if (text === "owner") return owner;
  if (text.startsWith(ON)) return { kind: "owner", machine: text.slice(ON.length) };
  const kind = plain.find((one) => one === text);
  if (kind !== undefined) return { kind };
  if (text.startsWith("worker ")) return { kind: "worker", id: text.slice("worker ".length) };
  return { kind: "agent", name: text.startsWith("agent ") ? text.slice("agent ".length) : text };
}

/** True if the name cannot be parsed as another kind of actor. */
function isFree(name: string): boolean {
  const isTaken = name === "" || name === "owner" || plain.some((one) => one === name);
  return !isTaken && !["agent ", "worker ", ON].some((beginning) => name.startsWith(beginning));
}
