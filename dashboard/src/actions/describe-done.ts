import type { OperationRoute } from "../api/api-result.ts";
import { formatMany, formatPercent } from "../text/count.ts";
import type { DeclaredAction, Subject } from "./action.ts";
import type { Values } from "./run-action.ts";

/** The notice after an action, for actions whose label does not say what follows. */
const texts: Partial<Record<OperationRoute, (result: Values, subject: Subject) => string>> = {
  "rules/approve": () => "Approved: in force from now on.",
  "rules/reject": () => "Rejected: it is not proposed again, unless you approve it later.",
  "rules/retire": () => "Retired: no longer in force, but kept.",
  "rules/pin": () => "Pinned: it does not decay.",
  "rules/unpin": () => "Unpinned: it can decay again.",
  "rules/edit": () => "Edited.",
  override: () => "Allowed once: the next call that it would ask about, hold or deny runs.",
  "memories/edit": () => "Edited: it now counts as yours.",
  "memories/archive": (_, { title }) => `Archived, no longer recalled: “${clip(title)}”`,
  "memories/vouch": () => "Vouched for: trusted like your own memories.",
  "memories/confirm": (answer) => `Confirmed: ${describeConfidence(answer)}`,
  "memories/contradict": (answer) => `Contradicted: ${describeConfidence(answer)}`,
  "memories/pin": () => "Pinned: it never decays.",
  "memories/unpin": () => "Unpinned: it can decay again.",
  "working/keep": () => "Noted for this session.",
  "working/clear": () => "The notes of this session are cleared.",
  init: () => "The identity is set up.",
  "soul/propose": () => "Proposed: it waits for your decision above the files.",
  "rules/merge": (_, { title }) => `Merged into “${clip(title)}”`,
  "soul/accept": ({ proposal }) => `Accepted: ${readFile(proposal)} is changed.`,
  "soul/reject": (result) => `Rejected: ${readFile(result)} stays as it is.`,
  "soul/edit": () => "Saved.",
  mistake: describeEntry,
  win: describeEntry,
  remember: () => "Saved: agents can recall it.",
  learn: () => "Saved: it is in force from now on.",
  "approvals/approve": ({ reach }) => `Approved ${reaches[String(reach)] ?? ""}.`,
  "approvals/reject": () => "Rejected: the agent gets your no.",
  "approvals/revoke": () => "Revoked: the agent asks again.",
  "job/add": () => "Added. It runs while a worker runs.",
  "job/run": ({ slot }) => describeSlot(slot),
  "job/reset": () => "Reset: it runs at its next time.",
  "job/remove": () => "Removed. The record of its slots stays.",
  pause: () => "Paused: what runs is stopped, and nothing begins.",
  resume: () => "Work goes on.",
  undo: () => "Undone.",
  "agents/complete": ({ response }) => `It answered: “${clip(String(response))}”`,
  "agents/feedback": () => "Recorded. The router learns from it.",
};

function describeSlot(slot: unknown): string {
  const { fate, detail } = (slot ?? {}) as { fate?: string; detail?: string | null };
  return `It ${fate === "missed" ? "was not run" : (fate ?? "ended")}${detail ? `: ${clip(detail)}` : "."}`;
}

const reaches: Readonly<Record<string, string>> = {
  once: "once: this call runs",
  session: "for the session: equal actions run without a question",
  always: "from now on: equal actions in that workspace run without a question",
};

export function describeDone(action: DeclaredAction, subject: Subject, result: Values, isChanged: boolean): string {
  if (action.undo !== null && !isChanged) return describeUnchanged(result);
  const said = texts[action.route]?.(result, subject);
  if (said !== undefined) return said;
  const written = result["written"];
  if (action.rehearses) return `${action.label}: ${describeWritten(written)}.`;
  return subject.title === "" ? `${action.label}: done.` : `${action.label}: ${clip(subject.title)}`;
}

/** The memory already exists, so nothing was written. */
function describeUnchanged({ similarity, memory }: Values): string {
  if (typeof similarity !== "number") return "Nothing was changed.";
  const { text } = (memory ?? {}) as { text?: string };
  return `Known already (${formatPercent(similarity)} alike): “${clip(text ?? "")}”`;
}

function describeWritten(written: unknown): string {
  if (typeof written === "number") return written === 0 ? "nothing to change" : formatMany(written, "change");
  return written === true ? "done" : "nothing to change";
}

function describeConfidence({ memory }: Values): string {
  const { confidence, status } = (memory ?? {}) as { confidence?: number; status?: string };
  return `its confidence is now ${formatPercent(confidence ?? 0)}${status === "active" ? "" : `, ${status}`}.`;
}

function describeEntry({ entry, near }: Values): string {
  const { pattern } = (entry ?? {}) as { pattern?: string };
  const known = (near ?? []) as readonly string[];
  return `Recorded under ${pattern}.${known.length > 0 ? ` This pattern is new; similar ones: ${known.join(", ")}.` : ""}`;
}

function readFile(of: unknown): string {
  return String((of as { file?: unknown } | null)?.file ?? "the file");
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
