import { unknownOptionTexts } from "../event/unknown-option-texts.ts";
import { unsetVariableTexts } from "../event/unset-variable-texts.ts";

/** The causes that an error text can name. */
export const causeKinds = [
  "unknown-option",
  "unknown-subcommand",
  "unknown-script",
  "unknown-skill",
  "unknown-agent",
  "unknown-field",
  "unknown-value",
  "unset-variable",
  "missing-program",
  "missing-module",
  "missing-path",
  "missing-ref",
  "is-folder",
  "too-large",
  "not-unique",
  "text-not-found",
  "not-read",
  "changed-since-read",
  "no-change",
  "wrong-folder",
  "no-permission",
  "forbidden",
  "locked",
  "not-signed-in",
  "timed-out",
  "port-in-use",
  "not-running",
  "network-failed",
  "nothing-to-do",
  "behind-remote",
  "ignored-by-git",
  "wrong-arguments",
  "wrong-quoting",
  "not-on-server",
  "unknown-name",
  "no-upstream",
  "branch-exists",
  "diverged",
  "no-environment",
  "managed-environment",
  "workspace-root",
  "not-executable",
  "needs-value",
  "wrong-program",
] as const;
export type CauseKind = (typeof causeKinds)[number];

export interface CauseMatch {
  readonly kind: CauseKind;
  readonly thing: string | null;
  /** The program that printed the message, or null. */
  readonly speaker: string | null;
}

type Pattern = readonly [CauseKind, RegExp];

/** Nothing answered on this machine: a service must be started. */
const refusedHere =
  /(?:ECONNREFUSED|[Cc]onnection refused|Failed to connect to ).*(?:\blocalhost\b|\b127\.\d|::1\b|\b0\.0\.0\.0\b|\.sock\b)|(?:\blocalhost\b|\b127\.\d|::1\b|\b0\.0\.0\.0\b|\.sock\b).*(?:ECONNREFUSED|[Cc]onnection refused)/;

/** A temporary fault of the network or a server, independent of the call. */
const network: readonly Pattern[] = [
  ["not-running", refusedHere],
  [
    "network-failed",
    /\bE(?:AI_AGAIN|NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)\b|[Cc]ould not resolve (?:host|proxy)|Temporary failure in name resolution|Name or service not known|: no such host\b|[Nn]etwork is unreachable|No route to host|[Cc]onnection (?:refused|reset by peer)|Failed to connect to |socket hang up|TLS handshake timeout/,
  ],
  [
    "network-failed",
    /\b(?:HTTP(?:\/[\d.]+)?|status code|returned error:|npm (?:error|ERR!)(?: code E)?) ?(?:429|5\d\d)\b|\b429 Too Many Requests|\b50[0234] (?:Internal Server Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out)|\brate limit(?:s|ed)? (?:has been )?(?:exceeded|reached)|\bexceeded .{0,30}rate limit|\bThrottlingException\b|\bToo Many Requests\b|^Error from server \((?:InternalError|ServiceUnavailable|Timeout|ServerTimeout|TooManyRequests)\)/i,
  ],
];

/** Another process works on the same thing at this moment. */
const locked: Pattern = [
  "locked",
  /\b[Ee]rror acquiring the state lock\b|\bstate (?:is |was )?(?:already )?locked\b|[Cc]ould not get lock \S|[Uu]nable to (?:acquire|obtain) (?:the )?(?:\S+ )?lock\b|[Ff]ailed to (?:acquire|obtain) (?:the )?(?:\S+ )?lock\b|\bdatabase (?:file )?is locked\b|\bUnable to create ["'].*\.lock["']: File exists|\bFile exists: ["'`]?(?!\S*\b(?:yarn|Cargo|poetry|composer|Gemfile|Pipfile|Podfile|bun|uv|pdm|flake|mix|pubspec|package)\.lock\b)\S+\.(?:lock|lck)\b|\b[Ll]ock ?file (?:["'`]?(?!\S*\b(?:yarn|Cargo|poetry|composer|Gemfile|Pipfile|Podfile|bun|uv|pdm|flake|mix|pubspec|package(?:-lock)?|pnpm-lock)\.)[\w./~@+-]+["'`]? )?(?:already )?exists\b|\balready locked\b|(?<!\b(?:yarn|Cargo|poetry|composer|Gemfile|Pipfile|Podfile|bun|uv|pdm|flake|mix|pubspec|package))\.(?:lock|lck)["'`]?: File exists\b|\bAnother (?:git|apt|dpkg|yum|pacman|flutter) (?:process|command) (?:seems|is|holds)/,
];

/** The error says who may not do what. */
const forbidden: readonly Pattern[] = [
  [
    "forbidden",
    /\bUser "(?<who>[\w:.@/-]{1,80})" cannot (?<verb>[a-z]{2,20}) resource "(?<what>[\w./-]{1,60})"(?:.{0,80} in the namespace "(?<where>[\w.-]{1,60})")?/,
  ],
  ["forbidden", /\bUser: (?<who>arn:[\w:.@/+=-]{1,100}) is not authorized to (?<verb>perform): (?<what>[\w:*-]{1,60})/],
  ["forbidden", /^Error from server \(Forbidden\)|\bAccessDenied(?:Exception)?\b|\b403 Forbidden\b/],
];

/** Errors of tools other than shells, which state the cause in their first line. */
export const toolCauses: readonly Pattern[] = [
  ["not-read", /^File has not been read yet|^(?:You must|Must) (?:first )?read (?:the )?file/i],
  [
    "changed-since-read",
    /^File has been (?:modified|changed) since|^File (?:was )?(?:modified|changed) since|has been unexpectedly modified/i,
  ],
  [
    "no-change",
    /^No changes to make\b|old_string and new_string are (?:exactly the same|identical)|^No changes to apply/i,
  ],
  [
    "not-unique",
    /^Found \d+ match(?:es)? of the string|^(?:Error: )?(?:\d+ occurrences|Expected (?:1|one) occurrence but found \d+)|is not unique in the file|multiple (?:matches|occurrences)/i,
  ],
  [
    "text-not-found",
    /^String to replace not found|^apply_patch verification failed: (?:Failed to find|invalid context)|Failed to find (?:expected lines|context)|could not find (?:the string to replace|(?:an exact match for )?["']?old_?string)|old_?string (?:was )?not found/i,
  ],
  ["is-folder", /\bEISDIR\b|[Ii]s a directory\b|is a directory, not a file|^Path is (?:not a file|a directory)/],
  [
    "too-large",
    /exceeds (?:the )?maximum (?:allowed )?(?:size|tokens|length)|exceeds maximum allowed|[Ff]ile (?:content )?(?:is )?too large|File content \([^)]*\) exceeds/,
  ],
  ["unknown-skill", /^(?:Error: )?(?:Unknown skill:|Skill not found:?) ?(?<thing>\S+)/i],
  ["unknown-agent", /^Agent type ["'](?<thing>[^"']+)["'] not found/],
  ["missing-program", /\bENOENT\b.*\b(?:posix_)?spawn ["']?(?<thing>[^"'\s]+)/],
  [
    "missing-path",
    /^(?:File|Path|Directory) does not exist(?:[:.] ?(?<thing>\S+))?|^File not found|^(?:Error: )?ENOENT\b|no such file or directory|^Directory not found/i,
  ],
  ["no-permission", /(?<thing>\bE(?:ACCES|PERM)\b|^[Pp]ermission denied|[Oo]peration not permitted)/],
  ...network,
  ["timed-out", /\btimed? ?out\b|^Timeout\b/i],
  ["not-signed-in", /\b(?:401|403) (?:Unauthorized|Forbidden)\b|authentication (?:failed|required)|not logged in/i],
  [
    "not-on-server",
    /\b(?:status code|HTTP) 40[04]\b|^Request failed with status code \d+|^(?:Entity|Issue|Document)? ?not found\b/i,
  ],
  [
    "wrong-arguments",
    /ValidationError|^Invalid (?:arguments?|parameters?|input)|[Rr]equired parameter|Received non-uuid|is not a valid|Argument Validation Error|missing required/,
  ],
  [
    "not-running",
    /^No (?:such )?(?:agent|task|shell|process|session)\b.*\b(?:found|running)|(?:session|shell|task|process|agent) .{0,60}(?:not found|is not running|not running|no longer)|[Uu]nknown (?:process|session)|stdin is closed/i,
  ],
];

/**
 * What programs print. Anchored to the start of a line or to the program's name, because a chain of commands may print
 * much.
 */
export const commandCauses: readonly Pattern[] = [
  ["missing-program", /^(?:\S+ )?command not found: (?<thing>\S+)$/],
  ["missing-program", /(?:^|\s)(?<thing>[^\s:]+): command not found$/],
  ["missing-program", /^(?<thing>[^\s:/]+): not found$/],
  [
    "missing-program",
    /^(?:env|\/usr\/bin\/env|nohup|timeout|xargs|sudo): .{0,60}?["'‘](?<thing>[^"'’]+)["'’]: No such file/,
  ],
  // A path, or a file that `make -f` names, is not a program's name.
  ["missing-program", /^make(?:\[\d+\])?: (?<thing>[\w+-]+): No such file or directory$/],
  ["missing-program", /\b(?:exec|spawn): ["']?(?<thing>[\w./-]+)["']?: executable file not found/],
  ["missing-program", /^(?:error|Error): .{0,40}\bspawn (?<thing>\S+) ENOENT/],
  ["missing-module", /^(?:ModuleNotFoundError: )?No module named ["']?(?<thing>[\w.]+)/],
  [
    "missing-module",
    /^(?<by>\S*python[\d.]*): (?:Error while finding module specification for .*|No module named ["']?(?<thing>[\w.]+))/,
  ],
  ["missing-module", /^(?:\w*Error: )?Cannot find (?:module|package) ["'](?<thing>[^"']+)/],
  ["missing-module", /^ImportError: cannot import name ["']?(?<thing>[\w.]+)/],
  ["missing-module", /^(?:\S+: )?(?:cannot find package|no required module provides package) ["']?(?<thing>[^"'\s;]+)/],
  ["missing-module", /\bcannot load such file -- (?<thing>(?![./])[\w./-]+)/],
  ["missing-module", /^SyntaxError: Export named ["'](?<thing>[^"']+)["'] not found/],
  ["missing-module", /^\s*(?:Error in .{0,80}: ?)?there is no package called [‘'"](?<thing>[\w.]+)/],
  ["unknown-script", /\bMissing script:? ["'`]?(?<thing>[^"'`\s]+)/],
  ["unknown-script", /^error: Script not found ["'](?<thing>[^"']+)/],
  ["unknown-script", /^(?:error )?Command ["'](?<thing>[^"']+)["'] not found\b/],
  ["unknown-script", /None of the selected packages has a ["'](?<thing>[^"']+)["'] script/],
  ["unknown-script", /^make: \*\*\* No rule to make target ["'`](?<thing>[^"'`]+)/],
  [
    "unknown-script",
    /no task named (?<thing>[\w:.-]+)|^(?:error: )?(?:Justfile does not contain recipe|task:) ["'`](?<thing2>[^"'`]+)/i,
  ],
  // Poetry: neither a script of the project nor a program of its environment.
  ["unknown-script", /^Command not found: (?<thing>\S+)$/],
  // Gradle names the task, and behind it what there is instead.
  [
    "unknown-script",
    /^(?:> )?(?:Cannot locate tasks that match ["'](?<thing2>[^"']+)["'] as (?:task|project) |Task ["'](?<thing>[^"']+)["'] not found in )/,
  ],
  [
    "unknown-subcommand",
    /^(?:error: (?:unrecognized|unknown) (?:sub)?command|Unrecognized command) ["'](?<thing>[^"']+)/,
  ],
  [
    "unknown-subcommand",
    /^(?<by>aws): (?:\[ERROR\]: )?error: argument (?:command|operation|subcommand): .{0,20}[Ii]nvalid choice(?::? ["'](?<thing>[^"']+))?/,
  ],
  ["unknown-value", /^error: package ID specification [`'"](?<thing>[^`'"]+)[`'"] did not match any packages/],
  ["unknown-value", /^ERROR: Config value ["'](?<thing>[^"']+)["'] is not defined in any \.rc file/],
  ["unknown-name", /\bno such target ["'](?<thing>@?@?[\w.~+-]*\/\/[^"']+)["']/],
  ["needs-value", /^(?:Error: )?No value for required variable/],
  ["unknown-name", /^Error from server \(NotFound\): [\w.]+ "(?<thing>[\w.-]+)" not found/],
  ["unknown-name", /^(?:Error: )?Workspace "(?<thing>[\w.-]+)" (?:doesn't|does not) exist/],
  ["unknown-name", /^(?:\(?\w*Error\)?:? ?)?ERROR 1146 \(42S02\).{0,30}Table ["'](?<thing>[\w.-]+)["'] doesn't exist/],
  ["no-upstream", /^fatal: The current branch (?<thing>\S+) has no upstream branch/],
  ["branch-exists", /^fatal: [Aa] branch named ["'](?<thing>[^"']+)["'] already exists/],
  ["no-environment", /^(?:error: )?No virtual environment found; run [`'"]uv venv[`'"]/],
  ["managed-environment", /^error: externally-managed-environment/],
  ["workspace-root", /ERR_PNPM_ADDING_TO_ROOT/],
  [
    "not-executable",
    /^(?:\S*\/)?(?:(?:ba|da|z|k)?sh: )?(?<thing>(?:\.{0,2}\/)[\w./@+-]*\.(?:sh|bash|py|rb|pl)): [Pp]ermission denied$/,
  ],
  // pip: `Could not open requirements file: [Errno 2] No such file or directory: 'x'`
  ["missing-path", /\[Errno 2\] No such file or directory: ["'](?<thing>[^"']+)["']$/],
  ["missing-path", /^Given variables file (?<thing>\S+) does not exist/],
  ["unknown-subcommand", /^(?<by>[\w.+-]+): ["'](?<thing>[^"']+)["'] is not an? (?:[\w.+-]+ )?(?:sub-?)?command\b/],
  ["unknown-subcommand", /^(?:Error: |error: )?[Uu]nknown (?:sub)?command:? ["'`]?(?<thing>[\w:.-]+)/],
  ["unknown-subcommand", /argument (?:command|action|\{[^}]*\}): invalid choice: ["'](?<thing>[^"']+)/],
  ["unknown-subcommand", /^Unknown command: ["']?(?<thing>[\w-]+)/],
  ["unknown-subcommand", /^(?:Error: )?No such command:? ["'`]?(?<thing>[\w:.-]+)/],
  ...unknownOptionTexts.map((text): Pattern => ["unknown-option", text]),
  [
    "unknown-value",
    /\bargument [\w/-]+: invalid choice: ["'](?<thing>[^"']+)["'] \(choose from|^(?:[Ee]rror: )?Invalid value for ["']?[^"':]+["']?: ["'](?<thing2>[^"']+)["'] is not one of/,
  ],
  [
    "unknown-value",
    /^error: invalid value ["'](?<thing>[^"']+)["'] for |^error: .{0,60}argument ["'](?<thing2>[^"']+)["'] is invalid\. Allowed choices are/,
  ],
  ...unsetVariableTexts.map((text): Pattern => ["unset-variable", text]),
  ["unknown-field", /^Unknown JSON field: ["'](?<thing>[^"']+)/],
  ["wrong-folder", /\bnot a git repository\b/],
  [
    "wrong-folder",
    /\bgo\.mod file not found\b|^go: cannot find main module|directory prefix .* does not contain main module|^no Go files in/,
  ],
  [
    "wrong-folder",
    /\bENOENT\b.*\bopen ["'].*package\.json|[Cc]ould not (?:read|find) (?:a )?package\.json|could not find `?Cargo\.toml`?|No (?:pyproject|Makefile|makefile)\S* found|No targets specified and no makefile found/,
  ],
  ["wrong-folder", /^stat (?<thing>\S+): directory not found/],
  [
    "wrong-folder",
    /^cd: (?:(?:no such file or directory|not a directory): (?<thing>.+)|(?<thing2>.+): No such file or directory)$/,
  ],
  ["is-folder", /^(?:(?<by>[\w.+-]+): )?(?:.*?\b)?(?:[Ii]s a directory|EISDIR)\b/],
  ["missing-ref", /^error: src refspec (?<thing>\S+) does not match any/],
  // `failed to push some refs` alone says nothing: a hook or the server may have refused.
  ["behind-remote", /Updates were rejected(?! because the tag)|\((?:fetch first|non-fast-forward)\)/],
  ["diverged", /Not possible to fast-forward|divergent branches|have diverged/],
  ["ignored-by-git", /^The following paths are ignored by one of your \.gitignore files/],
  [
    "missing-ref",
    /^fatal: (?:ambiguous argument|bad revision|invalid reference:|Not a valid object name|couldn't find remote ref|unable to resolve reference) ?["']?(?<thing>[^"'\s:]+)/,
  ],
  [
    "missing-ref",
    /^error: pathspec ["'](?<thing>[^"']+)["'] did not match|^fatal: pathspec ["'](?<thing2>[^"']+)["'] did not match/,
  ],
  [
    "missing-path",
    /^(?:(?<by>[\w.+/-]+): )?(?:(?:fatal|error|warning): )?(?:[Cc]annot (?:remove|access|stat(?:x)?|open(?: file)?|read|create regular file|create directory)|can't (?:read|open file|open)|[Cc]ould not open(?: file)?|[Ff]ailed to open(?: file)?):? ["'`‘]?(?<thing>[^"'`’]+?)["'’]?(?: for (?:reading|input|writing))?(?:: | \()(?:\[Errno 2\] )?[Nn]o such file/,
  ],
  // `rg: x: IO error for operation on x: No such file …`, `ugrep: warning: x: No such file …`, `tar: x: Cannot stat: …`
  [
    "missing-path",
    /^(?<by>[\w.+-]+): (?:(?:\[[\w ]+\]|warning|error|fatal): )?["'‘]?(?<thing>[^:"'’]+)["'’]?: (?:IO error for operation on [^:]+: |Cannot (?:stat|open): )?[Nn]o such file or directory/,
  ],
  // Go: `open conf/x: no such file or directory`
  ["missing-path", /(?:^|: )(?:open|stat|lstat|read|chdir) (?<thing>[^:\s]+): no such file or directory/],
  ["missing-path", /^fatal: cannot change to ["'](?<thing>[^"']+)/],
  [
    "missing-path",
    /^(?<by>[\w.+-]+): (?<thing>[^:]+): (?:(?:open|stat|read): )?(?:No such file or directory|Cannot open)/,
  ],
  ["missing-path", /^(?:ERROR|error): (?:file or directory not found|not found): (?<thing>\S+)/],
  ["missing-path", /^FileNotFoundError: \[Errno 2\] No such file or directory: ["'](?<thing>[^"']+)/],
  ["missing-path", /^no such file or directory: (?<thing>\S+)/],
  ["missing-path", /^(?:.{0,60}: )?(?:\w+ ){0,3}file (?:was )?not found: ["'`‘]?(?<thing>[^\s"'`’]+)/i],
  ["missing-path", /^(?<thing>[\w./~-]+): No such file or directory/],
  ["missing-path", /\bENOENT\b(?:: no such file or directory)?(?:.{0,40}["'](?<thing>[^"']+))?/],
  ["missing-path", /^(?:.{0,60}: )?(?:No such file or directory|file not found|path does not exist)/i],
  locked,
  ...forbidden,
  [
    "no-permission",
    /^(?:.{0,80}: )?(?<thing>[Pp]ermission denied)|(?<thing2>\bE(?:ACCES|PERM)\b)|^.{0,80}: (?<thing3>Operation not permitted)/,
  ],
  [
    "not-signed-in",
    /\bHTTP 40[13]\b|[Bb]ad credentials|gh auth login|not logged in|[Aa]uthentication failed|401 Unauthorized/,
  ],
  [
    "port-in-use",
    /\bEADDRINUSE\b|[Aa]ddress already in use|port is already (?:allocated|in use)|[Pp]ort (?<thing>\d+) is (?:already )?in use/,
  ],
  [
    "not-running",
    /Cannot connect to the (?<service>Docker) daemon|can't find (?:session|window|pane)|no server running on|No agent (?:running|found)|error connecting to \/|No active window found/,
  ],
  ...network,
  [
    "timed-out",
    /^(?:Error: )?(?:Command timed out|[Tt]imed out|Timeout waiting|command timed out|The command timed out)|^\[Errno 110\]/,
  ],
  [
    "nothing-to-do",
    /^nothing to commit|^(?:no changes added to commit|Everything up-to-date|Already up to date)|nothing added to commit|^No local changes to save/,
  ],
  [
    "wrong-quoting",
    /^(?:syntax error near|unexpected EOF while|syntax error: unexpected end|parse error near|unmatched |no matches found: |bad substitution|.{0,60}: event not found|.{0,60}: ambiguous redirect|bad pattern: |parse error in command)/,
  ],
  ["wrong-quoting", /\(Unix shell quoting issues\?\)/],
  [
    "wrong-arguments",
    /^(?:error: |Error: )?accepts (?:at most|between|exactly|\d+) .{0,40}arg\(s\)|^(?:error: )?the following required arguments were not provided|^(?:error: |Error: )?(?:missing required (?:argument|flag|option)|required flag\(s\)|too (?:many|few) arguments)|^error: the following arguments are required|cannot be used with|must be (?:specified|one of)/,
  ],
  [
    "wrong-arguments",
    /the literal "\\n" is not allowed in a regex|^rg: regex parse error|^grep: (?:Invalid|Unmatched|brackets)/,
  ],
  [
    "not-on-server",
    /\bHTTP 40[49]\b|\bHTTP 422\b|^gh: Not Found|^curl: \(22\)|^no pull requests found|Could not resolve to a|repository .{0,80} not found|^remote: (?:Repository )?[Nn]ot [Ff]ound/,
  ],
];

/** What an error must not say elsewhere: git ends every rejected push with the same line. */
export const exceptedBy: ReadonlyMap<CauseKind, RegExp> = new Map([
  ["behind-remote", /tag already exists|\(already exists\)|hook declined|protected branch|\(stale info\)/],
]);

/** Where an error names its thing, if not in the line that names the cause. */
export const thingElsewhere: ReadonlyMap<CauseKind, RegExp> = new Map([
  ["needs-value", /input variable "([\w-]{1,60})" is not set/],
]);
