import type { ModelRequest } from "../../../src/testing/scripted-server.ts";
import type { SessionRecord } from "./lab.ts";

/** The turns of the conversation, without what the client asks on the side. */
export function asked(session: SessionRecord | undefined): readonly ModelRequest[] {
  return (session?.requests ?? []).filter(
    (one) =>
      !one.path.endsWith("/count_tokens") && ((one.body as { tools?: unknown[] } | null)?.tools ?? []).length > 0,
  );
}

/** Every text that a request puts before the model, in its order, whichever API it speaks; not the tools it may call. */
export function textsOf(request: ModelRequest | undefined): readonly string[] {
  const body = (request?.body ?? {}) as Readonly<Record<string, unknown>>;
  const texts = spoken.flatMap((key) => stringsIn(body[key]));
  // Gemini CLI writes what hooks say as HTML.
  return "contents" in body ? texts.map(unescaped) : texts;
}

/** All of them as one text. */
export function read(request: ModelRequest | undefined): string {
  return textsOf(request).join("\n");
}

/** All that the model read in the end. */
export function wire(session: SessionRecord): string {
  return read(asked(session).at(-1));
}

/** What was said at the session's start, from its first word to the date; empty where nothing was. */
export function startBlock(text: string): string {
  return /From oldhand, which remembers[^]*?\nIt is \w+day, [^\n]*? UTC\./.exec(text)?.[0] ?? "";
}

/** The results of the calls so far, as a request puts them before the model, in the order of their calls. */
export function resultsOf(request: ModelRequest | undefined): readonly string[] {
  const { messages = [], contents = [] } = (request?.body ?? {}) as Body;
  return [
    ...messages.filter((message) => message.role === "tool").map((message) => stringsIn(message).join("\n")),
    ...contents.flatMap(({ parts }) => parts.flatMap((part) => part.functionResponse?.response.output ?? [])),
  ];
}

/** In the chat completions of OpenAI, or as Gemini has it. */
interface Body {
  readonly messages?: readonly { readonly role: string }[];
  readonly contents?: readonly {
    readonly parts: readonly { readonly functionResponse?: { readonly response: { readonly output?: string } } }[];
  }[];
}

/** How often a text has another. */
export function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

const spoken = ["system", "systemInstruction", "instructions", "messages", "contents", "input"];

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
