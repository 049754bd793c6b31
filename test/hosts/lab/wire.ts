import { stripVTControlCharacters } from "node:util";
import type { ModelRequest } from "../../../src/testing/scripted-server.ts";
import type { SessionRecord } from "./lab.ts";

/** The requests of the conversation, without the client's auxiliary ones. */
export function listRequests(session: SessionRecord | undefined): readonly ModelRequest[] {
  return (session?.requests ?? []).filter(
    (one) =>
      !one.path.endsWith("/count_tokens") && ((one.body as { tools?: unknown[] } | null)?.tools ?? []).length > 0,
  );
}

/** Every text that a request shows the model, in order and for every API, without tool definitions. */
export function textsOf(request: ModelRequest | undefined): readonly string[] {
  const body = (request?.body ?? {}) as Readonly<Record<string, unknown>>;
  const texts = spoken.flatMap((key) => stringsIn(body[key]));
  // Gemini CLI escapes hook output as HTML.
  return "contents" in body ? texts.map(unescaped) : texts;
}

/** All texts of a request, joined. */
export function read(request: ModelRequest | undefined): string {
  return textsOf(request).join("\n");
}

/** Everything the model has read at the end. */
export function wire(session: SessionRecord): string {
  return read(listRequests(session).at(-1));
}

/** The advice at session start, from its first word to the date; empty if there is none. */
export function startBlock(text: string): string {
  return /From oldhand, which remembers[^]*?\nIt is \w+day, [^\n]*? UTC\./.exec(text)?.[0] ?? "";
}

/** The results of the calls so far, in the order of the calls. */
export function resultsOf(request: ModelRequest | undefined): readonly string[] {
  const { messages = [], contents = [] } = (request?.body ?? {}) as Body;
  return [
    ...messages.filter((message) => message.role === "tool").map((message) => stringsIn(message).join("\n")),
    ...contents.flatMap(({ parts }) => parts.flatMap((part) => part.functionResponse?.response.output ?? [])),
  ];
}

/** OpenAI's chat completions, or Gemini's format. */
interface Body {
  readonly messages?: readonly { readonly role: string }[];
  readonly contents?: readonly {
    readonly parts: readonly { readonly functionResponse?: { readonly response: { readonly output?: string } } }[];
  }[];
}

/** How often `part` occurs in the text. */
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

const moves = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*H`, "g");

/** The text on the screen, without cursor movements. */
export function drawn(session: SessionRecord): string {
  return stripVTControlCharacters(`${session.stdout}${session.stderr}`.replace(moves, " ")).replace(/\s+/g, " ");
}
