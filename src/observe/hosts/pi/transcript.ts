import type { Policy } from "../../../domain/policy.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { readPiTranscript } from "../../transcripts/pi-transcript.ts";

/** `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl` */
export function readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  return readPiTranscript(path, policy, "pi");
}
