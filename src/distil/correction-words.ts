import { meaningful } from "../domain/ledger/pattern.ts";

/** Longer ones describe; what they have in common with others is chance. */
const LONGEST = 320;
const MOST = 30;

/** The words that tell what a correction is about, each once, in one form and in order; none where it is no plain correction. */
export function wordsOfCorrection(text: string): readonly string[] {
  if (text.length > LONGEST) return [];
  const words = meaningful(text).filter((word) => word.length > 1 && !empty.has(word) && !/^\d+$/.test(word));
  return [...new Set(words)].toSorted().slice(0, MOST);
}

/** How people speak when they correct; what they speak of is in the other words. */
const empty: ReadonlySet<string> = new Set(
  meaningful(
    "no nope yes wait stop dont not use using used run make want need please should would could can will why what how where which you your me mine they them he she here there now also only still same thing things something anything everything way wrong right correct again back instead rather than but if all any some more less new old good bad ok okay like look see tell told said say ask asked mean meant think know try keep put get go let lets add change fix remove delete undo revert code file",
  ),
);
