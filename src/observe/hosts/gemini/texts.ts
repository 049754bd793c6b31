import { isRecord } from "../../../lib/json.ts";

/** The text of the API's parts: a string, a part, or a list of them. */
export function readGeminiParts(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    const texts = content.map(readGeminiParts).filter((one) => one !== null);
    return texts.length > 0 ? texts.join("") : null;
  }
  return isRecord(content) && typeof content["text"] === "string" ? content["text"] : null;
}

/** Removes hook output, which is neither the user's nor a tool's text. Gemini CLI escapes the brackets in it. */
export function removeHookContext(text: string): string {
  return text.replace(/<hook_context>[^<]*<\/hook_context>/g, "").trim();
}

/**
 * Gemini CLI reports success for every command that it could start. How it ended is in the text, of which only the
 * beginning and the end are the host's; the command may have printed anything in between.
 */
export function parseGeminiCommandEnd(
  tool: string,
  text: string | null,
): { readonly ok: boolean; readonly exitCode: number | null } {
  if (tool !== "run_shell_command" || text === null) return { ok: true, exitCode: null };
  const [, code, signal] = trailer.exec(text.slice(-2_000)) ?? [];
  const stopped = /^(?:<untrusted_context>\n)?Command was (?:automatically )?cancelled /.test(text);
  return { ok: signal === undefined && !stopped, exitCode: code === undefined ? null : Number(code) };
}

/** The exit code is omitted if it is 0. */
const trailer =
  /(?:\nExit Code: (-?\d+))?(?:\nSignal: (\S+))?(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?(?:\n<\/untrusted_context>)?\s*$/;
