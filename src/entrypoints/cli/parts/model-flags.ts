import type { ChatOptions } from "../../../converse/session/open-chat-session.ts";
import { newFlag } from "./command.ts";

/** Which model answers in a session of oldhand's own agent. */
export const modelFlags = [
  newFlag("model", "string", "only this model answers, as PROVIDER/MODEL; auto: the router chooses, as without it"),
  newFlag("fallback", "boolean", "if the model fails, another one may answer"),
];

export function readModelFlags(values: Readonly<Record<string, unknown>>): Pick<ChatOptions, "model" | "fallback"> {
  const { model, fallback } = values;
  return {
    model: model === "auto" ? null : typeof model === "string" ? model : undefined,
    fallback: fallback === true,
  };
}
