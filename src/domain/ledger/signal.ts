import { meaningfulWords } from "./pattern.ts";
import { patternStem } from "../text/pattern-stem.ts";

export type SignalVerdict = { readonly kind: "signal" } | { readonly kind: "slogan"; readonly why: string };

/**
 * Decides whether a mistake names a signal: something that was visible at the time and can be recognised next time,
 * such as quoted words, a number, a file, or an output. A slogan is a reproach, a resolution, or only the pattern's
 * name.
 */
export function judgeSignal(mistake: {
  readonly signal: string;
  readonly pattern: string;
  readonly shouldHave?: string;
}): SignalVerdict {
  const { signal } = mistake;
  const own = new Set(meaningfulWords(signal));
  const news = [...own].filter((word) => !vague.has(word));
  const beyond = (text: string) => {
    const known = new Set(meaningfulWords(text));
    return news.filter((word) => !known.has(word));
  };
  if (news.length === 0) return slogan("it names nothing that was visible");
  const beyondPattern = beyond(mistake.pattern);
  if (beyondPattern.length === 0) return slogan("it only repeats the pattern's name");
  if (mistake.shouldHave !== undefined && beyond(mistake.shouldHave).length === 0) {
    return slogan("it only repeats what should have been done");
  }
  const score = weigh(signal, beyondPattern);
  if (score >= 3) return { kind: "signal" };
  return slogan(
    resolution.test(signal)
      ? "it says what to do, not what was visible"
      : reproach.test(signal)
        ? "it says what you did or omitted, not what was visible"
        : "it is not specific: which words, which number, which file",
  );
}

/** Shown with every refusal. */
export const goodSignal =
  'a signal is what was visible at the time, such as: the test run ended with "0 tests executed"; or: pnpm-lock.yaml is next to package.json; or: two messages earlier the user wrote "use staging"';

function weigh(signal: string, news: readonly string[]): number {
  const words = signal.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word) || set.has(patternStem(word)));
  const isPrinted = printed.some((shape) => shape.test(signal));
  const marks = exact.filter((mark) => mark.test(signal)).length + (isPrinted ? 1 : 0);
  let score = Math.min(4, marks * 2) + Math.min(2, news.length / 3);
  if (has(witnesses)) score += 0.5;
  if (has(reportingVerbs)) score += 1;
  if (has(witnesses) && has(reportingVerbs)) score += 0.5;
  score += Math.min(1.8, words.filter((word) => comparisons.has(word)).length * 0.6);
  // It describes what was visible, not the author.
  if (!self.test(signal) && !evaluation.test(signal) && news.length >= 3) score += 1;
  if (resolution.test(signal)) score -= 3;
  if (reproach.test(signal)) score -= 2;
  score -= words.filter((word) => vague.has(patternStem(word))).length * 0.75;
  return score;
}

function slogan(why: string): SignalVerdict {
  return { kind: "slogan", why };
}

/** Signs of an exact quotation or identifier. */
const exact: readonly RegExp[] = [
  /["“”„«»`]/,
  /(^|[\s(:])['‘][^'’]{3,}['’]([\s.,;:)]|$)/,
  /\d/,
  /(^|\s)--?[a-z][\w-]+/,
  /(^|\s)\.?[\w-]+\.[a-z]{2,5}\b|(^|\s)\.(env|git\w*|npmrc)\b/,
  /[~\w.-]*\/[\w.-]+/,
  /\b[a-z]+(_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w+/,
  /\b[A-Z]{4,}\b/,
];

/**
 * Lines in the form that programs print: `npm error Missing script: tests`, `fatal: not a git repository`,
 * `sh: pnpm: not found`.
 */
const printed: readonly RegExp[] = [
  /^\s*(?:[\w@.-]+[: ]\s*){0,2}(?:\w*error|err!|warn(?:ing)?|fatal|panic|\w*exception)(?!\w| (?:was|is|were)\b)[^:\n]{0,60}:\s*\S/i,
  /^[\w./-]+: [^:\n]{1,60}: \S/,
  /^[\w./-]+: .*\b(?:not found|no such file or directory|permission denied|is a directory)\b/i,
];

/** The things that signals come from. */
const witnesses = set(
  "output log message error warning file diff readme docs page user reviewer comment ticket issue request response answer test run build compiler linter profiler report header prompt screenshot line name title list summary table row folder branch commit status exit code certificate token schema type editor shell command help badge heading note version release",
);

/** What those things do. */
const reportingVerbs = set(
  "say said show showed shown print printed list listed return returned report reported answer answered end ended contain contained warn warned name named ask asked write wrote written read mark marked begin began appear appeared carry carried put point repeat repeated differ underline grow grew drop dropped hang hung came complete completed announce match matched change changed live call called",
);

/** Words for comparison, order, time and quantity. */
const comparisons = set(
  "two three four five ten eleven twenty thirty forty hundred twice first second third last previous earlier later older newer same exactly while whereas although though still already every each before after between empty nothing beside instead only monday tuesday wednesday thursday friday saturday sunday second minute minutes seconds hour hours day days week month full belongs",
);

const vague = set(
  "careful care carefully careless attention attentive mistake better more enough thorough thoroughly proper quick quickly fast slow hurry rush obvious clear sign thing something everything anything think thought hindsight understand aware remember forget forgot important seriously good bad poor badly hard difficult feel felt off problem really actual actually time next always never matter respect trust expect habit discipline focus lazy sloppy best practice principle wrong know knowledge help helped wrong there be able would could should must need will make sure have get going",
);

const resolution =
  /\b(should(n't| not)? (have|be|always|never|keep)|should\b|must\b|needs? (to|care|more)|have to|ought to|would have|could have|next time|from now on|in (the )?future|i will|i'll|make sure|be more|remember to)|^(always|never|do not|don't|be|trust|verify|check|follow|avoid|keep|use|ask|read|look|think|test|run|write|stop|slow down)\b/i;

const self = /\b(i|me|my|we|us|our)\b/i;

/** A judgement instead of a description. */
const evaluation =
  /\b(is|are|was|were|be) (not |too |very |so |really )?(slow|wrong|bad|hard|tricky|right|clear|obvious|confusing|broken|difficult|important|easy|good|fine|trusted|not\b)|\bcould not\b|\bhappened\b/i;

const reproach =
  /\bby (me|us)\b|\b(i|we) (just |simply |only )?(did(n't| not)|was(n't| not)?|were|had(n't| not)|forgot|assumed|ignored|skipped|guessed|relied|trusted|kept|lost|broke|made|used|deleted|dismissed|hallucinated|misread|said|could)\b|^(did(n't| not)|was(n't| not)?|forgot|assumed|ignored|skipped|used|not|no|lack of|too|poor)\b/i;

function set(text: string): ReadonlySet<string> {
  return new Set(text.split(" ").flatMap((word) => [word, patternStem(word)]));
}
