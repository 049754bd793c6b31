/** Whether an error may show a fact at all: looked at before anything is read or loaded, as most errors show none. */
export function mayShowFact(error: string): boolean {
  return HINTS.test(error);
}

const HINTS =
  /no such |not (?:found|exist|appear|contain)|ENOENT|directory|EISDIR|exceeds|too large|missing script|no (?:rule|task) |not resolve to/i;
