/**
 * Whether an error may be one that is answered, or that shows a fact: of a path, a text, a script or a program that is not there.
 * A look that every failed call can afford; what it really says is read only where this says yes.
 */
export function mayHaveAnswer(error: string | null): boolean {
  return error !== null && TELLING.test(error.slice(0, LONGEST));
}

const TELLING =
  /n[o']t (?:find|found|exist|unique|a (?:file|directory))|not exist|no such|enoent|eisdir|directory|not (?:appear|resolve|contain)|missing script|no (?:rule|task|changes)|failed to find|matches|occurrence|exceeds|too large/i;
const LONGEST = 8_000;
