import { causeText } from "../event/cause-text.ts";
import { isCutOff } from "../event/hint.ts";
import { plainText } from "../event/host-text.ts";

/**
 * The one thing that an error offers in place of what it calls wrong: "did you mean X?", "use X instead". Null if it
 * offers none or several, and if its text was cut: then nobody knows what else it offers.
 */
export function findOnlyOffer(error: string): string | null {
  const text = causeText(plainText(error)).trim();
  if (isCutOff(text)) return null;
  const offers = new Set<string>();
  for (const pattern of patterns)
    for (const [, first = "", more = ""] of text.matchAll(pattern))
      for (const one of splitOffers(`${first}\n${more}`)) offers.add(one);
  const [only, ...others] = offers;
  return others.length > 0 || only === undefined || !/^[\w@./:+=-]+(?: [\w@./:+=-]+){0,2}$/.test(only) ? null : only;
}

/** True if the error offers exactly this: as a whole, or as its last word (`kiln bake` for `bake`). */
export function offersOnly(error: string, word: string): boolean {
  const offer = findOnlyOffer(error);
  return offer !== null && (offer === word || offer.split(" ").at(-1) === word || offer.split("=", 1)[0] === word);
}

/** One word may stand for what was typed and be quoted; lines below a colon list more. */
const patterns: readonly RegExp[] = [
  /\bdid you mean(?: to \w+| one of (?:these|the following)| this| instead)?\b[:?]?[ \t]*([^?\n]*)((?:\n[ \t]+\S[^\n]*)*)/gi,
  /\b(?:tip: )?(?:a|some) similar (?:arguments?|subcommands?|commands?|options?|names?|values?) exists?: *([^\n]+)/gi,
  /\bSome candidates are: *([^\n]+)/g,
  /\bwith a similar name exists: *([^\n]+)/gi,
  /\bthe most similar commands? (?:is|are)\s+([^\n]*)((?:\n[ \t]+\S[^\n]*)*)/gi,
  /\b(?:perhaps|maybe) you (?:meant|want(?:ed)?)(?: to use)?:? *([^?\n]+)/gi,
  /\b(?:use|try|run) (["'`‘“][^"'`’”\n]+["'`’”]|--?[A-Za-z][\w-]*) instead\b/gi,
  /\b[Oo]ption ["'`]?[\w-]+["'`]? (?:was|has been) (?:replaced by|renamed to) ([^\n]+)/g,
];

function splitOffers(text: string): readonly string[] {
  return text
    .split(/\n|,|\s\|\s|\s\/\s|\bor\b|\band\b/)
    .map((one) =>
      one
        .trim()
        .replace(/^["'`‘“(]+/, "")
        .replace(/["'`’”)].*$/, "")
        .replace(/[.,:;?]+$/, "")
        .trim(),
    )
    .filter((one) => one !== "");
}
