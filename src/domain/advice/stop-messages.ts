/** The openings of the messages that keep a session from stopping. Short: every hook loads them. */
export const stopMessageOpenings = {
  failuresLeft: "oldhand: before you stop, ",
  nothingLogged: "oldhand: much was done in this session and nothing ",
} as const;

/**
 * True if a prompt is one of our stop messages: some hosts return it as a typed prompt, with their own tag in front.
 */
export function isOwnStopMessage(prompt: string): boolean {
  const text = prompt.replace(/^<\w+[^>]*>\s*/, "");
  return Object.values(stopMessageOpenings).some((opening) => text.startsWith(opening));
}
