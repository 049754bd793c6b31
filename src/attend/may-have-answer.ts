/**
 * True if the error may have an answer or show a fact: a missing path, text, script or program. Cheap enough for
 * every failed call; the error is parsed only if this returns true.
 */
export function mayHaveAnswer(error: string | null): boolean {
  return error !== null && TELLING.test(error.slice(0, LONGEST));
}

const TELLING =
  /n[o']t (?:find|found|exist|unique|a (?:file|directory))|not exist|no such|enoent|eisdir|directory|not (?:appear|resolve|contain)|missing script|no (?:rule|task|changes)|failed to find|matches|occurrence|exceeds|too large/i;
const LONGEST = 8_000;
