import type { NewEvent } from "./event.ts";
import type { Outcome } from "./outcome.ts";

export interface CorrectionContext {
  /** The outcome of the last call before the prompt; null if there was none. */
  readonly lastOutcome: Outcome | null;
  /** False before the agent has done anything: a first request is never a correction. */
  readonly agentActed: boolean;
}

/**
 * Detects a prompt in which the user revokes, stops or corrects what the agent did or said. Uses only its words.
 * Prefers misses to false positives, because a rule may be made from it.
 */
export function findCorrection(prompt: string, before: CorrectionContext): { readonly words: string } | null {
  const words = prompt.trim();
  if (!before.agentActed || words === "" || notTyped.test(words)) return null;
  const text = withoutFillers(words);
  const held = before.lastOutcome === "rejected" || before.lastOutcome === "interrupted";
  const found =
    (opens(text) && !harmless.test(text)) ||
    (words.length <= SHORT && inPassing.some((pattern) => pattern.test(firstPart(text)))) ||
    (held && words.length <= SHORT && redirects.test(text) && !question.test(text));
  return found ? { words } : null;
}

/** True if the words alone allow a correction. A cheap filter: the context is looked up only for these prompts. */
export function mayBeCorrection(prompt: string): boolean {
  return findCorrection(prompt, { lastOutcome: "rejected", agentActed: true }) !== null;
}

type RefusedCall = Pick<NewEvent, "kind" | "outcome" | "text">;

/** Returns what a user wrote when rejecting a call; null if nothing. */
export function findRefusalWords(call: RefusedCall): { readonly words: string } | null {
  if (call.kind !== "call" || call.outcome !== "rejected" || call.text === null) return null;
  const words = call.text.trim();
  return words === "" || hostsOwn.test(words) ? null : { words };
}

/** A longer prompt is a description; remarks in it are part of the request. */
const SHORT = 320;

/** Text that hosts, hooks and clipboards put into a prompt. */
const notTyped =
  /^(?:<|```|>|===|\[Request interrupted|Operation stopped by hook|Implement the following plan|\/[a-z])/i;

/** Claude Code's own text when its questions are declined. */
const hostsOwn = /^The user wants to clarify these questions\b/;

/** Removes leading fillers: `hmm, ok, but …`. */
function withoutFillers(words: string): string {
  return words.replace(fillers, "");
}

const fillers =
  /^(?:(?:hm+|u?h+m*|e+h+|err?m*|o+h|ah+|ok(?:ay)?|well|so|and|but|also|sorry|please|pls|hey|again|actually|right|yeah|ugh|argh|no worries)\b[\s,.:;!…-]*){1,4}/i;

function firstPart(text: string): string {
  return text.split(/\n\s*\n/, 1)[0] ?? text;
}

function opens(text: string): boolean {
  return openings.some((pattern) => pattern.test(text));
}

/** These match only at the beginning. */
const openings: readonly RegExp[] = [
  // A bare "no" answers a question.
  /^(?:no+|nope|nah)[,.!;:\s—–-]+(?!(?:problem|worries|need|thanks|thank|idea|rush|hurry|changes?|more|other|longer|one|matter|errors?|issues?|bugs?|tests?|way)\b)\S+\s+\S+/i,
  /^(?:that|this|it|which)(?:['’]s| is| was|s)(?: just| also| still| simply| totally| completely| clearly| again)* (?:wrong|incorrect|not (?:right|correct|true|it\b|what|how|the (?:right|correct|point)))/i,
  /^(?:that|this|it)(?: isn['’]?t| wasn['’]?t| ain['’]?t) (?:right|correct|true|what|how|it\b|the (?:right|correct|point))/i,
  /^(?:wrong\b(?! (?:number|arg))|incorrect\b|not (?:quite )?(?:what|how) (?:i|we)\b|not like (?:that|this)\b|not (?:as|in|on|to|for) (?:a|an|the)\b[^.?\n]{1,60}\bbut\b)/i,
  /^stop(?:$|[,.!:]| (?:it|that|this|there|here|now|for a|right|doing|adding|using|making|changing|trying|running|creating|committing|pushing|with|please|what|\w+ing\b))/i,
  /^(?:wait|hold on|hang on|pause)(?:$|[,.!:]| (?:why|what|no|a|for a (?:sec|second|minute|moment)|that|this|you|i|we|don['’]?t|please)\b)/i,
  /^(?:you (?:should|must|need to|have to) (?=never))?(?:do ?n['’]?o?t|dont|never)\s+(?!(?:forget|worry|know|think|hesitate|we|you)\b)[a-z]+/i,
  /^(?:(?:from now on|in (?:the )?future)[\s,:]+|you (?:should|must|need to|have to) )?always\s+(?!(?:nice|good|great|fun|the|a|an)\b)[a-z]+\s+\S+/i,
  /^let['’]?s not\b/i,
  /^can (?:we|you) (?:please )?not\b/i,
  /^(?:(?:can|could) you )?(?:revert|undo|roll ?back|un-?do|put back|restore|discard)\s+(?:that|this|those|these|it|them|your|the (?:last|previous|change|changes|commit|edit|edits)|all|everything|what you)\b/i,
  /^i(?:['’]ve| have)? (?:just )?(?:reverted|undone|undid|rolled back|discarded|removed) (?:your|that|those|the changes? you)\b/i,
  /^(?:as |like )?i(?: already| just| explicitly| specifically| clearly)? (?:said|told you|asked (?:you|for)|explained|wrote)\b(?!.*\b(?:me|us) (?:that|to)\b)/i,
  /^i (?:did ?n['’]?t|did not|never) (?:say|said|ask|asked|mean|meant|want|wanted|tell|told)\b/i,
  /^(?:what )?i(?: also| really| actually)? meant\b/i,
  /^i mean (?:the|specific|only|just the|for|not|in|that the)\b/i,
  /^when i (?:say|said|mean|meant)\b/i,
  /^i (?:was|am|['’]m) (?:talking|asking|referring) (?:about|for|to)\b/i,
  /^you(?:['’]ve| have)? (?:forgot|forgotten|missed|broke|broken|misunderstood|misread|overwrote|overwritten|deleted|ignored|skipped|still (?:have|did)|keep (?:\w+ing)|should(?:n['’]?t| not| have)|were (?:supposed|meant)|are (?:not supposed|supposed|wrong|missing|using the wrong)|need(?:ed)? to (?:stop|undo|revert)|did(?:n['’]?t| not) (?!say|mention))\b/i,
  /^you(?:['’]ve| have)? (?:just )?(?:\w+ed|put|made|wrote|took|left|set|cut|did) [^?\n]{3,160}\bbut\b/i,
  /^why (?:did|do|are|have|would|were) you\b(?! (?:think (?:it|that|this) (?:is|was) (?:better|best)|recommend|suggest))/i,
  /^(?:why did ?n['’]?t|why have ?n['’]?t|why are ?n['’]?t|why do ?n['’]?t) you\b/i,
  /^what are you doing\b/i,
  /^are you sure\b/i,
  /^(?:(?:please|just|rather|let['’]?s) )*(?:use|run|try|call|write|put|make it|keep|do) [^?\n]{1,80}?(?: instead(?: of\b|[.!,]|$)| rather than |, not | and not )/i,
  /^i thought (?:we|you) (?:no longer|agreed|said|decided|removed|dropped|stopped|were(?:n['’]?t| not)|don['’]?t|wouldn['’]?t)\b/i,
];

/** "No" and similar words that correct nothing. */
const harmless =
  /^(?:no+|nope|nah)[,.!;:\s—–-]+(?:(?:then |that['’]?s |it['’]?s |this is |all |i['’]?m |we['’]?re )*(?:good|fine|ok(?:ay)?|great|perfect)\b|let['’]?s (?:go|continue|proceed|move on|do (?:it|this|that))\b|(?:go|carry|move) (?:on|ahead)\b|please (?:continue|proceed|go)\b|(?:just )?continue\b)/i;

/** These match anywhere in the first paragraph of a short prompt. */
const inPassing: readonly RegExp[] = [
  /\b(?:is|are|was|were) (?:just |also |simply |completely |totally )*(?:not (?:correct|right|true|what i)|incorrect)\b(?![^.\n]*\?)/i,
  /\b(?:that|this) is wrong\b/i,
  /\byou (?:forgot|misunderstood|misread|overwrote)\b/i,
  /\bnot what i (?:asked|said|meant|wanted)\b/i,
  /\b(?:change|put|switch|set|move|turn) (?:it|that|this|them|those) back\b/i,
  /^(?:no |can you )?(?:remove|delete|take out|drop) [^?\n]{1,50} again\b/i,
  /^(?:it|this|that|they|these|those|the [\w-]+(?: [\w-]+)?) should(?:n['’]?t| not) (?:be|have|go|do|use|appear|show)\b(?![^.\n]*\?)/i,
  /\bshould (?:be|appear|show|say|read|go)\b[^?\n]{1,60}, not (?:just )?\S/i,
  /\bi know i said\b[^?\n]*\bbut\b/i,
  /\b(?:nobody|no one) asked\b/i,
];

/** After a rejected or interrupted call, the next prompt says what to do instead, unless it is a question. */
const redirects =
  /^(?:let['’]?s\b|do\b|don['’]?t\b|not\b|use\b|try\b|fix\b|first\b|instead\b|just\b|only\b|keep\b|leave\b|read\b|look\b|check\b|run\b|add\b|remove\b|skip\b|respond\b|reply\b|write\b|put\b|make\b|rather\b|can we (?:talk|discuss|not|first)\b|we (?:should|need|don['’]?t|already|use)\b|you (?:should|need|don['’]?t|can)\b|it (?:should|is|needs)\b|the \w+ (?:is|are|should)\b|for \S+ there is\b|wait\b|there is (?:already|no)\b)/i;

const question =
  /^(?:how|where|when|which|who|what(?! are you doing))\b|^(?:do|does|did|is|are|can|could|should) (?:we|it|you|there|i|this|that)\b(?! (?:talk|discuss|not|first))[^\n]*\?/i;
