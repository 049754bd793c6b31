import type { Tone } from "../badge.tsx";

/** The harder a rule insists, the louder it looks. */
export function levelTone(level: string): Tone {
  if (level === "deny") return "fail";
  if (level === "ask") return "warn";
  return level === "nudge" || level === "advise" ? "brass" : "quiet";
}
