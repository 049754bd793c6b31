import { stem } from "./stem.ts";

/**
 * Returns the words that say what a text is about, with weights. Meant for prompts about code: `pgTool.ts` gives the
 * whole identifier a high weight and its parts lower ones.
 */
export function weighWords(text: string): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const add = (word: string, weight: number) => {
    if (weight > (words.get(word) ?? 0)) words.set(word, weight);
  };
  for (const token of text.slice(0, LONGEST).match(tokens) ?? []) {
    const pieces = token.split(joints).filter(Boolean);
    if (pieces.length > 1) add(token.toLowerCase(), 2);
    for (const piece of pieces) {
      const parts = piece.split(seams).filter(Boolean);
      if (parts.length > 1) add(piece.toLowerCase(), 2);
      for (const part of parts) {
        const word = part.toLowerCase().replace(/'s$/, "");
        // Part of a name says less than a whole word.
        if (word.length > 1 && !fillers.has(word)) add(stem(word), parts.length > 1 ? 0.5 : weightOf(word));
      }
    }
  }
  return words;
}

/** The same words without stemming, for an index that stems them itself. */
export function listQueryTerms(text: string): readonly string[] {
  const words = (text.slice(0, LONGEST).match(tokens) ?? []).flatMap((token) => token.split(joints));
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 1 && !fillers.has(word));
}

/** How well a text fits a prompt; 0 if the overlap may be chance. */
export function scoreFit(prompt: ReadonlyMap<string, number>, text: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [word, weight] of prompt) shared += Math.min(weight, text.get(word) ?? 0);
  if (shared >= ENOUGH) return shared;
  // A prompt or rule of a few words cannot share more.
  return shared >= 1 && shared * 2 >= Math.min(totalOf(prompt), totalOf(text)) ? shared : 0;
}

function totalOf(words: ReadonlyMap<string, number>): number {
  return [...words.values()].reduce((sum, weight) => sum + weight, 0);
}

const ENOUGH = 2;
/** A pasted log shows its subject in its first lines. */
const LONGEST = 8_000;

const tokens = /[\p{L}\p{N}_]+(?:[./:@'-]+[\p{L}\p{N}_]+)*/gu;
const joints = /[./:@-]+/u;
const seams = /_+|(?<=\p{Ll})(?=\p{Lu})/u;

function weightOf(word: string): number {
  return word.length < 3 || ordinary.has(word) ? 0.5 : 1;
}

/** Words in nearly every prompt: sharing one says little. */
const ordinary = new Set(
  "run runs running test tests testing file files code fix fixed add added make build change changes error errors fail fails failed failing failure work works working command commands new use used using write read update check line lines function please help need want look show find create remove call calls set get put try time times user data thing things src ts js py md json index".split(
    " ",
  ),
);

const fillers = new Set(
  "never always a an the is are was were be been being am do does did done doing not no yes of to in on at for and or but if then than that this these those it its as by with from into out up down over under about so such i you he she we they me my your our their them us his her can could will would shall should may might must have has had having there here what which who whom whose when where why how all any each every some more most much many few other another own same only just also too very again once ever still let lets s t d ll re ve m o don doesn didn isn aren wasn won dont instead before after while during because since until both either neither nor".split(
    " ",
  ),
);
