/** Words whose stem no ending shows. */
const irregular: Readonly<Record<string, string>> = {
  ran: "run",
  used: "use",
  uses: "use",
  using: "use",
  wrote: "write",
  written: "write",
  overwrote: "overwrite",
  overwritten: "overwrite",
  broke: "break",
  broken: "break",
  lost: "lose",
  chose: "choose",
  chosen: "choose",
  built: "build",
  took: "take",
  taken: "take",
  gave: "give",
  sent: "send",
  made: "make",
  left: "leave",
  said: "say",
  told: "tell",
  thought: "think",
  assumption: "assume",
  assumptions: "assume",
};

/**
 * Strips English endings: verify, verifying, verified and verification have the same stem. Meant for names of a few
 * words, so it rather keeps two forms apart than merges two different words.
 */
export function patternStem(word: string): string {
  let text = irregular[word] ?? word;
  text = text.replace(/'s$/, "").replace(/ied$|ies$/, "i");
  text = text.replace(/(if)(ications?|ying|i|y)$/, "$1");
  text = cut(text, /(ations?|ating|ated|ates|ate)$/, 3);
  if (/[aeiouy].*(ing|ings|ed)$/.test(text) && !text.endsWith("eed")) text = undoubled(cut(text, /(ings?|ed)$/, 3));
  text = cut(text, /ments?$/, 4);
  text = cut(text, /ions?$/, 4);
  text = cut(text, /ness$/, 3);
  text = cut(text, /ly$/, 4);
  text = text.replace(/(s|x|z|ch|sh)es$/, "$1").replace(/([^sui])s$/, "$1");
  return text.length > 3 ? text.replace(/[eiy]$/, "") : text;
}

function cut(text: string, ending: RegExp, least: number): string {
  const rest = text.replace(ending, "");
  return rest.length >= least ? rest : text;
}

function undoubled(text: string): string {
  return text.length > 3 ? text.replace(/([bdgmnprt])\1$/, "$1") : text;
}
