import { z } from "zod";
import type { Context } from "../../context.ts";
import { isOwner } from "../../domain/actor.ts";
import { origins } from "../../domain/rule/rule.ts";
import { findBlockReason } from "../../domain/trust/instruction-like.ts";
import { type Addressee, toName } from "../../domain/work/addressee.ts";
import {
  addresseeOf,
  type AgentMessage,
  messageKinds,
  recipientPattern,
  storedMessageKinds,
} from "../../domain/work/message.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { oneLine } from "../../lib/text.ts";
import { hosts as allHosts } from "../../observe/hosts/list.ts";
import { defineOperation } from "../../operation.ts";
import { findAddressee, quoteMessage, replyToMessage, sendMessage, takeOwnMessages } from "../../record/messages.ts";
import { listKnownMachines } from "../../store/work/known-machines.ts";
import { type ListedMessage, listKnownNames, listMessages } from "../../store/work/messages.ts";
import { resolveId } from "../shared/resolve-id.ts";
import { limitInput } from "../shared/shapes.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

const messageShape = z
  .object({
    id: z.string(),
    at: z.string(),
    kind: z.enum(storedMessageKinds),
    from: z.string().describe("the exact name of the sender, such as laptop/claude-code"),
    origin: z.enum(origins).describe("who wrote the text"),
    to: z.string().nullable().describe("null: whoever takes it first, or every agent"),
    text: z.string().describe("for an agent: quoted data"),
    blocked: z.string().nullable().describe("why agents are not shown its text"),
    replyTo: z.string().nullable().describe("the query that it replies to"),
    takenBy: z.string().nullable(),
    takenAt: z.string().nullable(),
  })
  .meta({ id: "Message" });

type MessageOut = z.infer<typeof messageShape>;

const listedShape = messageShape
  .extend({
    reply: z.object({ id: z.string(), at: z.string(), from: z.string(), text: z.string() }).nullable(),
    reached: z.number().describe("how many agents a broadcast has reached"),
  })
  .meta({ id: "ListedMessage" });

const text = z.string().trim().min(1).max(10_000).describe("the text; secrets are removed");

const send = defineOperation({
  name: "message send",
  summary: "Sends a message to an agent, to whichever agent takes it first, or to all.",
  effect: "write",
  surfaces: ["cli", "http", "mcp"],
  label: "Send a message",
  input: z.object({
    text,
    to: z
      .string()
      .min(1)
      .max(130)
      .optional()
      .describe("claude-code (any machine), laptop (any agent there), laptop/claude-code, or owner; default: anybody"),
    kind: z.enum(messageKinds).default("instruction").describe("a query can be replied to; a broadcast goes to all"),
  }),
  positional: ["text"],
  freeText: true,
  output: messageShape.extend({
    warning: z.string().nullable().describe("set if nobody of that name was seen yet"),
  }),
  example: 'oldhand message send "Is main safe to deploy?" --kind query --to codex',
  run: async (ctx, input) => {
    const message = await sendMessage(ctx, ctx.actor, input);
    return { ...messageOut(ctx, message), warning: await warnOfUnknownRecipient(ctx, message) };
  },
  notes: ({ warning }) => (warning === null ? [] : [warning]),
  render: (message) => `Sent ${message.id} to ${formatRecipient(message)}.`,
});

const take = defineOperation({
  name: "message take",
  summary: "Takes the oldest messages that wait for you. No other agent gets them.",
  effect: "write",
  surfaces: ["cli", "http", "mcp"],
  label: "Take messages",
  input: z.object({
    limit: z.coerce.number<number>().int().min(1).max(50).default(1).describe("how many to take at most"),
    as: z.string().min(1).max(130).optional().describe("take as this agent, such as codex; only the owner may"),
  }),
  output: z.object({ messages: z.array(messageShape) }),
  isOwnerOnly: (input) => input.as !== undefined,
  run: async (ctx, input) => {
    const taken = await takeOwnMessages(ctx, addresseeFor(ctx, input.as), input.limit);
    return { messages: taken.map((one) => messageOut(ctx, one)) };
  },
  render: ({ messages }) =>
    messages.length === 0 ? "No message waits for you." : messages.map(formatTaken).join("\n\n"),
  isNegative: ({ messages }) => messages.length === 0,
});

const reply = defineOperation({
  name: "message reply",
  summary: "Replies to a query that you took. Its sender gets the reply.",
  effect: "write",
  surfaces: ["cli", "http", "mcp"],
  label: "Reply",
  input: z.object({
    id: z.string().min(1).describe("the query's id, or the beginning of its id"),
    text,
    as: z.string().min(1).max(130).optional().describe("reply as this agent, such as codex; only the owner may"),
  }),
  positional: ["id", "text"],
  freeText: true,
  output: messageShape,
  isOwnerOnly: (input) => input.as !== undefined,
  run: async (ctx, input) => {
    const id = await resolveId(ctx.db, "messages", input.id);
    return messageOut(
      ctx,
      await replyToMessage(ctx, ctx.actor, { id, text: input.text, by: addresseeFor(ctx, input.as) }),
    );
  },
  render: (message) => `Sent ${message.id} to ${formatRecipient(message)}.`,
});

const list = defineOperation({
  name: "message list",
  summary: "Lists messages, newest first, with who took them and the replies to queries.",
  effect: "read",
  // An agent needs only what waits for it.
  surfaces: ["cli", "http"],
  input: z.object({
    kind: z.enum(messageKinds).optional().describe("only messages of this kind"),
    waiting: z.boolean().optional().describe("only messages that nobody took"),
    limit: limitInput(50),
  }),
  output: z.object({ messages: z.array(listedShape) }),
  run: async (ctx, input) => {
    // An agent sees only what it sent, took, or can take by its name.
    const of = isOwner(ctx.actor) ? undefined : findAddressee(ctx, ctx.actor);
    const found = await listMessages(ctx.db, { kind: input.kind, isWaiting: input.waiting, of, limit: input.limit });
    return { messages: found.map((one) => listedOut(ctx, one)) };
  },
  render: ({ messages }) =>
    messages.length === 0 ? "No messages. `oldhand message send` sends one." : messages.map(formatListed).join("\n"),
});

export const messageOperations = [send, take, reply, list] as const;

/** A name that was mistyped waits for ever. */
async function warnOfUnknownRecipient(ctx: Context, { recipient }: AgentMessage): Promise<string | null> {
  if (recipient === null) return null;
  const { hosts, exact } = await listKnownNames(ctx.db);
  const machines = await listKnownMachines(ctx.db);
  const here = ownMachineName(ctx.config);
  const known = [...OWN_NAMES, ...allHosts.map(({ name }) => name), ...hosts.map(toName), ...machines, here, ...exact];
  const [, machine, host] = /^(.+)\/([^/]+)$/.exec(recipient) ?? [];
  const isKnown =
    known.includes(recipient) || (host !== undefined && known.includes(host) && known.includes(machine ?? ""));
  if (isKnown) return null;
  const names = [...new Set([...hosts.map(toName), ...machines, here])].slice(0, MOST_NAMED);
  return `no agent or machine called ${recipient} was seen yet; the message waits until one takes it (known are ${names.join(", ")}, owner)`;
}

const MOST_NAMED = 10;

/** A person, oldhand's own agent, and a client that does not say who it is. */
const OWN_NAMES = ["owner", "oldhand", "agent"];

/** The owner may act for an agent, such as one that has no connection of its own. */
function addresseeFor(ctx: Context, as: string | undefined): Addressee {
  if (as === undefined) return findAddressee(ctx, ctx.actor);
  const name = as.toLowerCase();
  if (!recipientPattern.test(name))
    throw new OldhandError("usage", `"${as}" is not a name of an agent`, { hint: "such as codex or laptop/codex" });
  const [, machine = ownMachineName(ctx.config), host = ""] = /^(?:(.+)\/)?([^/]+)$/.exec(name) ?? [];
  return addresseeOf({ kind: "agent", name: toName(host) }, machine);
}

function messageOut({ actor }: Pick<Context, "actor">, message: AgentMessage): MessageOut {
  return {
    id: message.id,
    at: iso(message.at),
    kind: message.kind,
    from: message.sender,
    origin: message.origin,
    to: message.recipient,
    text: isOwner(actor) ? message.text : quoteMessage(message),
    blocked: findBlockReason({ trust: message.origin, text: message.text }),
    replyTo: message.replyTo,
    takenBy: message.takenBy,
    takenAt: message.takenAt === null ? null : iso(message.takenAt),
  };
}

function listedOut(ctx: Pick<Context, "actor">, listed: ListedMessage): z.infer<typeof listedShape> {
  const { reply: answer, reached } = listed;
  const shown = (): string =>
    answer === null ? "" : isOwner(ctx.actor) ? answer.text : quoteMessage({ ...answer, kind: "reply" });
  return {
    ...messageOut(ctx, listed),
    reply: answer && { id: answer.id, at: iso(answer.at), from: answer.sender, text: shown() },
    reached,
  };
}

function formatRecipient({ kind, to }: MessageOut): string {
  return to ?? (kind === "broadcast" ? "all agents" : "whoever takes it first");
}

function formatTaken(message: MessageOut): string {
  const about = message.replyTo === null ? "" : ` to ${message.replyTo}`;
  const more = message.kind === "query" ? `\n(oldhand message reply ${message.id} TEXT replies)` : "";
  return `${message.id}  ${message.kind}${about} from ${message.from}, ${message.at}\n${message.text}${more}`;
}

function formatListed(message: z.infer<typeof listedShape>): string {
  const head = `${message.id}  ${message.at}  ${message.kind.padEnd(11)} ${message.from} → ${formatRecipient(message)}  ${formatState(message)}`;
  const line = `${head}${formatText(message.text)}`;
  return message.reply === null ? line : `${line}\n  reply of ${message.reply.from}:${formatText(message.reply.text)}`;
}

/** Quoted data keeps its lines: its marks are lines of their own. */
function formatText(shown: string): string {
  return shown.startsWith("<<<oldhand") ? `\n${shown}` : `  ${oneLine(shown, 160)}`;
}

function formatState(message: z.infer<typeof listedShape>): string {
  const { blocked } = message;
  return blocked === null ? formatFate(message) : `${formatFate(message)}, withheld from agents: ${blocked}`;
}

function formatFate({ kind, takenBy, reply: answer, reached }: z.infer<typeof listedShape>): string {
  if (kind === "broadcast") return `reached ${reached}`;
  if (answer !== null) return `replied`;
  return takenBy === null ? "waits" : `taken by ${takenBy}`;
}
