/**
 * Options that neither write a file, nor start a program, nor name a folder, a configuration or another machine. What is
 * not here counts as able to. A list of dangerous options would never be complete.
 */
export function isCoverableOption(head: string, option: string): boolean {
  const ofHead = harmless.get(head) ?? harmless.get(head.split(" ").slice(0, 2).join(" "));
  return everywhere.test(option) || ofHead?.test(option) === true;
}

/** True if the word behind this option is a text for people, such as the message of a commit. */
export function takesText(head: string, option: string): boolean {
  return messageHeads.has(head) && /^-a?m$|^--message$/.test(option);
}

const messageHeads: ReadonlySet<string> = new Set(["git commit", "git stash push", "git tag", "git merge"]);

/** With the same meaning in all programs. Short options are not: `-v` of docker names a folder. */
const everywhere = /^--(?:help|version|verbose|quiet|silent|no-color|dry-run)?$/;

const none = /^$/;
/** Flags that neither write, nor start a program, nor go through hidden files. */
export const readingPrograms: ReadonlyMap<string, RegExp> = new Map([
  ["ls", /^-[A-Za-z1]+$|^--(?:all|almost-all|human-readable|recursive|sort=\w+|time=\w+|reverse|directory)$/],
  ["pwd", /^-[LP]$/],
  ["wc", /^-[lwcmL]+$/],
  ["cat", /^-[AbEnsTv]+$/],
  ["head", /^-(?:[nc]?\d*|q|v)$/],
  ["tail", /^-(?:[nc]?\+?\d*|q|v)$/],
  ["stat", /^-[cLft]+$/],
  ["file", /^-[bi]+$/],
  ["du", /^-[ahscd\d]+$/],
  ["df", /^-[ahT]+$/],
  ["diff", /^-[burNqwB\d]+$/],
  ["basename", none],
  ["dirname", none],
  ["nl", none],
  ["which", /^-a$/],
  ["whoami", none],
  ["uname", /^-[amnrsv]+$/],
  ["echo", /^-[ne]+$/],
  ["true", none],
  ["grep", /^-[nilcvwxEFHhoqsABCm\d]+$/],
]);

const revisions =
  /^-(?:\d+|n|p|s|w|b|M|C)$|^--(?:stat|shortstat|name-only|name-status|oneline|graph|all|cached|staged|short|porcelain|branch|decorate|patch|no-patch|numstat|merges|no-merges|follow|since=[\w.-]+|until=[\w.-]+|author=\w+|no-color|no-pager)$/;
export const readingGit: ReadonlyMap<string, RegExp> = new Map([
  ["status", revisions],
  ["log", revisions],
  ["diff", revisions],
  ["show", revisions],
  ["rev-parse", /^--(?:short|abbrev-ref|show-toplevel|git-dir|verify|is-inside-work-tree)$/],
  ["ls-files", /^-[comdst]+$/],
  ["blame", /^-[lsw]+$/],
]);

const script =
  /^--(?:if-present|run|coverage|bail|ci|no-watch|watch=false|watchAll=false|runInBand|fix|check)$|^--(?:testNamePattern|grep|maxWorkers)=[\w .-]+$|^-t$/;
const cargo =
  /^--(?:release|lib|bins|tests|doc|all|workspace|all-targets|all-features|locked|offline|no-run|package)$|^-p$/;
const go = /^-(?:v|race|short|cover|run|count=\d+|run=[\w/^.-]+|timeout=\w+)$/;

const harmless: ReadonlyMap<string, RegExp> = new Map([
  ...[...readingGit].map(([name, options]) => [`git ${name}`, options] as const),
  ["git add", /^-(?:[AuvN]|-all|-update)$/],
  ["git commit", /^-(?:[amsv]|am|-all|-message|-signoff|-message=[^/].*)$/],
  ["git push", /^-(?:[unv]|-set-upstream|-tags|-follow-tags|-porcelain)$/],
  ["git pull", /^-(?:-rebase|-no-rebase|-ff-only|-tags|-prune)$/],
  ["git fetch", /^-(?:[pt]|-all|-tags|-prune|-depth=\d+)$/],
  ["git branch", /^-(?:[arv]|vv|-all|-list|-remotes|-show-current|-merged|-no-merged)$/],
  ["git checkout", /^-b$/],
  ["git switch", /^-(?:c|-create)$/],
  ["git merge", /^-(?:m|-no-ff|-ff-only|-no-edit)$/],
  ["git restore", /^--staged$/],
  ["git stash push", /^-(?:[um]|-include-untracked|-message)$/],
  ["git tag", /^-(?:[alnm]|-list|-annotate|-message)$/],
  ...["npm", "pnpm", "yarn", "bun"].flatMap((name) => [
    [`${name} test`, script] as const,
    [`${name} run`, script] as const,
  ]),
  ...["test", "build", "check", "clippy", "fmt", "nextest"].map((name) => [`cargo ${name}`, cargo] as const),
  ...["test", "build", "vet"].map((name) => [`go ${name}`, go] as const),
]);
