import type { TranscriptContext } from "../../protocol/host.ts";
import { followTranscript } from "../../transcripts/follow-transcript.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { readVersionFromHead } from "../../protocol/host-version.ts";
import { transcriptReader } from "./transcript.ts";

/**
 * Reads what no hook reports: calls that never ran (denied, refused, a patch that does not apply, invalid arguments),
 * and commands that continued in the background.
 */
export async function readNewTranscriptLines(ctx: TranscriptContext, event: HookEvent): Promise<void> {
  const { transcript: path, session, cwd, model, agent } = event;
  if (path === null) return;
  const version = event.moment === "stop" ? readVersionFromHead(path, "cli_version") : {};
  const reader = transcriptReader(ctx.config.policy.observe, { session, cwd, model, agent, turn: null, ...version });
  const take = (line: string) => (relevantLine.test(line) ? reader.take(line) : []);
  await followTranscript(ctx, { path, take, isOpen: reader.isOpen }, event);
}

/** Most lines are long and contain no call. */
const relevantLine = /"type":"(?:\w+_call(?:_output)?|CommandExecution|FileChange|McpToolCall|\w+_end|turn_context)"/;
