/** How the sentences begin that a session is told before it stops, so that it goes on. */
export const stopMessageOpenings = {
  failuresLeft: "oldhand: before you stop, this failed and nothing like it worked later:",
  nothingLogged: "oldhand: much was done in this session and nothing of it was written down.",
} as const;

/** Whether a prompt is such a sentence: some hosts hand it back as if a person had typed it, with a tag of theirs before it. */
export function isOwnStopMessage(prompt: string): boolean {
  const text = prompt.replace(/^<\w+[^>]*>\s*/, "");
  return Object.values(stopMessageOpenings).some((opening) => text.startsWith(opening));
}
