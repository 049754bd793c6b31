import type { Context } from "../context.ts";
import { addresseeOfHost } from "../domain/work/addressee.ts";
import { plural } from "../lib/text.ts";
import { countWaitingMessages } from "../store/work/messages.ts";
import type { Recipient } from "./message-parts.ts";
import { ownMachineName } from "../domain/work/own-machine.ts";

/** One line with the number of messages for this agent and how to read them; null if there are none. */
export async function composeWaitingMessages(
  { db, config }: Pick<Context, "db" | "config">,
  { host }: Pick<Recipient, "host">,
): Promise<string | null> {
  const to = addresseeOfHost(host, ownMachineName(config));
  const { own, open } = await countWaitingMessages(db, to);
  if (own + open === 0) return null;
  const waits = (count: number, whom: string) =>
    `${plural(count, "message")} ${count === 1 ? "waits" : "wait"} ${whom}`;
  const both = [
    ...(own === 0 ? [] : [waits(own, "for you")]),
    ...(open === 0 ? [] : [waits(open, "for any agent")]),
  ].join(", and ");
  return `${both}: read ${own + open === 1 ? "it" : "them"} with the tool \`message_take\` or \`oldhand message take\`.`;
}
