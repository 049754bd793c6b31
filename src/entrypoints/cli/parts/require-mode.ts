import { type ChatMode, chatModes } from "../../../domain/settings/chat-mode.ts";
import { OldhandError } from "../../../lib/errors.ts";

/** A mode as it is typed; undefined if none is. */
export function requireMode(typed: unknown): ChatMode | undefined {
  if (typeof typed !== "string") return undefined;
  const mode = chatModes.find((one) => one === typed);
  if (mode !== undefined) return mode;
  throw new OldhandError("usage", `"${typed}" is not a mode`, { hint: `one of ${chatModes.join(", ")}` });
}
