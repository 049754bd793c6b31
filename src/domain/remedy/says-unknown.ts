import { namesWord } from "./named-remedy.ts";

/** True if the error says that this word is unknown, wrong or missing; not that it is forbidden. */
export function saysUnknown(error: string, word: string): boolean {
  if (!unknown.test(error) || /permission denied|not permitted|forbidden|access denied|unauthorized/i.test(error))
    return false;
  const bare = word.replace(/^-+/, "");
  const last = bare.split(/[/:]/).at(-1) ?? bare;
  return [word, bare, last, bare.charAt(0)].some(
    (one, at) => (at < 3 ? one.length > 1 : bare.length < 4) && namesWord(error, one),
  );
}

/** True if the error says that something is unknown or missing, whatever it is. */
export function saysSomethingUnknown(error: string): boolean {
  return unknown.test(error);
}

const unknown =
  /unknown|unrecogni[sz]ed|invalid|unexpected|illegal|no such|not found|not (?:a |an )?(?:valid|supported|defined|declared|recogni[sz]ed|exist)|(?:doesn't|does not) exist|did not match|cannot (?:find|locate)|could not (?:find|be found)|is not a |missing script|no rule|has no|no option|parse error|404/i;
