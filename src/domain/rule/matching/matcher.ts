import { oneLine } from "../../../lib/text.ts";
import { findMainCommand } from "../../shell/command.ts";
import { normalisePurpose } from "../../event/recovery.ts";
import type { Matcher } from "../rule.ts";
import { isStateTrait } from "./situation.ts";
import { holdsFragment } from "../../text/edit-text.ts";
import { plainTrait } from "../../shell/plain-path.ts";
import { matchesTool, type Step } from "../../shell/step.ts";
import { hasTrait } from "../../shell/variables.ts";

/** True if one of the call's steps is what the rule warns against. */
export function matchesSteps(matcher: Matcher, steps: readonly Step[], state: ReadonlySet<string>): boolean {
  return isUnderstood(matcher) && steps.some((step) => matchesStep(matcher, step, state));
}

/**
 * Returns the parts that have the wrong type, or that only a newer oldhand knows. Ignoring them would match too much.
 */
export function unknownParts(matcher: Matcher): readonly string[] {
  return Object.entries(matcher).flatMap(([part, value]) => (parts.get(part)?.(value) === true ? [] : [part]));
}

/** The same as text for the owner. */
export function describeUnknownParts(parts: readonly string[]): string {
  const names = parts.map((part) => JSON.stringify(oneLine(part, 40))).join(", ");
  return `its matcher contains ${names}, which this version of oldhand does not know, so it matches no call; update oldhand or correct the rule`;
}

export function isUnderstood(matcher: Matcher): boolean {
  let known = understood.get(matcher);
  if (known === undefined) understood.set(matcher, (known = unknownParts(matcher).length === 0));
  return known;
}

/** A report asks this of one matcher for thousands of calls. */
const understood = new WeakMap<Matcher, boolean>();

const isText = (value: unknown) => typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const parts = new Map<string, (value: unknown) => boolean>(
  Object.entries({
    tool: isText,
    head: isText,
    heads: isTexts,
    command: isText,
    runs: isText,
    has: isTexts,
    lacks: isTexts,
  } satisfies Record<keyof Matcher, (value: unknown) => boolean>),
);

function matchesStep(matcher: Matcher, step: Step, state: ReadonlySet<string>): boolean {
  if (!matchesTool(matcher.tool, step.tool)) return false;
  if (matcher.head !== undefined && ![step.head, ...step.otherHeads()].some((head) => matchesHead(matcher, head)))
    return false;
  if (matcher.command !== undefined && (matcher.command !== step.command || !step.main)) return false;
  if (matcher.runs !== undefined && !step.runs(String(matcher.runs))) return false;
  const holds = (trait: string) => {
    if (trait === anySubcommand) return true;
    if (trait.startsWith(WRITES_TRAIT)) return writes(step, trait);
    if (isStateTrait(trait)) return state.has(trait);
    return step.traits.has(trait) || step.traits.has(plainTrait(trait, step.head?.split(" ", 1)[0] ?? null));
  };
  const isThere = (trait: string) => holds(trait) || hasTrait(step.traits, trait);
  return (matcher.has ?? []).every(holds) && !(matcher.lacks ?? []).some(isThere);
}

/** With this trait, the head `npm` also matches `npm install` and `npm run build`. */
export const anySubcommand = "with any subcommand";

/** True if a matcher's head covers a command's head. */
export function matchesHead({ head, heads, has }: Matcher, commandHead: string | null): boolean {
  if (head === undefined || commandHead === null) return false;
  if (head === commandHead || heads?.includes(commandHead) === true) return true;
  return (
    has?.includes(anySubcommand) === true && [head, ...(heads ?? [])].some((one) => commandHead.startsWith(`${one} `))
  );
}

/** `writes X`: an edit whose new text contains X. Tested on demand, because there are too many X to list as traits. */
export const WRITES_TRAIT = "writes ";

function writes(step: Step, trait: string): boolean {
  const text = step.written();
  return text !== null && holdsFragment(text, trait.slice(WRITES_TRAIT.length));
}

/** True if the situation arose: the same purpose, however it was then achieved. */
export function isOpportunity(matcher: Matcher, steps: readonly Step[]): boolean {
  if (!isUnderstood(matcher)) return false;
  const purposes = matcherHeads(matcher).map(normalisePurpose);
  return steps.some(
    (step) =>
      matchesTool(matcher.tool, step.tool) &&
      (purposes.length === 0 ||
        (step.head !== null && (purposes.includes(normalisePurpose(step.head)) || matchesHead(matcher, step.head)))),
  );
}

/** True if the matcher depends on what happened earlier in the session; only then must that be looked up. */
export function needsSituation(matcher: Matcher): boolean {
  return isUnderstood(matcher) && [...(matcher.has ?? []), ...(matcher.lacks ?? [])].some(isStateTrait);
}

/** The matcher without conditions on the session. If this does not match, nothing needs to be looked up. */
export function stripSituation(matcher: Matcher): Matcher {
  const plain = (traits: readonly string[]) => traits.filter((trait) => !isStateTrait(trait));
  return { ...matcher, has: plain(matcher.has ?? []), lacks: plain(matcher.lacks ?? []) };
}

/** The head of a rule against a whole or named command is that command's head. */
function headOf(matcher: Matcher): string | null {
  if (matcher.head !== undefined) return matcher.head;
  const command = matcher.command ?? matcher.runs;
  return command === undefined ? null : (findMainCommand(command)?.head ?? null);
}

/** The heads of the matched commands, in all spellings; empty if any command is meant. */
export function matcherHeads(matcher: Matcher): readonly string[] {
  const head = isUnderstood(matcher) ? headOf(matcher) : null;
  return head === null ? [] : [head, ...(matcher.heads ?? [])];
}
