import type { TranscriptContext } from "../../protocol/host.ts";
import { followTranscript } from "../../transcripts/follow-transcript.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { readVersionFromHead } from "../../protocol/host-version.ts";
import { transcriptReader } from "./transcript.ts";

/**
 * Calls that never ran (forbidden, refused, a patch that does not fit, arguments that cannot be read) and commands
 * that went on by themselves fire no hook after them; only the transcript tells.
 */
export async function readNewTranscriptLines(ctx: TranscriptContext, event: HookEvent): Promise<void> {
  const { transcript: path, session, cwd, model, agent } = event;
  if (path === null) return;
  const version = event.moment === "stop" ? readVersionFromHead(path, "cli_version") : {};
  const reader = transcriptReader(ctx.config.policy.observe, { session, cwd, model, agent, turn: null, ...version });
  const take = (line: string) => (relevantLine.test(line) ? reader.take(line) : []);
  await followTranscript(ctx, { path, take, isOpen: reader.isOpen }, event);
}

/** Most lines are long and tell of no call. */
const relevantLine = /"type":"(?:\w+_call(?:_output)?|CommandExecution|FileChange|McpToolCall|\w+_end|turn_context)"/;
