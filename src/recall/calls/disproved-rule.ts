import { isOfState, isOfValues } from "../../domain/cause/blame.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import type { CauseKind } from "../../domain/cause/patterns.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";
import { failuresCitedBy } from "./cited-failures.ts";
import { isModuleThere } from "./missing-module.ts";

/**
 * True if one success is enough to disprove the rule, and there was one: it says that an option, a script or a module does
 * not exist, or that something else works instead. The file of a missing module counts too.
 */
export async function isDisproved(
  db: Db,
  rule: Rule,
  { workspace, hasWorked }: { readonly workspace: string; readonly hasWorked: boolean },
): Promise<boolean> {
  if (hasWorked && isFromRecoveries(rule)) return true;
  const failures = await failuresCitedBy(db, rule, workspace);
  const kinds = failures.map(({ call, error }) => detectCause(call, error)?.kind ?? null);
  if (hasWorked && kinds.some((kind) => kind !== null && ofExistence.has(kind))) return true;
  return kinds.includes("missing-module") && isModuleThere(failures, workspace);
}

/** True unless a session can repair the cause before the call: then calls work because of the rule. */
export function mayBeMended({ evidence, matcher, origin, signature }: Rule): boolean {
  const tool = matcher?.tool === "shell" ? "bash" : (matcher?.tool ?? "");
  if (origin !== "tool" || isFromUserWords({ signature })) return false;
  return evidence.refs.every((ref) => !isOfState(detectCause({ tool, input: null }, ref.excerpt)?.kind ?? null));
}

/** False if a session can repair the cause before the call, as the rule says: then the call works because of the rule. */
export function isOfLastingCause({ evidence, matcher }: Rule): boolean {
  const tool = matcher?.tool === "shell" ? "bash" : (matcher?.tool ?? "");
  return evidence.refs.every((ref) => {
    const kind = detectCause({ tool, input: null }, ref.excerpt)?.kind ?? null;
    return isOfValues(kind) && !isOfState(kind);
  });
}

/** `Run X, not Y`: it says nothing true once Y works. */
function isFromRecoveries({ signature }: Rule): boolean {
  return signature?.startsWith("recovery ") ?? false;
}

/** Other causes, such as a time limit, may be met again the next time. */
const ofExistence: ReadonlySet<CauseKind> = new Set([
  "unknown-option",
  "unknown-subcommand",
  "unknown-script",
  "unknown-skill",
  "unknown-agent",
  "unknown-field",
  "unknown-name",
  "not-executable",
  "no-environment",
  "missing-program",
  "missing-module",
]);
