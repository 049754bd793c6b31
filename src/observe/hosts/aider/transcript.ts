import { dirname, resolve } from "node:path";
import type { Policy } from "../../../domain/policy.ts";
import { parseTime } from "../../../lib/clock.ts";
import { hashText } from "../../../lib/hash.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { readLines } from "../../transcripts/lines.ts";
import { blankEvent, redactAndCap } from "../../protocol/to-event.ts";

/**
 * `.aider.chat.history.md`: Markdown, one session after the other, without ids; the only time is each session's
 * start. Prompts begin with `####`. Commands are too incomplete to be imported as calls.
 */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const cwd = dirname(resolve(path));
  let base: TranscriptItem | null = null;
  let promptLines: readonly string[] = [];
  let count = 0;
  for await (const line of readLines(path)) {
    const prompt = /^#### ?(.*)$/.exec(line)?.[1];
    if (prompt !== undefined) {
      promptLines = [...promptLines, prompt];
      continue;
    }
    // Every line of a prompt begins with the mark.
    if (base !== null && promptLines.length > 0) yield toPromptItem(base, promptLines, { count: count++, policy });
    promptLines = [];
    const began = parseTime(
      /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/.exec(line)?.[1]?.replace(" ", "T"),
    );
    if (began === null) continue;
    base = { ...blankEvent, host: "aider", session: hashText(`${path} ${began}`), cwd, at: began };
    count = 0;
  }
  if (base !== null && promptLines.length > 0) yield toPromptItem(base, promptLines, { count, policy });
}

function toPromptItem(
  base: TranscriptItem,
  lines: readonly string[],
  { count, policy }: { readonly count: number; readonly policy: Policy["observe"] },
): TranscriptItem {
  const text = redactAndCap(lines.join("\n").trim(), policy.payloadCharacters);
  return { ...base, at: base.at + count, kind: "prompt", uid: `prompt:${count}`, text };
}
