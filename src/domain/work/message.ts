import { type Actor, hostOfAgent } from "../actor.ts";
import type { Origin } from "../rule/rule.ts";
import { type Addressee, addresseeOfHost, toName } from "./addressee.ts";

/** What a sender may choose. */
export const messageKinds = ["instruction", "query", "broadcast"] as const;
export type MessageKind = (typeof messageKinds)[number];

/** What is stored: also the reply to a query. */
export const storedMessageKinds = [...messageKinds, "reply"] as const;
export type StoredMessageKind = (typeof storedMessageKinds)[number];

/** A message of one agent, or of the owner, to others. */
export interface AgentMessage {
  readonly id: string;
  readonly at: number;
  readonly kind: StoredMessageKind;
  /** The exact name of the sender: `laptop/claude-code`. */
  readonly sender: string;
  /** Who wrote the text. */
  readonly origin: Origin;
  /** Null: whoever takes it first, or all of a broadcast. */
  readonly recipient: string | null;
  readonly text: string;
  /** The query that it replies to. */
  readonly replyTo: string | null;
  readonly takenBy: string | null;
  readonly takenAt: number | null;
}

/** The names by which an actor gets messages. */
export function addresseeOf(actor: Actor, machine: string): Addressee {
  if (actor.kind === "agent") return addresseeOfHost(hostOfAgent(actor).host, machine);
  const exact = `${toName(machine)}/${actor.kind}`;
  return { exact, names: [exact, actor.kind], isAgent: false };
}

/** What a recipient may be: a host, a machine, or `machine/host`. */
export const recipientPattern = /^[a-z0-9][a-z0-9._-]{0,63}(?:\/[a-z0-9][a-z0-9._-]{0,63})?$/;

/** Why a message cannot be replied to, or null. The owner may reply to any query. */
export function findReplyRefusal(message: AgentMessage, by: Addressee, isOwner: boolean): string | null {
  if (message.kind !== "query") return `${message.id} is a message of kind ${message.kind}; only a query has a reply`;
  if (isOwner || message.takenBy === by.exact) return null;
  return message.takenBy === null
    ? `${message.id} was not taken; take it first`
    : `${message.id} was taken by ${message.takenBy}`;
}
