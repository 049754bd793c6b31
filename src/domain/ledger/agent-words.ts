/**
 * What of an agent's words in the ledger other agents may read before a person has reviewed it. An agent may have been
 * told anything by a page or an error, so only plain prose passes: what it is made of is listed here, not what it must
 * not be.
 */

/** True if a text only tells what happened: no command line, option, address, variable or path outside the workspace. */
export function isPlainReport(text: string): boolean {
  return text.length <= LONGEST && tokensOf(text).every((token) => isPlainToken(token)) && !hasWord(text, grave);
}

/** True if a text also advises nothing but to read, to check, to ask, to test or to edit a file of the workspace. */
export function isPlainAdvice(text: string): boolean {
  return isPlainReport(text) && !hasWord(text, acting) && clausesOf(text).every((clause) => isPlainClause(clause));
}

/** True of what worked for an agent. Who reads it will do the same, so it names no program and nothing that acts. */
export function isPlainSuccess(text: string): boolean {
  return isPlainReport(text) && !hasWord(text, acting);
}

const LONGEST = 400;

function tokensOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .map((token) => token.replace(/^["'“”„‘’«»(]+|["'“”‘’«»),.;:!?]+$/g, ""))
    .filter((token) => token !== "");
}

function isPlainToken(token: string): boolean {
  return plainTokens.some((form) => form.test(token));
}

const plainTokens: readonly RegExp[] = [
  /^[-–—&+]$/,
  // Words, also with a hyphen or an apostrophe inside, and choices such as `and/or`.
  /^\p{L}+(?:['’-]\p{L}+)*(?:\/\p{L}+)?$/u,
  // Numbers, times, versions, and the beginning of a commit.
  /^v?\d+(?:[.,:/-]\d+)*(?:%|\p{L}{1,3})?$/u,
  /^[0-9a-f]{4,40}$/,
  // A file of the workspace; a script is a command.
  /^(?:[\w-]+\/)*[\w-]+\.(?:md|txt|json|ya?ml|toml|[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|cs?|h|cc|[ch]pp|php|exs?|sql|graphql|proto|s?css|html|vue|svelte|lock|xml|ini|cfg|gradle|lua|ipynb|log|csv)$/,
];

function wordsOf(text: string): readonly string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
}

function hasWord(text: string, form: RegExp): boolean {
  return wordsOf(text).some((word) => form.test(word));
}

/** What reaches other people, gives access, or switches off a check. */
const grave =
  /^(?:prod|production|live|customers?|forc(?:e|ed|es|ing|efully)|skip\w*|bypass\w*|disabl\w+|disregard\w*|ignor(?:e|es|ing)|overrid\w+|circumvent\w*|insecure\w*|unsafe\w*|noverify|sudo|doas|root|admin\w*|superuser|privileg\w+|token|secrets?|passwords?|passphrase|credentials?|keychain|apikeys?|ssl|tls|certificates?|wipe\w*|nuk\w+|destroy\w*|truncat\w+|exfiltrat\w+)$/;

/** Deeds that change more than a file of the workspace, and programs by name. Advice does without them. */
const acting =
  /^(?:deploy\w*|releas\w+|publish\w*|push\w*|merg\w+|rebas\w+|reset\w*|revert\w*|delet\w+|remov\w+|drop\w*|discard\w*|clean\w*|clear\w*|purg\w+|prun\w+|overwrit\w+|replac\w+|install\w*|download\w*|upload\w*|send\w*|post\w*|share\w*|grant\w*|allow\w*|approv\w+|accept\w*|trust\w*|permit\w*|permissions?|expos\w+|public|open(?:s|ed|ing)?|migrat\w+|appl(?:y|ies|ied|ying)|rollback|restart\w*|kill\w*|stop(?:s|ped|ping)|start\w*|set(?:s|ting)?|export\w*|config\w*|enabl\w+|unlock\w*|hooks?|sign(?:s|ed|ing|ature)?|registr\w+|mirrors?|proxy|proxies|keys?|accounts?|not|never|no|none|nothing|without|instead|don|avoid\w*|only|npm|npx|pnpm|yarn|bun|bunx|deno|pip|pipx|uv|uvx|curl|wget|git|gh|docker|podman|kubectl|helm|terraform|tofu|aws|gcloud|gsutil|az|ssh|scp|rsync|chmod|chown|brew|apt|bash|zsh|sh|eval|oldhand)$/;

function clausesOf(text: string): readonly string[] {
  return text
    .split(/[;:,]|\.(?=\s|$)|\s(?:and|then|or|but)\s/i)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "");
}

function isPlainClause(clause: string): boolean {
  const [first = "", ...rest] = wordsOf(clause.replace(/^(?:(?:and|then|always|first|also|please|have|to)\s+)+/i, ""));
  if (first === "run" || first === "rerun") return runnable.test(rest.join(" "));
  return deeds.has(first) || continuing.has(first);
}

const deeds: ReadonlySet<string> = new Set(
  "read reread check recheck verify confirm look inspect compare ask test measure count list search find review reproduce wait see watch edit change update regenerate format lint build compile explain think plan say report quote tell mention understand".split(
    " ",
  ),
);

/** Words by which a clause only goes on with what was said. */
const continuing: ReadonlySet<string> = new Set(
  "the a an its their his her this that these those what which who whether how when where why before after until if because so as with in on at of for from each every all both".split(
    " ",
  ),
);

/** The checks of a project. What they are called there is not said. */
const runnable =
  /^(?:(?:the|a|all|its|their|your|our|whole|full|entire|every|each|of|them|affected|relevant|related|failing|same|single|unit|integration|smoke|type|own|project|projects|s) )*(?:tests?|suites?|specs?|linter|lint|typecheck(?:er)?|checks?|checker|build|generator|formatter|compiler|benchmarks?)\b/;
