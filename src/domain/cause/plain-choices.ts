import { isCutOff } from "../event/hint.ts";

/** More than this is a list to look up. */
const MOST = 5;

/** The values of a list in an error that may be repeated to an agent: plain words. */
export function plainChoices(error: string, listed: readonly string[]): readonly string[] {
  return isCutOff(error) ? [] : listed.filter((one) => /^[A-Za-z][A-Za-z0-9-]{0,23}$/.test(one)).slice(0, MOST);
}
