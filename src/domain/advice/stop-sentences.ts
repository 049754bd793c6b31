/** How the sentences begin that a session is told before it stops, so that it goes on. */
export const stopOpenings = {
  failuresLeft: "oldhand: before you stop, this failed and nothing like it worked later:",
  nothingLogged: "oldhand: much was done in this session and nothing of it was written down.",
} as const;

/** Whether a prompt is such a sentence: some hosts hand it back as if a person had typed it, with a tag of theirs before it. */
export function isStopSentence(prompt: string): boolean {
  const said = prompt.replace(/^<\w+[^>]*>\s*/, "");
  return Object.values(stopOpenings).some((opening) => said.startsWith(opening));
}
