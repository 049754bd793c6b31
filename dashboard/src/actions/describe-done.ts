import type { OperationRoute } from "../api/api-result.ts";
import { formatMany, formatPercent } from "../text/count.ts";
import type { DeclaredAction, Subject } from "./action.ts";
import type { Values } from "./run-action.ts";

/** What follows from it, where its label alone does not say so. */
const texts: Partial<Record<OperationRoute, (answer: Values, subject: Subject) => string>> = {
  "rules/approve": () => "Approved: in force from now on.",
  "rules/reject": () => "Rejected: never again, unless approved later.",
  "rules/retire": () => "Retired: out of force, kept for the record.",
  "rules/pin": () => "Pinned: kept from decay.",
  "rules/unpin": () => "Unpinned: open to decay again.",
  "rules/edit": () => "Edited.",
  override: () => "It may be passed once: the next call that it would ask about or deny runs.",
  "memories/edit": () => "Edited: it is your word now.",
  "memories/archive": (_, { title }) => `Archived: no longer recalled: “${clip(title)}”`,
  "memories/vouch": () => "Vouched for.",
  "memories/confirm": describeConfidence,
  "memories/contradict": describeConfidence,
  "memories/pin": () => "Pinned: always known.",
  "memories/unpin": () => "Unpinned.",
  "soul/accept": ({ proposal }) => `Accepted: ${readFile(proposal)} is changed.`,
  "soul/reject": (answer) => `Rejected: ${readFile(answer)} stays as it is.`,
  "soul/edit": () => "Saved.",
  mistake: describeEntry,
  win: describeEntry,
  remember: () => "Remembered.",
  learn: () => "Written: it holds from now on.",
  undo: () => "Undone.",
  "agents/complete": ({ response }) => `It answered: “${clip(String(response))}”`,
  "agents/feedback": () => "Noted: the router learns from it.",
};

export function describeDone(action: DeclaredAction, subject: Subject, answer: Values, isChanged: boolean): string {
  if (action.undo !== null && !isChanged) return describeUnchanged(answer);
  const said = texts[action.route]?.(answer, subject);
  if (said !== undefined) return said;
  const written = answer["written"];
  if (action.rehearses) return `${action.label}: ${describeWritten(written)}.`;
  return subject.title === "" ? `${action.label}: done.` : `${action.label}: ${clip(subject.title)}`;
}

/** What is known already is not written twice. */
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
  return `Confidence ${formatPercent(confidence ?? 0)}${status === "active" ? "" : `, ${status}`}.`;
}

function describeEntry({ entry, near }: Values): string {
  const { pattern } = (entry ?? {}) as { pattern?: string };
  const known = (near ?? []) as readonly string[];
  return `Written under ${pattern}.${known.length > 0 ? ` A new pattern; near it: ${known.join(", ")}.` : ""}`;
}

function readFile(of: unknown): string {
  return String((of as { file?: unknown } | null)?.file ?? "the file");
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
