/** A fast test before anything is parsed or loaded, because most errors show no fact. */
export function mayShowFact(error: string): boolean {
  return HINTS.test(error);
}

const HINTS =
  /no such |not (?:found|exist|appear|contain)|ENOENT|directory|EISDIR|exceeds|too large|missing script|of the selected packages|no (?:rule|task) |not resolve to/i;

/** The same fast test for an error about a missing module, before a rule is shown. */
export function mayMissModule(error: string): boolean {
  return /no module named|cannot find (?:module|package)/i.test(error);
}
