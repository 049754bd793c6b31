/** A string inside a JSON text: its path, as in `/messages/0/content`, and where its literal stands. */
interface Visit {
  (path: string, from: number, to: number): void;
}

/**
 * The same JSON text with other strings at some paths. Everything else keeps its bytes: spaces, numbers, the order of members.
 * The text must be valid JSON.
 */
export function spliceJson(text: string, changes: ReadonlyMap<string, string>): string {
  if (changes.size === 0) return text;
  let result = "";
  let done = 0;
  visitStrings(text, (path, from, to) => {
    const changed = changes.get(path);
    if (changed === undefined) return;
    result += text.slice(done, from) + JSON.stringify(changed);
    done = to;
  });
  return result + text.slice(done);
}

/** One step of a path. */
export function jsonStep(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

interface Frame {
  readonly path: string;
  /** The number of the current item; null in an object. */
  index: number | null;
  /** The current member of an object. */
  key: string;
  /** The next string is a member's name. */
  wantsKey: boolean;
}

function visitStrings(text: string, visit: Visit): void {
  const stack: Frame[] = [];
  const step = (frame: Frame | undefined) =>
    frame === undefined ? "" : frame.path + jsonStep(frame.index ?? frame.key);
  for (let at = 0; at < text.length; at++) {
    const frame = stack.at(-1);
    switch (text[at]) {
      case "{":
        stack.push({ path: step(frame), index: null, key: "", wantsKey: true });
        break;
      case "[":
        stack.push({ path: step(frame), index: 0, key: "", wantsKey: false });
        break;
      case "}":
      case "]":
        stack.pop();
        break;
      case ",":
        if (frame?.index != null) frame.index++;
        else if (frame !== undefined) frame.wantsKey = true;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (frame?.wantsKey === true) {
          frame.key = JSON.parse(text.slice(at, end)) as string;
          frame.wantsKey = false;
        } else visit(step(frame), at, end);
        at = end - 1;
        break;
      }
      default:
    }
  }
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
