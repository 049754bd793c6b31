/** Whether an error may show a fact at all: looked at before anything is read or loaded, as most errors show none. */
export function mayShowFact(error: string): boolean {
  return HINTS.test(error);
}

const HINTS =
  /no such |not (?:found|exist|appear|contain)|ENOENT|directory|EISDIR|exceeds|too large|missing script|no (?:rule|task) |not resolve to/i;

/** Whether an error may say that a module is missing: the same look before a rule is said. */
export function mayMissModule(error: string): boolean {
  return /no module named|cannot find (?:module|package)/i.test(error);
}
