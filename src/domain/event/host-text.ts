import { isRecord, tryParseJson } from "../../lib/json.ts";

/** A tool's output, separated from the host's wrapping. */
export interface HostText {
  /** The tool's own text: without colour codes, host wrapper, exit code line and advice of the host. */
  readonly body: string;
  /** The exit code that the host wrote into the text, or null. */
  readonly exitCode: number | null;
}

/**
 * Removes a host's wrapping. Set `failed` if the host says that the call failed: only then is a leading `Exit code 3`
 * the host's, because any command can print such a line. With a null host, every host's wrapping is removed.
 */
export function unwrapHostText(text: string, host: string | null, failed: boolean): HostText {
  let body = plainText(text).trim();
  let exitCode: number | null = null;
  const noteExitCode = (code: unknown): string => {
    if (exitCode === null && typeof code === "string" && /^-?\d+$/.test(code)) exitCode = Number(code);
    return "";
  };
  if (failed) {
    body = unwrapTag(body).replace(/^Error: (?=Exit code \d)/, "");
    body = body.replace(/^Exit code (-?\d+)(?:\n|$)/, (_all, code: string) => noteExitCode(code)).trimStart();
  }
  if (body.startsWith("{") && body.includes('"exit_code"')) body = fromJson(body, noteExitCode);
  for (const pattern of wrappingsOf(host)) body = body.replace(pattern, (_all, code: unknown) => noteExitCode(code));
  return { body: withoutAdvice(body).trim(), exitCode };
}

/** Removes colour codes and normalises line ends. A line redrawn with `\r` becomes several lines. */
export function plainText(text: string): string {
  const clean = text.includes(escape) || text.includes(control) ? text.replace(ansi, "") : text;
  return clean.includes("\r") ? clean.replace(/\r+\n/g, "\n").replace(/\r/g, "\n") : clean;
}

/** True if a tool's text alone says that the call failed, for events without a flag. */
export function seemsFailed(text: string): boolean {
  return /^(?:Error: )?(?:Exit code [1-9]\d*(?:\n|$)|<tool_use_error>|\w+:\S+ hook error:|Permission to use |Permission for this tool use was denied|Claude requested permissions|The user doesn't want to proceed)/.test(
    plainText(text.slice(0, 400)).trimStart(),
  );
}

const escape = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);
const control = String.fromCharCode(0x9b);
/** Colours, cursor moves, titles and links. */
const ansi = new RegExp(
  `[${escape}${control}](?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escape}]{0,2000}(?:${bell}|${escape}\\\\)?|[()][0-9A-Za-z]|[0-9=>A-Za-z])|${control}[0-?]*[ -/]*[@-~]`,
  "g",
);

/** What each host wraps around a command's output. The group is the exit code. */
const wrappings: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^codex/,
    /^(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?(?:Process (?:exited with code (-?\d+)|running with session ID [^\n]*)\n)(?:Original token count: [^\n]*\n)?(?:Output:(?:\n|$))?/,
  ],
  [/^codex/, /^Wall time: [^\n]*\n(?=aborted by user)/],
  [/^codex/, /^Exit code: (-?\d+)\nWall time: [^\n]*\n(?:Total output lines: [^\n]*\n)?Output:(?:\n|$)/],
  [/^(?:gemini|qwen|antigravity)/, /^<untrusted_context>\n?|\n?<\/untrusted_context>$/g],
  [/^(?:gemini|qwen|antigravity)/, /^(?:Command: [^\n]*\n)?(?:Directory: [^\n]*\n)?(?:Stdout|Output): (?=[^])/],
  [
    /^(?:gemini|qwen|antigravity)/,
    /(?:\nStderr: \(empty\))?(?:\nError: \(none\))?\nExit Code: (-?\d+|\(none\))(?:\n(?:Signal|Background PIDs|Process Group PGID|Note): ?[^\n]*)*$/,
  ],
  [/^copilot/, /\n?<(?:shellId: \S+ completed|command|exited) with exit code (-?\d+)>$/],
  [/^copilot/, /\n?<exited with (?:exit )?code (-?\d+)>$/],
  [/^(?:droid|factory)/, /^Error: Command failed \(exit code: (-?\d+)\)\n/],
  [/^(?:droid|factory)/, /\n*\[Process exited with code (-?\d+)\]$/],
  [/^pi/, /\n*Command exited with code (-?\d+)$/],
  [/^cline/, /^\[?Command exited with code (-?\d+)\]?\n*(?:\[stderr\]\n)?/],
  [/^continue/, /^Error executing tool \w+: (?:Error \(exit code (-?\d+)\): )?/],
  [/^mini-swe/, /^<returncode>(-?\d+)<\/returncode>\n?/],
  [/^mini-swe/, /^<warning>\n[^]{0,600}?<\/warning>\s*/],
  [/^mini-swe/, /^<output(?:_head)?>\n?|\n?<\/output(?:_tail)?>$/g],
];

/** Cached by host, because every call needs it. */
function wrappingsOf(host: string | null): readonly RegExp[] {
  const known = wrappingsByHost.get(host);
  if (known) return known;
  const patterns = wrappings.filter(([hosts]) => host === null || hosts.test(host)).map(([, pattern]) => pattern);
  if (wrappingsByHost.size < 100) wrappingsByHost.set(host, patterns);
  return patterns;
}

const wrappingsByHost = new Map<string | null, readonly RegExp[]>();

function fromJson(body: string, noteExitCode: (code: unknown) => string): string {
  const parsed = tryParseJson(body);
  if (!isRecord(parsed) || typeof parsed["output"] !== "string") return body;
  const meta = isRecord(parsed["metadata"]) ? parsed["metadata"] : parsed;
  if (typeof meta["exit_code"] === "number") noteExitCode(String(meta["exit_code"]));
  return parsed["output"].trim();
}

function unwrapTag(body: string): string {
  const open = /^(?:Error: )?<(tool_use_error|error)>/.exec(body);
  if (!open) return body;
  const inner = body.slice(open[0].length);
  const close = inner.lastIndexOf(`</${open[1]}>`);
  return (close >= 0 ? inner.slice(0, close) + inner.slice(close + (open[1]?.length ?? 0) + 3) : inner).trim();
}

/** A cheap test before the replacements below; most texts contain no advice. */
function carriesAdvice(body: string): boolean {
  return (
    body.includes("urrent working directory") ||
    body.startsWith("The last command <command>") ||
    body.includes("Shell cwd was reset to ") ||
    body.includes("<system-reminder>")
  );
}

/** Removes sentences that a host adds for the model. They vary between versions and are not part of the error. */
function withoutAdvice(body: string): string {
  if (!carriesAdvice(body)) return body;
  return body
    .replace(/\s*\bNote: your current working directory is [^\n]*/g, "")
    .replace(/\s*\bCurrent working directory: [^\n]*/g, "")
    .replace(
      /^The last command <command>[^]*?<\/command> (timed out) and has been killed\.\n(?:The output of the command was:\s*(?:<output>)?)?/,
      "Command $1\n",
    )
    .replace(/\n?Shell cwd was reset to [^\n]*/g, "")
    .replace(/\n?<system-reminder>[^]*?(?:<\/system-reminder>|$)/g, "");
}
