/**
 * True if the error may have an answer or show a fact: a missing path, text, script or program. Cheap enough for
 * every failed call; the error is parsed only if this returns true.
 */
export function mayHaveAnswer(error: string | null): boolean {
  return error !== null && TELLING.test(error.slice(0, LONGEST));
}

const TELLING =
  /n[o']t (?:find|found|exist|unique|a (?:file|directory))|no such|enoent|eisdir|directory|not (?:appear|resolve|contain)|missing script|selected p|no (?:rule|task|changes)|failed to find|matches|occurrence|exceeds|too large/i;
const LONGEST = 8_000;

/**
 * True if the call may have failed although its host reports a success: in `x | tail`, `x || true` and `x; y` the exit
 * code is another program's. Few successful calls print such words.
 */
export function mayHideFailedCall({ input, text }: { readonly input: unknown; readonly text: string | null }): boolean {
  return text !== null && HIDDEN.test(text.slice(0, LONGEST)) && JOINED.test(JSON.stringify(input) ?? "");
}

const HIDDEN = /not found|no such f|missing script|o make t|selected p/i;
/** pnpm exits with 0 if no selected package has the script. */
const JOINED = /[|;&]|\\n|pnpm/;
