/**
 * What cut an answer: the limit that was asked for, or one of the model or its server, if fewer tokens came. `setting` names the
 * one that was asked for.
 */
export function describeAnswerLimit(
  tokens: number,
  asked: number,
  setting: string,
): { readonly after: string; readonly by: string } {
  const count = (value: number) => value.toLocaleString("en-US");
  // A server that does not count says 0.
  if (tokens === 0 || tokens >= asked * NEARLY) return { after: `after ${count(asked)} tokens`, by: setting };
  return {
    after: `after ${count(tokens)} tokens`,
    by: `the limit of the model or of its server; ${setting} would allow ${count(asked)}`,
  };
}

/** Servers count a little differently. */
const NEARLY = 0.95;
