import { StringDecoder } from "node:string_decoder";
import type { Placeholders } from "../../domain/model/placeholders.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { newEventRestorer } from "./restore-stream.ts";
import { restoreInDocument } from "./secret-texts.ts";
import type { WireApi } from "./wire-api.ts";

/** Puts the secrets back while an answer passes. */
export type Restore = (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;

export function newRestore(api: WireApi, type: string | undefined, placeholders: Placeholders): Restore {
  return type?.includes("text/event-stream") === true
    ? (chunks) => restoreStream(chunks, newEventRestorer(api, placeholders))
    : (chunks) => restoreWhole(chunks, (text) => restoreInDocument(api, text, placeholders));
}

async function* restoreWhole(chunks: AsyncIterable<Buffer>, restore: (text: string) => string): AsyncGenerator<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  yield Buffer.from(restore(Buffer.concat(parts).toString("utf8")));
}

/** An event ends with an empty line. Events without placeholders keep their bytes. */
async function* restoreStream(
  chunks: AsyncIterable<Buffer>,
  restore: (data: string) => readonly string[],
): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    const blocks = (rest + decoder.write(chunk)).split(/(?<=\n\r?\n)/);
    rest = /\n\r?\n$/.test(blocks.at(-1) ?? "") ? "" : (blocks.pop() ?? "");
    const restored = blocks.map((block) => restoreBlock(block, restore)).join("");
    if (restored !== "") yield Buffer.from(restored);
  }
  rest += decoder.end();
  if (rest !== "") yield Buffer.from(rest);
}

function restoreBlock(block: string, restore: (data: string) => readonly string[]): string {
  const found = /^data: ?(.*?)\r?$/m.exec(block);
  if (found === null) return block;
  const [line, data = ""] = found;
  const at = found.index + line.indexOf(data, "data:".length);
  const withData = (one: string) => block.slice(0, at) + one + block.slice(at + data.length);
  const restored = restore(data);
  return restored
    .map((one, number) => (number === restored.length - 1 ? withData(one) : renameEvent(withData(one), one)))
    .join("");
}

/** An inserted event gets its own name, not that of the event it precedes. */
function renameEvent(block: string, data: string): string {
  const event = tryParseJson(data);
  const type = isRecord(event) ? event["type"] : undefined;
  return typeof type === "string" ? block.replace(/^event:[^\r\n]*/m, `event: ${type}`) : block;
}
