import type { Tone } from "../badge.tsx";

const titles: Readonly<Record<string, string>> = {
  watch: "watch: it is only counted, and never shown",
  advise: "advise: shown at the start of a session",
  nudge: "nudge: shown with the call",
  ask: "ask: the call waits until you allow it",
  deny: "deny: the call is refused",
};

/** Explains the level, for a badge's tooltip. */
export function levelTitle(level: string): string {
  return titles[level] ?? level;
}

/** Stronger levels get more prominent colours. */
export function levelTone(level: string): Tone {
  if (level === "deny") return "fail";
  if (level === "ask") return "warn";
  return level === "nudge" || level === "advise" ? "brass" : "quiet";
}
