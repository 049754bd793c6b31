import type { AgentSession } from "../../domain/actor.ts";

/** Set in the shells of oldhand's own agent. */
export const OWN_SESSION_VARIABLE = "OLDHAND_AGENT_SESSION";

/**
 * The agent that runs this process, from variables that hosts set for the programs of their agents. Null in a
 * person's terminal.
 */
export function hostInEnv(env: Readonly<Record<string, string | undefined>>): AgentSession | null {
  const found = marks.find(({ mark }) => (env[mark] ?? "") !== "");
  if (found === undefined) return null;
  const session = found.session === undefined ? "" : (env[found.session] ?? "");
  return { host: found.host, session: session === "" ? null : session };
}

/**
 * Observed in the shells of the real clients and in the MCP servers they start, except Cursor's and Cline's second
 * one, which are from documentation. Copilot does not set its first one for its servers.
 */
const marks: readonly { readonly host: string; readonly mark: string; readonly session?: string }[] = [
  // First: oldhand's own agent may be started from another agent's shell.
  { host: "oldhand", mark: OWN_SESSION_VARIABLE, session: OWN_SESSION_VARIABLE },
  { host: "claude-code", mark: "CLAUDECODE", session: "CLAUDE_CODE_SESSION_ID" },
  { host: "codex", mark: "CODEX_THREAD_ID", session: "CODEX_THREAD_ID" },
  { host: "gemini", mark: "GEMINI_CLI" },
  { host: "qwen", mark: "QWEN_CODE", session: "QWEN_CODE_SESSION_ID" },
  { host: "qwen", mark: "QWEN_CODE_SESSION_ID", session: "QWEN_CODE_SESSION_ID" },
  { host: "opencode", mark: "OPENCODE" },
  { host: "copilot", mark: "COPILOT_CLI", session: "COPILOT_AGENT_SESSION_ID" },
  { host: "copilot", mark: "COPILOT_AGENT_SESSION_ID", session: "COPILOT_AGENT_SESSION_ID" },
  { host: "pi", mark: "PI_CODING_AGENT", session: "PI_SESSION_ID" },
  { host: "droid", mark: "FACTORY_EXEC_TARGET_AUTONOMY" },
  { host: "openclaw", mark: "OPENCLAW_SHELL" },
  { host: "cline", mark: "CLINE_CONNECTOR_CLI_LAUNCH" },
  { host: "cline", mark: "CLINE_ACTIVE" },
  { host: "cursor", mark: "CURSOR_AGENT" },
];
