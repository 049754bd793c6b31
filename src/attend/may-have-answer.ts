/**
 * True if the error may have an answer or show a fact: a missing path, text, script or program. Cheap enough for
 * every failed call; the error is parsed only if this returns true.
 */
export function mayHaveAnswer(error: string | null): boolean {
  return error !== null && TELLING.test(error.slice(0, LONGEST));
}

const TELLING =
  /n[o']t (?:find|found|exist|unique|a (?:file|directory))|not exist|no such|enoent|eisdir|directory|not (?:appear|resolve|contain)|missing script|selected packages|no (?:rule|task|changes)|failed to find|matches|occurrence|exceeds|too large/i;
const LONGEST = 8_000;

/**
 * True if the call may have failed although its host reports a success: in `x | tail`, `x || true` and `x; y` the exit
 * code is another program's. Few successful calls print such words.
 */
export function mayHideFailedCall(call: { readonly input: unknown; readonly text: string | null }): boolean {
  if (call.text === null || !HIDDEN.test(call.text.slice(0, LONGEST))) return false;
  return JOINED.test(JSON.stringify(call.input) ?? "");
}

const HIDDEN =
  /(?:command |script |: )not found|no such file or directory|missing script|no rule to make|of the selected packages/i;
/** pnpm exits with 0 if no selected package has the script. */
const JOINED = /[|;&]|\\n|pnpm/;
