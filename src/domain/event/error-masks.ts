const maxText = 200;

/** Replaces everything that varies in an error line: `<path>`, `<url>`, `<str>`, `<n>`. */
export function maskErrorLine(line: string): string {
  const known = maskCache.get(line);
  if (known !== undefined) return known;
  const made = mask(line);
  if (maskCache.size >= 500) maskCache.clear();
  if (line.length <= 300) maskCache.set(line, made);
  return made;
}

/** Cached, because the same errors recur and there are many masks. */
const maskCache = new Map<string, string>();

function mask(line: string): string {
  let text = line.slice(0, 1000).replace(/\s+/g, " ").trim();
  for (const [pattern, by] of masks) text = text.replace(pattern, by);
  // Some hosts and runtimes put this prefix before any message.
  text = text.replace(/^(?:(?:Uncaught )?Error: |- |(?:✗|✖|×|❌|⚠)\uFE0F? ?)+(?=\S)/, "");
  return cutAtBlank(text.replace(/\s+/g, " ").trim());
}

/** Cuts at a blank, so that no placeholder is split. */
export function cutAtBlank(text: string): string {
  if (text.length <= maxText) return text;
  const blank = text.lastIndexOf(" ", maxText);
  return text.slice(0, blank > maxText / 2 ? blank : maxText).trimEnd();
}

const extension =
  "(?:py|pyi|ipynb|js|jsx|mjs|cjs|ts|tsx|mts|cts|json|jsonl|json5|md|mdx|rst|txt|ya?ml|toml|lock|go|mod|sum|rs|rb|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|sql|html?|css|scss|vue|svelte|xml|csv|tsv|log|env|ini|cfg|conf|svg|png|jpe?g|gif|pdf|zip|gz|tgz|db|sqlite|bin|exe|so|dylib|proto|tf|gradle|patch|diff|bak|tmp|example)";

/** In order: a mask for a part comes after the mask for the whole. */
const masks: readonly (readonly [RegExp, string])[] = [
  // Lists of available values and suggestions differ between workspaces.
  [/\s*\b(?:Available|Valid|Supported|Did you mean|Perhaps you meant|Possible)\b[^:?]{0,30}[:?].*$/, ""],
  [/\b(?:https?|ftp|ssh|git|file|wss?|postgres(?:ql)?|mysql|redis):\/\/[^\s'"`<>)\]]+/gi, "<url>"],
  [/\bgit@[\w.-]+:[^\s'"`<>)\]]+/g, "<url>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<n>"],
  // A quoted flag or errno identifies the error, so it is kept.
  [/(?<![\w<])(['"`])(--?[A-Za-z][\w-]*|E[A-Z]{3,})\1(?!\w)/g, "$2"],
  [/(?<![\w])'(?:[^'\n]|(?<=\w)'(?=\w)){0,300}'(?!\w)/g, "<str>"],
  [/(?<![\w])"[^"\n]{0,400}"/g, "<str>"],
  [/`[^`\n]{0,300}['`]/g, "<str>"],
  [/[“‘«][^”’»\n]{0,300}[”’»]/g, "<str>"],
  [
    /(?<![\w/.-])\d{4}[-/]\d{2}[-/]\d{2}(?![\w/-]*[/.]\w|-\w)(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?/g,
    "<n>",
  ],
  [/\b(HTTP(?:\/[\d.]+)?|status(?: code)?|response code|error code)[:=]? ([1-5]\d\d)\b/gi, "HTTP$2"],
  [/(?<![\w@.+~/-])[A-Za-z]:\\[^\s'"<>|]*/g, "<path>"],
  [
    /(?<![\w@.+~/$<-])(?!(?:I\/O|N\/A|n\/a|and\/or|TCP\/IP|read\/write|yes\/no|y\/n)\b)(?:(?:~|\$\w+|@?[\w.+$-]+)\/|\/(?=[\w.@~$*]))(?:[\w@.+~$*%=,-]+\/?)*(?::\d+)*/g,
    "<path>",
  ],
  [
    new RegExp(
      `(?<![\\w@.+~/<-])(?!(?:Node|Next|Vue|Nuxt|D3|Three)\\.js\\b)\\.?[\\w@+*-]+(?:\\.[\\w-]+)*\\.${extension}(?![\\w-])(?:[:(]\\d+(?:[:,]\\d+)*\\)?)?`,
      "gi",
    ),
    "<path>",
  ],
  [/(?<![\w<])\.[a-z][\w-]*(?:rc|ignore|env|config)\b/g, "<path>"],
  [/\b0x[0-9a-f]+\b/gi, "<n>"],
  [/(?<![\w-])(?=[a-f]*\d)[0-9a-f]{7,64}(?![\w-])/gi, "<n>"],
  [
    /(?<![\w<])v?\d+(?:[.,:]\d+)*(?:\.(?=\w*\d|x\b)\w+)?(?:-(?:alpha|beta|rc|next|dev|canary)[\w.]*)?(?: ?(?:ms|µs|ns|s|m|h|sec|secs|seconds?|minutes?|hours?|[kmgt]i?b|bytes?|%))?(?![\w])/gi,
    "<n>",
  ],
  [/(?<![\w<])\d+(?:\.\d+)?(?=[hms]\d|x\d)[\dhmsx.]*\b/g, "<n>"],
  [/(?:<n>[:.,x-])+<n>/g, "<n>"],
  [/<path>(?:(?:, |,| and |:)<path>)+/g, "<path>"],
  [
    /(?<![\w<.-])(?!(?:Node|Next|Vue|Nuxt|D3|Three)\.js\b|e\.g\b|i\.e\b)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?/g,
    "<str>",
  ],
  // Messages that name the thing without quotes.
  [
    /\b(no such (?:table|column|service|container|image)|unknown (?:column|table|revision|host)|No module named|no matches found|can't find (?:session|window|pane)|Script not found|Missing script|Requested setting)(:?) (?!<)[^\s<,;]+/gi,
    "$1$2 <str>",
  ],
  [
    /^(?!E[A-Z]{3,}:)[^\s:<>]+(?=: (?:No such file or directory|Is a directory|Not a directory|Permission denied)\b)/i,
    "<path>",
  ],
  [/: IO error for operation on <path>(?=: )/, ""],
  [/ ?\(os error <n>\)/g, ""],
  [/: [a-z0-9]+(?:[-_][a-z0-9]+)+(?:, [a-z0-9]+(?:[-_][a-z0-9]+)*)*$/, ": <str>"],
  [/^no such file or directory: .*$/i, "<path>: No such file or directory"],
  // The same cause, worded differently by hosts or versions.
  [/^File has been (?:unexpectedly )?modified\b.*$/, "File has been modified since read"],
  [/^(?:File|Path) does not exist\b.*$/, "File does not exist"],
  [/^(E[A-Z]{3,}: [^,]+, )(?:posix_)?([a-z]+)\b.*$/, "$1$2"],
  [/^spawn <path> (E[A-Z]{3,})$/, "$1: no such file or directory, spawn"],
  [/^Command timed out\b.*$/, "Command timed out"],
  [/ at <top-level>, line <n>.*$/, ""],
  // argparse repeats what it was given: only the first option counts.
  [/\b(unrecognized arguments?: -[\w-]+)\b.*$/, "$1"],
  [/^usage: .*$/i, "usage"],
];
