/** One message of a `text/event-stream`; comments (heartbeats) carry no message. */
export type Message = { readonly event: string; readonly data: string };

/** Takes text as it arrives, in any chunks, and yields each message once it is complete. */
export function eventStreamReader(): (chunk: string) => readonly Message[] {
  let rest = "";
  return (chunk) => {
    // A chunk may end between the \r and the \n of one line end, so \r waits for what follows it.
    const text = rest + chunk;
    const held = text.endsWith("\r") ? text.length - 1 : text.length;
    const blocks = text.slice(0, held).replace(/\r\n?/g, "\n").split("\n\n");
    rest = (blocks.pop() ?? "") + text.slice(held);
    return blocks.map(messageIn).filter((message) => message !== null);
  };
}

function messageIn(block: string): Message | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join("\n") };
}
