import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import type { Gateway } from "../../models/gateway/gateway.ts";
import type { Redactor } from "../turn/turn-parts.ts";

/** Of one session: it knows every secret that has a placeholder in the session's requests. */
export function newRedactor(gateway: Pick<Gateway, "redact">, session: string): Redactor {
  return (value) => gateway.redact({ agent: AGENT_HOST, session }, value);
}
