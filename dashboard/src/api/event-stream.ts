/** One message of a `text/event-stream`. Comments (heartbeats) are not messages. */
export type StreamMessage = { readonly event: string; readonly data: string };

/** Returns a reader that takes text in chunks of any size and returns the messages that are complete. */
export function makeEventStreamReader(): (chunk: string) => readonly StreamMessage[] {
  let rest = "";
  return (chunk) => {
    // A chunk may end between the \r and the \n of one line break, so a final \r stays in the buffer.
    const text = rest + chunk;
    const buffered = text.endsWith("\r") ? text.length - 1 : text.length;
    const blocks = text.slice(0, buffered).replace(/\r\n?/g, "\n").split("\n\n");
    rest = (blocks.pop() ?? "") + text.slice(buffered);
    return blocks.map(parseMessage).filter((message) => message !== null);
  };
}

function parseMessage(block: string): StreamMessage | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join("\n") };
}
