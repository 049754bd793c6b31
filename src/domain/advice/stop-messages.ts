/** The openings of the messages that keep a session from stopping. */
export const stopMessageOpenings = {
  failureLeft: "oldhand: before you stop, this call failed, and I saw no later success:",
  failuresLeft: "oldhand: before you stop, these calls failed, and I saw no later success:",
  nothingLogged: "oldhand: much was done in this session and nothing of it was written down.",
} as const;

/** As an older version wrote it; transcripts that are imported later may have it. */
const olderOpenings = ["oldhand: before you stop, this failed and nothing like it worked later:"];

/**
 * True if a prompt is one of our stop messages: some hosts return it as a typed prompt, with their own tag in front.
 */
export function isOwnStopMessage(prompt: string): boolean {
  const text = prompt.replace(/^<\w+[^>]*>\s*/, "");
  return [...Object.values(stopMessageOpenings), ...olderOpenings].some((opening) => text.startsWith(opening));
}
