import type { IncomingHttpHeaders } from "node:http";
import type { WireApi } from "./wire-api.ts";

/** The caller, as far as the headers identify it. */
export interface Caller {
  readonly agent: string;
  readonly session: string | null;
  readonly job: string | null;
  readonly goal: string | null;
}

export function readCaller(headers: IncomingHttpHeaders): Caller {
  return {
    agent: nameIn(headers["x-oldhand-agent"]) ?? hostOf(headers),
    session: sessionHeaders.map((name) => nameIn(headers[name])).find((one) => one !== null) ?? null,
    job: nameIn(headers["x-oldhand-job"]),
    goal: nameIn(headers["x-oldhand-goal"]),
  };
}

/** True if the client pays with a subscription, not per token: it uses a Claude OAuth token or a ChatGPT account. */
export function isSubscription(api: WireApi, headers: IncomingHttpHeaders): boolean {
  if (api !== "messages") return headers["chatgpt-account-id"] !== undefined;
  return /^Bearer sk-ant-oat/i.test(headers.authorization ?? "") || /\boauth-/.test(String(headers["anthropic-beta"]));
}

const sessionHeaders = ["x-oldhand-session", "x-claude-code-session-id", "session-id", "session_id"];

/** Reads the program's name from the user agent: `claude-cli/2.1` is Claude Code. */
function hostOf(headers: IncomingHttpHeaders): string {
  const program = /^[\w.-]{1,40}/.exec(headers["user-agent"] ?? "")?.[0].toLowerCase() ?? "unknown";
  if (program.startsWith("claude-c")) return "claude-code";
  return program.startsWith("codex") ? "codex" : program;
}

function nameIn(value: string | string[] | undefined): string | null {
  return typeof value === "string" && /^[\w.:/-]{1,128}$/.test(value) ? value : null;
}
