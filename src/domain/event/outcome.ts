import { OUR_REFUSAL, RULE_MESSAGE_PREFIX } from "../text/rule-message-text.ts";
import { isBenign } from "./benign.ts";
import { unwrapHostText } from "./host-text.ts";
import { explainSilentClient } from "./silent-client.ts";

/** One tool call as a host recorded it. */
export interface HostCall {
  readonly host: string;
  readonly tool: string;
  readonly input: unknown;
  /** The host's flag; several hosts say `true` for a command that exited with 1. */
  readonly ok: boolean;
  /** The error, or the result's text. */
  readonly text: string | null;
  readonly exitCode?: number | null;
}

/** Only `failed` is a failure. The other calls did not run, or were stopped, for a reason outside the call. */
export const outcomes = ["ok", "failed", "denied", "rejected", "interrupted", "cascade"] as const;
export type Outcome = (typeof outcomes)[number];

/** The word for people: a benign failure is not counted as failed anywhere, so it is not called that either. */
export function outcomeWord({ outcome, benign }: { readonly outcome: Outcome; readonly benign: boolean }): string {
  return outcome === "failed" && benign ? "benign" : outcome;
}

export interface OutcomeReading {
  readonly outcome: Outcome;
  /** True for ordinary work: no match, a failing test, a finding. */
  readonly benign: boolean;
  readonly exitCode: number | null;
  /** What the user wrote when rejecting, or null. */
  readonly correction: string | null;
  /** The tool's output without the host's wrapping, or what its exit code says; null if the call succeeded. */
  readonly error: string | null;
}

export function readOutcome(call: HostCall): OutcomeReading {
  const { body, exitCode: written } = unwrapHostText(call.text ?? "", call.host, !call.ok);
  const exitCode = call.exitCode ?? written;
  if (call.ok && !(exitCode !== null && exitCode !== 0)) {
    return { outcome: "ok", benign: false, exitCode, correction: null, error: null };
  }
  // 130 is SIGINT: the user stopped it.
  const other = OUR_REFUSAL.test(body) ? "denied" : call.ok ? "failed" : outcomeOf(body);
  const hostOutcome = exitCode === 130 ? "interrupted" : other;
  // A call with an exit code ran, so a refusal in its output is not the user's.
  const outcome = hostOutcome === "rejected" && exitCode !== null ? "failed" : hostOutcome;
  const correction = outcome === "rejected" ? correctionIn(body) : null;
  const failed = { tool: call.tool, input: call.input, exitCode, error: body };
  const benign = outcome === "failed" && isBenign(failed);
  const error = (outcome === "failed" ? explainSilentClient(failed) : null) ?? body;
  return { outcome, benign, exitCode, correction, error };
}

function outcomeOf(body: string): Outcome {
  // Host messages come first; the tool's output after them may quote anything. If there is no output, the host repeats
  // the command first.
  const head = /^(?:Error: )?exec_command failed\b/.test(body) ? body : body.slice(0, 2000);
  const rule = outcomeRules.find(([, pattern]) => pattern.test(head));
  return rule ? rule[0] : "failed";
}

/** Order matters: a denial that contains the user's words is a rejection. */
const outcomeRules: readonly (readonly [Outcome, RegExp])[] = [
  [
    "cascade",
    /^(?:Error: )?(?:Sibling tool call errored|Cancelled: parallel tool call\b|Tool call (?:skipped|cancelled) because (?:a|another) |Skipped (?:because|due to) (?:a|an earlier|previous) )/i,
  ],
  [
    "rejected",
    /^(?:Error: )?The user (?:doesn't|does not|didn't) want to (?:proceed|take this action|continue|run)\b/i,
  ],
  ["rejected", /^Permission for this tool use was denied\.[^]{0,400}\bThe user said:/],
  [
    "rejected",
    /^(?:Error: )?(?:Tool (?:use|call) |The tool (?:use|call) |Exec command |Command |Patch |exec_command failed[^\n]*|apply_patch failed[^\n]*)?(?:was )?(?:rejected|declined) by (?:the )?user\b/i,
  ],
  [
    "rejected",
    /^(?:Error: )?(?:User rejected tool use|The user (?:rejected|denied|declined|refused|cancelled) (?:this|the|permission)|User (?:rejected|denied|declined|refused|did not (?:allow|approve))\b|Rejected: User chose to|\[Operation Cancelled\] (?:Reason: )?User (?:did not allow|denied))/i,
  ],
  ["rejected", /^(?:Error: )?exec_command failed\b[^]*\bRejected\(\\?"rejected by user/],
  ["interrupted", /^(?:Error: )?\[Request interrupted by user/],
  [
    "interrupted",
    /^(?:Error: )?(?:aborted by user\b|command aborted\b|operation aborted\b|Tool execution (?:was )?(?:aborted|cancelled|interrupted)|(?:The )?(?:command|operation|tool call|request|execution) (?:was |has been )?(?:cancelled|canceled|interrupted|aborted) by (?:the )?user|User (?:cancelled|canceled|aborted|interrupted)|\[Operation Cancelled\]|The operation was aborted\b|Interrupted by user)/i,
  ],
  // For a call that our rule held, some hosts report only the reason.
  ["denied", new RegExp(`^(?:Error: )?${RULE_MESSAGE_PREFIX}`)],
  [
    "denied",
    /^(?:Error: )?Permission to (?:use|run|read|edit|write|access)\b[^]{0,1800}\b(?:has been|was|is) denied\b/,
  ],
  [
    "denied",
    /^(?:Error: )?(?:Permission for this tool use was denied|Claude requested permissions? to\b|This command requires approval\b|This Bash command contains multiple operations\b[^\n]*requires? approval)/,
  ],
  ["denied", /^(?:Error: )?exec_command failed\b[^]*\bRejected\(\\?"(?:`[^]*` rejected: |approval required by )/],
  ["denied", /^(?:Error: )?(?:Pre|Post)ToolUse:[^\n]{0,120}? (?:hook error|hook (?:blocked|denied|stopped))/],
  [
    "denied",
    /^(?:Error: )?(?:Hook (?:PreToolUse|BeforeTool)\S* (?:denied|blocked)|Tool execution blocked: |(?:Execution|Tool execution|Tool call|Command|Operation) (?:stopped|blocked|denied|rejected) by (?:a |an |the )?(?:\S+ )?(?:hook|policy|extension|sandbox|rule)\b|(?:Blocked|Denied) by (?:a |the )?(?:\S+ )?(?:hook|policy|rule))/i,
  ],
  [
    "denied",
    /^(?:Error: )?(?:\S+ (?:in|to) \S+ was blocked\. For security|[^\n]{0,300}\bFor security, Claude Code (?:may|is) only|File is in a (?:directory|folder) that is denied by your permission settings|The user has specified a rule which prevents you|Tool (?:\S+ )?(?:is |was )?(?:denied|blocked|disallowed) by (?:policy|permission|config)|Tool execution denied|exec_command failed[^\n]*(?:blocked by policy|approval policy|rejected by policy)|[^\n]{0,80}requires approval but approval policy|Permission denied and could not request permission|(?:This tool|Tool "[^"\n]{1,200}") (?:requires|needs) (?:permission|approval)|Tool permission request failed)/i,
  ],
];

/** Text that the host adds after the user's words. */
const hostTail = /\n+Note: The user's next message may contain a correction[^]*$/;

function correctionIn(body: string): string | null {
  const reason =
    /\bthe user (?:said|provided the following (?:reason|feedback)[^:\n]*):\s*([^]+)$/i.exec(body)?.[1] ??
    /\b(?:with the following feedback|(?:user )?feedback|reason):\s*([^]+)$/i.exec(body)?.[1] ??
    /<feedback>\s*([^]*?)\s*<\/feedback>/i.exec(body)?.[1];
  const words = reason
    ?.replace(hostTail, "")
    .replace(/^<feedback>|<\/feedback>$/g, "")
    .trim();
  return words ? words : null;
}
