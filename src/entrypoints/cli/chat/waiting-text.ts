import { formatLocalClock } from "../../../lib/clock.ts";
import type { TakenMessage, WaitingText } from "./chat-update.ts";

/** `taken by the running turn at 14:02:11` */
export function formatTaken({ as, at }: TakenMessage): string {
  const time = formatLocalClock(at);
  return as === "steer" ? `taken by the running turn at ${time}` : `waited for the turn's end; sent at ${time}`;
}

/** A message that waits, and for what. */
export function formatWaitingText({ kind, text }: WaitingText, isRunning: boolean): string {
  const [line = ""] = text.split("\n");
  if (!isRunning) return `waiting: ${line}`;
  return `${kind === "steer" ? "for this turn, with its next model call" : "after this turn"}: ${line}`;
}
