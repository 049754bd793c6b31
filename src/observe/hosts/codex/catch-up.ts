import type { CatchUpContext } from "../../protocol/host.ts";
import { readOn } from "../../transcripts/read-on.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { versionAtHead } from "../../protocol/told-version.ts";
import { transcriptReader } from "./transcript.ts";

/**
 * Calls that never ran (forbidden, refused, a patch that does not fit, arguments that cannot be read) and commands
 * that went on by themselves fire no hook after them; only the transcript tells.
 */
export async function catchUp(ctx: CatchUpContext, seen: HookEvent): Promise<void> {
  const { transcript: path, session, cwd, model, agent } = seen;
  if (path === null) return;
  const version = seen.moment === "stop" ? versionAtHead(path, "cli_version") : {};
  const reader = transcriptReader(ctx.config.policy.observe, { session, cwd, model, agent, turn: null, ...version });
  const take = (line: string) => (telling.test(line) ? reader.take(line) : []);
  await readOn(ctx, { path, take, isOpen: reader.isOpen }, seen);
}

/** Most lines are long and tell of no call. */
const telling = /"type":"(?:\w+_call(?:_output)?|CommandExecution|FileChange|McpToolCall|\w+_end|turn_context)"/;
