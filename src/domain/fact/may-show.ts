/** Whether an error may show a fact at all: looked at before anything is read or loaded, as most errors show none. */
export function mayShowFact(error: string): boolean {
  return HINTS.test(error);
}

const HINTS =
  /no such (?:file|remote)|not (?:found|exist|appear to be a git)|ENOENT|EISDIR|is a directory|exceeds|too large|missing script|no rule to make|no task named|not contain recipe|could not resolve to a/i;
