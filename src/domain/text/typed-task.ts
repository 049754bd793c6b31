/**
 * Cuts off a request to the agent behind something to remember: "the port is 6543, then restart the server". An order
 * of steps ("we tag, then push") and a change ("we moved, and now run on Linux") are no requests.
 */
export function cutTask(text: string): string {
  for (const { index, 0: join } of text.matchAll(joins)) {
    const [before, after] = [text.slice(0, index), text.slice(index + join.length)];
    if (isRequest(after, before)) return before;
  }
  return text;
}

/** A sentence of its own that asks for work, and does not say when it is always to be done. */
export function isOwnTask(sentence: string): boolean {
  return opener.test(sentence) || (ownTask.test(sentence) && !always.test(sentence));
}

const opener =
  /^(?:and |ok,? |okay,? )?(?:now(?! that)|then|next|please|so|let's|can you|could you|would you|will you)\b/i;
const always = /\b(?:each|every|always|never|before|after|when|whenever|if|unless|once)\b/i;

/** Where a clause may end. */
const joins = /\s*[,;](?:\s+and)?\s+|\s+(?:[-–—]|and)\s+/g;

const verb =
  "(?:fix|implement|refactor|rename|finish|continue|run|rerun|add|update|remove|delete|write|create|make|change|check|commit|push|pull|show|tell|give|go|rebase|merge|bump|restart|start|stop|install|import|export|reset|convert|format|assign|build|deploy|test|open|close|move|copy|look|find|explain|review|clean|revert|undo|set|try|apply|generate|migrate|replace|send|ping|tag|print|list|read|edit|release|publish|document|describe|summari[sz]e|investigate|debug|squash|upgrade|port|extract|split|simplify|rewrite|enable|disable|configure|verify)";
const objects = "(?:the|an?|this|that|these|those|it|its|them|my|our|your|his|her|their|me|all|one|some)\\b";
const strong = "(?:fix|implement|refactor|rename|finish|continue)";

const asking =
  /^(?:(?:can|could|would|will) you\b|let'?s\b|go ahead and\b|i(?:'d| would)? (?:want|need|like) you to\b)/i;
const polite = new RegExp(`^(?:also\\s+)?please\\s+(?:then\\s+|also\\s+)?${verb}\\b`, "i");
/** "…, and add a test for it", "… - update the README accordingly", "…, so change the config". */
const aboutThat = new RegExp(
  `^(?:also\\s+|so\\s+)?${verb}\\b.*\\b(?:(?:for|to|of|with|about) (?:it|that|this)|accordingly)[.!]?$`,
  "i",
);
const therefore =
  /^so\s+(?:change|update|fix|add|write|edit|rename|remove|delete|replace|move)\s+(?:the|this|that|my|our|these|those)\b/i;
/** "now run on Linux" says where something runs. */
const atOnce = new RegExp(
  `^(?:now|next),?\\s+(?:then\\s+)?${verb}\\s+(?!(?:on|in|through|via|from|at|only|under|without|as|to|every|nightly|with)\\b)\\S`,
  "i",
);
const later = new RegExp(`^(?:and )?(?:then|after that|afterwards),?\\s+${verb}\\s+(?:${objects}|\`)`, "i");
const plain = new RegExp(`^(?:then\\s+)?${strong}\\s+(?:${objects}|with\\b|on\\b)`, "i");
const ownTask = new RegExp(`^(?:${strong}|show|tell|explain|write|create|add|update|remove|delete)\\s+${objects}`, "i");
const ofMine = new RegExp(`^(?:then|after that|afterwards),?\\s+${verb}\\s+(?:my|this|these|me)\\b`, "i");

function isRequest(after: string, before: string): boolean {
  const clause = before.split(/[.;!?]\s+|\n/).at(-1) ?? before;
  if (asking.test(after) || polite.test(after)) return true;
  if ((aboutThat.test(after) || therefore.test(after)) && !isOfSteps(clause)) return !always.test(after);
  if (atOnce.test(after)) return !wasDifferent.test(clause);
  if (plain.test(after)) return !isOfSteps(clause);
  return later.test(after) && (isState(clause) || (ofMine.test(after) && /^(?:always|never)\b/i.test(clause)));
}

/** "We dropped gulp, and now …" */
const wasDifferent = /\b(?:we|it|they|i|team)\s+(?:\w+ed|was|were|had|left|went|got)\b|\bused to\b/i;

/** A state is not followed by a next step, so that "then" begins a request: "the port is 6543, then …". */
function isState(clause: string): boolean {
  return (
    !isOfSteps(clause) &&
    /\b(?:is|are|was|were|has|have|needs?|owns?|lives?|uses|means|takes|holds|contains|listens|points|belongs|runs|requires|expects)\b/i.test(
      clause,
    )
  );
}

function isOfSteps(clause: string): boolean {
  const start = clause.trimStart();
  return (
    /^(?:to|first|after|before|when|if|once|while|we|you|they|one|i|always|never|then)\b/i.test(start) ||
    new RegExp(`^${verb}\\b(?!\\s+(?:of|is|are|was|were|has|needs)\\b)`, "i").test(start) ||
    /\b(?:first|order|steps?|sequence|flow|process)\b/i.test(clause)
  );
}
