import { isRecord, tryParseJson } from "../../lib/json.ts";
import { type FailureSource, modelError } from "./failures.ts";

/** Reads a body with one JSON object per line. Stops the request if the consumer stops reading. */
export async function* readJsonLines(
  source: FailureSource,
  { body }: Response,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield parseLine(source, line);
  }
  // The last line may lack its line break. If it is not JSON, the stream was cut.
  const last = tryParseJson(rest);
  if (isRecord(last)) yield last;
}

function parseLine(source: FailureSource, line: string): Readonly<Record<string, unknown>> {
  const parsed = tryParseJson(line);
  if (!isRecord(parsed)) throw modelError(source, "malformed", "a line of the stream is not JSON");
  return parsed;
}
