import { isRecord } from "../../../lib/json.ts";

/** Text of what the API calls parts: a string, a part, or a list of them. */
export function readGeminiParts(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    const texts = content.map(readGeminiParts).filter((one) => one !== null);
    return texts.length > 0 ? texts.join("") : null;
  }
  return isRecord(content) && typeof content["text"] === "string" ? content["text"] : null;
}

/** What hooks said is nobody's words, and no part of a tool's. Gemini CLI escapes the brackets in it. */
export function removeHookContext(text: string): string {
  return text.replace(/<hook_context>[^<]*<\/hook_context>/g, "").trim();
}

/**
 * Gemini CLI says that all is well with every command that it could start. How it ended stands in the text, and only
 * the text's edges are the host's; between them, anything may be printed.
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

/** The exit code is left out where it is 0. */
const trailer =
  /(?:\nExit Code: (-?\d+))?(?:\nSignal: (\S+))?(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?(?:\n<\/untrusted_context>)?\s*$/;
