/**
 * Returns the line of an error that names its cause, such as the last exception of a traceback, `fatal: …` or
 * `npm error code …`. The first line is often progress or a banner.
 */
export function findCauseLine(body: string): string {
  const lines = linesOf(body);
  const first = lines[0] ?? "";
  if (wholeMessages.test(first)) return withAnnouncedLine(lines, 0);
  const gradle = gradleReason(lines);
  if (gradle !== null) return gradle;
  const exception = pythonException(lines);
  let best = -1;
  let bestRank = ranks.length;
  for (let at = 0; at < lines.length && bestRank > 0; at++) {
    const line = lines[at] ?? "";
    if (noise.test(line)) continue;
    const rank = rankOf(line, bestRank);
    if (rank < bestRank) [best, bestRank] = [at, rank];
  }
  if (exception !== null && bestRank > 0) return exception;
  if (best < 0)
    best = Math.max(
      0,
      lines.findIndex((line) => !noise.test(line)),
    );
  return withReason(withAnnouncedLine(lines, best), lines);
}

/** The message of a tool other than a shell: its first line. The rest quotes files and arguments. */
export function firstMessage(body: string): string {
  return withAnnouncedLine(linesOf(body), 0);
}

const maxLines = 400;
const maxLine = 600;

function linesOf(body: string): readonly string[] {
  const all = body.split("\n").filter((line) => line.trim() !== "");
  const kept = all.length > maxLines ? [...all.slice(0, maxLines / 2), ...all.slice(-maxLines / 2)] : all;
  return kept.map((line) => line.slice(0, maxLine).trimEnd());
}

/** Messages of hosts that quote the user's files after the first line. */
const wholeMessages =
  /^(?:String to replace not found|Found \d+ match|File has (?:not been|been)|File does not exist|apply_patch verification failed|No changes to make|\w*ValidationError: |Path does not exist|Agent type |Unknown skill|\[format\])/;

/** Lines that do not name the cause. */
const noise =
  /^(?:make(?:\[\d+\])?: (?:\*\*\* \[[^\]]*\] Error \d+|(?:Entering|Leaving) directory)|npm (?:ERR!|error) code ELIFECYCLE|\s*ELIFECYCLE\b|error:? (?:Command failed with exit code \d+|script "[^"]*" exited with code \d+))|^\s*(?:\S+ )?\w+Warning: |^\s*(?:at |File "|in |\.\.\.|[-=_~^*#.━─│|]+\s*$|\^|hint: |warning: |warn\b|npm (?:warn|notice)|npm (?:ERR!|error) (?:path|syscall|errno|A complete log|\s*$)|Usage:|usage: |or: |=== (?:RUN|PAUSE|CONT)|(?:\[\S+\] )?\$ |Traceback|note: |\[?info\]?\b|\d+ \||remote: *$|To https?:|Run '|See '|Try '|For more information|Did you mean)/i;

const ranks: readonly RegExp[] = [
  /\bcommand not found\b|^(?:\(eval\)|zsh):\d+: |^(?:\/\S*\/)?(?:ba|da|z)?sh: (?:line )?\d+: \S+: not found$/,
  /^npm (?:ERR!|error) (?:code |Missing script)/,
  /^(?:\S+: )?fatal: |^panic: /,
  /^(?:remote: )?error(?:\[\w+\])?: |^Error: /i,
  /^(?:Uncaught )?(?:[\w.]+\.)?\w*(?:Error|Exception)(?: \[\w+\])?: /,
  /\bE(?:NOENT|ACCES|EXIST|PERM|ISDIR|NOTDIR|ADDRINUSE|CONNREFUSED|CONNRESET|TIMEDOUT|NOTEMPTY|PIPE|MFILE|NOSPC|RESOLVE|INVAL)\b/,
  /^(?:\.{0,2}\/)?[\w.+/-]+: .*(?:no such|not found|cannot|can't|could not|denied|invalid|illegal|unknown|unrecogni[sz]ed|failed|unexpected|not a |not set|unbound|missing|no module|syntax)/i,
  /^\S+:\d+: /,
  /\b(?:error|failed|failure|cannot|can't|could not|unable|denied|invalid|illegal|unknown|unrecogni[sz]ed|not found|missing|refused|refusing|timed? ?out|unexpected|unsupported|not set|unset|unbound|no such|no go files|no matches|does not exist|doesn't|must|already exists|not allowed|forbidden|conflict)\b/i,
];

function rankOf(line: string, below: number): number {
  for (let rank = 0; rank < below; rank++) if (ranks[rank]?.test(line)) return rank;
  return below;
}

/** Returns the last line of the last complete traceback, or null. The output may have been cut inside a traceback. */
function pythonException(lines: readonly string[]): string | null {
  let end = lines.length;
  for (;;) {
    const start = lines.findLastIndex((line, at) => at < end && line.includes("Traceback (most recent call last)"));
    if (start < 0) break;
    for (let at = start + 1; at < end; at++) {
      const line = lines[at] ?? "";
      if (exceptionLine.test(line)) return line.replace(/^(?:\w+\.)+(?=[A-Z_]\w*)/, "");
    }
    end = start;
  }
  if (end < lines.length) return "Traceback (cut)";
  return lines.findLast((line) => /^(?:Syntax|Indentation|Tab)Error: /.test(line)) ?? null;
}

/** What Gradle says went wrong: the innermost reason, marked by `>`, else the first line. */
function gradleReason(lines: readonly string[]): string | null {
  const start = lines.findIndex((line) => /^\* What went wrong:$/.test(line.trim()));
  if (start < 0) return null;
  const end = lines.findIndex((line, at) => at > start && line.startsWith("* "));
  const reasons = lines.slice(start + 1, end < 0 ? undefined : end).map((line) => line.trim());
  return reasons.findLast((line) => line.startsWith("> "))?.slice("> ".length) ?? reasons[0] ?? null;
}

const exceptionLine = /^(?:[a-z_]\w*\.)*[A-Z]\w*[a-z]\w*(?:: |:?$)/;

/** Appends the next line if this one only announces it (`… the following issue:`); for JSON, appends its message. */
function withAnnouncedLine(lines: readonly string[], at: number): string {
  const line = lines[at] ?? "";
  const next = lines[at + 1]?.trim();
  if (/[[{]$/.test(line)) {
    const message = lines.slice(at + 1, at + 40).find((other) => /^\s*"message": "/.test(other));
    return message ? line.slice(0, -1) + message.trim().replace(/^"message": "|",?$/g, "") : line;
  }
  return next !== undefined && /\b(?:following|because|reason)\b[^:]{0,30}:$/.test(line) ? `${line} ${next}` : line;
}

/** `failed to push some refs` has many causes; git names the actual one in the ref's line. */
function withReason(line: string, lines: readonly string[]): string {
  if (!/failed to push some refs/.test(line)) return line;
  for (const other of lines) {
    const rejected = /^ ! \[(?:remote )?rejected\].*\(([^()]+)\)\s*$/.exec(other);
    if (rejected) return `${line} (${rejected[1]})`;
  }
  return line;
}
