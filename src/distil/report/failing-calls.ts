import type { Context } from "../../context.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import type { Event } from "../../domain/event/event.ts";
import { matchesSteps } from "../../domain/rule/matching/matcher.ts";
import { scopeCovers, type Matcher, type Rule, type Scope } from "../../domain/rule/rule.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { type FailureFilter, listFailureLocations } from "../../store/derived/failures.ts";

/** The latest failures, enough to see what the mistake consists of. */
export const LOOKED_AT = 20;

/** A failing call, parsed once for all rules. */
export interface FailingCall {
  readonly event: Event;
  readonly steps: ReturnType<typeof parseSteps>;
  /** The kind of cause that this error has if this call meets it. Remembered: many rules ask for the same errors. */
  causeKind(error: string): CauseKind | null;
}

type CauseKind = NonNullable<ReturnType<typeof detectCause>>["kind"];

export async function loadFailingCalls(
  db: Context["db"],
  signature: string,
  filter: FailureFilter,
): Promise<readonly FailingCall[]> {
  const places = await listFailureLocations(db, signature, filter, LOOKED_AT);
  const events = await getEventsByIds(
    db,
    places.map((place) => place.id),
  );
  return events.map(readFailingCall);
}

function readFailingCall(event: Event): FailingCall {
  const call = { ...event, tool: event.tool ?? "" };
  const kinds = new Map<string, CauseKind | null>();
  return {
    event,
    steps: parseSteps(call),
    causeKind: (error) => {
      let kind = kinds.get(error);
      if (kind === undefined) kinds.set(error, (kind = detectCause(call, error)?.kind ?? null));
      return kind;
    },
  };
}

/** The parts of a rule that decide which calls it warns against. */
export interface CoveringRule {
  readonly matcher: Matcher | null;
  readonly scope: Scope;
  /** Errors it was learned from. Empty for a rule written by hand, which covers every failure. */
  readonly errors: readonly string[];
}

/** The calls that a rule warns against, with a cause it was learned from: one mistake may have several spellings. */
export function listCovered(
  { matcher, scope, errors }: CoveringRule,
  calls: readonly FailingCall[],
): readonly FailingCall[] {
  if (matcher === null) return [];
  return calls.filter(({ event, steps, causeKind }) => {
    if (!scopeCovers(scope, event.workspace) || !matchesSteps(matcher, steps, new Set())) return false;
    if (errors.length === 0) return true;
    const kind = causeKind(event.error ?? "");
    if (kind !== null && errors.some((error) => causeKind(error) === kind)) return true;
    // A cited error is cut short, so its cause is not always recognised. Then the matcher alone decides.
    return errors.every((error) => causeKind(error) === null);
  });
}

/** The errors that a learned rule cites. */
export function listCitedErrors({ origin, evidence }: Pick<Rule, "origin" | "evidence">): readonly string[] {
  return origin === "tool" ? [...new Set(evidence.refs.flatMap(({ excerpt }) => excerpt ?? []))].slice(-5) : [];
}
