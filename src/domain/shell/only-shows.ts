import type { ShellCommand } from "./command.ts";

/** Programs that only show something, whatever their options are. */
const showing: ReadonlySet<string> = new Set(
  "cat ls head tail grep egrep fgrep wc stat file cut nl tac du df jq diff tree xxd od".split(" "),
);

/** Commands of other programs that only show something, apart from options that write or run. */
const showingHeads =
  /^(?:git (?:log|show|diff|status|blame|grep|shortlog|describe|ls-files|ls-tree|rev-parse|rev-list|merge-base)|gh (?:pr|issue|run|release|repo|workflow|label) (?:view|list|diff|status|checks)|gh search\b.*|kubectl (?:get|describe|logs|top|explain|version)|(?:docker|podman) (?:ps|images|logs|inspect|version|info)|(?:npm|pnpm|yarn) (?:ls|list|view|info|outdated|why)|pip (?:list|show|freeze)|cargo (?:tree|metadata)|go (?:list|version|doc)|rg|ps|uname|which|whoami|uptime)$/;
const writing = /^--?(?:out\w*|o|w|web|exec\S*|pre|ext-diff|textconv|set|s|watch)(?:=|$)/;

/** Options that change only how something is shown. */
const displaying =
  /^--?(?:v+|verbose|colou?rs?|no-colou?rs?|pretty|oneline|one-line|no-pager|paginate|json|table|columns?|width|progress|no-progress|human(?:-readable)?|reporter|log-level|graph|no-headers?|no-legend|ascii|unicode|emoji)$/;

/** True if the command only shows something, so that it does no harm with other words either. */
export function onlyShows({ program, head, words, flags, redirects }: ShellCommand): boolean {
  if (
    words[0] !== program ||
    redirects.some(({ kind, target }) => kind.includes(">") && !/^(?:&?\d|\/dev\/null)$/.test(target))
  )
    return false;
  // `gh api` asks, unless it is given a method or fields.
  if (head === "gh api") return !flags.some((flag) => /^(?:-[XfF]|--(?:method|field|raw-field|input))/.test(flag));
  return showing.has(program) || (showingHeads.test(head) && !flags.some((flag) => writing.test(flag)));
}

/** True if it shows something of others, so that an option's value says of whom. */
export function isShowingHead(command: ShellCommand): boolean {
  return onlyShows(command) && !showing.has(command.program);
}

/** True if the option changes only how something is shown, whatever the program is. */
export function isDisplayOption(option: string): boolean {
  return displaying.test(option);
}

/** True if an option of a command that only shows something may write a file or run a program all the same. */
export function isWritingOption({ program }: ShellCommand, option: string): boolean {
  return !showing.has(program) && writing.test(option);
}
