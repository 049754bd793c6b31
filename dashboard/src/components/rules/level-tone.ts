import type { Tone } from "../badge.tsx";

/** Stronger levels get more prominent colours. */
export function levelTone(level: string): Tone {
  if (level === "deny") return "fail";
  if (level === "ask") return "warn";
  return level === "nudge" || level === "advise" ? "brass" : "quiet";
}
