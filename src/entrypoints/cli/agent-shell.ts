import { actorText, type Actor } from "../../domain/actor.ts";
import { OldhandError } from "../../lib/errors.ts";
import type { Globals } from "./arguments.ts";

/**
 * Whose shell this is, by what hosts set in the shells of their agents. Null in a person's terminal. It keeps an agent from
 * deciding in its owner's name without a thought; a program that wants to can hide these variables.
 */
export function agentInShell({ forOwner }: Pick<Globals, "forOwner">, env = process.env): Actor | null {
  if (forOwner) return null;
  const found = marks.find(({ mark }) => (env[mark] ?? "") !== "");
  if (found === undefined) return null;
  const session = found.session === undefined ? "" : (env[found.session] ?? "");
  return { kind: "agent", name: session === "" ? found.host : `${found.host} ${session}` };
}

/** As seen in the shells of the real clients, but for Cursor's and the second of Cline's, which their makers document. */
const marks: readonly { readonly host: string; readonly mark: string; readonly session?: string }[] = [
  { host: "claude-code", mark: "CLAUDECODE", session: "CLAUDE_CODE_SESSION_ID" },
  { host: "codex", mark: "CODEX_THREAD_ID", session: "CODEX_THREAD_ID" },
  { host: "gemini", mark: "GEMINI_CLI" },
  { host: "qwen", mark: "QWEN_CODE", session: "QWEN_CODE_SESSION_ID" },
  { host: "opencode", mark: "OPENCODE" },
  { host: "copilot", mark: "COPILOT_CLI", session: "COPILOT_AGENT_SESSION_ID" },
  { host: "pi", mark: "PI_CODING_AGENT", session: "PI_SESSION_ID" },
  { host: "droid", mark: "FACTORY_EXEC_TARGET_AUTONOMY" },
  { host: "cline", mark: "CLINE_CONNECTOR_CLI_LAUNCH" },
  { host: "cline", mark: "CLINE_ACTIVE" },
  { host: "cursor", mark: "CURSOR_AGENT" },
];

/** For an agent that typed what is its owner's to decide. */
export function ownersAlone(agent: Actor, typed: readonly string[]): OldhandError {
  return new OldhandError(
    "refused",
    `only the owner may run this command, and this is the shell of ${actorText(agent)}`,
    { hint: `ask the user to type in a terminal: oldhand ${typed.map(quoted).join(" ")}` },
  );
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
