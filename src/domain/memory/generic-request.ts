/**
 * True if a prompt could be typed in any project: it is about the text of the code, its history or wording, or asks for
 * general knowledge. Memories of this project seldom help with it.
 */
export function isGenericRequest(prompt: string): boolean {
  const begin = prompt.slice(0, BEGINNING);
  return asksForKnowledge.test(begin) || worksOnText.test(begin);
}

/** Only the beginning is read, because the rest may be pasted. */
const BEGINNING = 200;

const POLITE = "^\\W*(?:(?:please|can you|could you|briefly|just|now)\\s+)*";

const asksForKnowledge = new RegExp(
  `${POLITE}(?:${[
    "explain\\b",
    "(?:the )?difference between",
    "(?:what|which) (?:is|are) (?:an?\\b|the (?:difference|current)|better|faster)",
    "what'?s an?\\b",
    "what (?:time|day) ",
    "what (?:does|do) .{1,40} (?:mean|do|stand for)\\b",
    "how (?:do|does) (?:an?|you) ",
    "is (?:this|there an?) ",
  ].join("|")})`,
  "i",
);

/** The action must come first: `write a tool that renames files` renames nothing. */
const worksOnText = new RegExp(
  `${POLITE}(?:rename|(?:re)?format|indent|refactor|simplify|rewrite|rephrase|reword|shorten|amend)\\b|\\b(?:${[
    "comments?|docstrings?|javadoc|jsdoc|doxygen|typos?|spelling|grammar|wording|readme|changelog|copyright|licen[cs]e",
    "indentation|table of contents|folder structure|release notes|commit(?:s|ted)?|cherry-pick|(?:pull|merge) request",
    "lint(?:s|er|ing)?|formatter|type ?checker|warns?|warnings?|unused|dead code|unit tests?|test case|type hints?",
    "annotations?|variable|parameter|constants?|enum|helper|magic numbers?|regex|regular expression|for loop|shorter",
    "this (?:loop|function|class|method|file|code|list|line)",
  ].join("|")})\\b`,
  "i",
);
