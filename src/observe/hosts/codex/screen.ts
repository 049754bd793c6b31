import { closeSync, openSync, readSync } from "node:fs";
import type { HookEventBase } from "../../protocol/hook-event.ts";

/** The first record of a session names the program that started it; the long fields come later. */
const HEAD = 2_000;

/**
 * True if Codex shows a hook's line to a person. Its own screen does; `codex exec` and programs that embed it do not.
 */
export function detectCodexScreen(transcript: string | null): Pick<HookEventBase, "hasScreen"> {
  return { hasScreen: /"source":\s*"cli"/.test(readHead(transcript)) };
}

function readHead(path: string | null): string {
  if (path === null) return "";
  try {
    const file = openSync(path, "r");
    try {
      const head = Buffer.alloc(HEAD);
      return head.toString("utf8", 0, readSync(file, head, 0, HEAD, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    // Not written yet, or deleted: unknown.
    return "";
  }
}
