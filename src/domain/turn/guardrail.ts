import { hashText } from "../../lib/hash.ts";
import { stableJson } from "../../lib/json.ts";
import { plural } from "../../lib/text.ts";
import type { ToolEffect } from "../approval/tool-effect.ts";

/** A call as the guardrail sees it. */
export interface GuardedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly effect: ToolEffect;
  /** Equal calls are expected: it waits for something. */
  readonly isPoller: boolean;
}

interface PastCall {
  readonly key: string;
  readonly effect: ToolEffect;
  readonly ok: boolean;
  /** A hash of its text. */
  readonly result: string;
  /** It was refused: its result is the one that it had before. */
  readonly isRefused: boolean;
}

/** The calls of the running turn, oldest first. A turn begins with none. */
export type GuardrailState = readonly PastCall[];

export const newGuardrail: GuardrailState = [];

/** An equal call is warned about from the second time and refused from the fifth; a pattern of two from its second and fifth round. */
const WARN_AT = 2;
const REFUSE_AT = 5;
/** Failures in a row, whatever was called. */
const WARN_FAILURES = 5;
const REFUSE_FAILURES = 10;
/** A shorter text costs no more than the stub. */
const STUB_FROM = 400;

/** What a call came to: the next state, and what the model is shown as the result. */
export interface GuardedResult {
  readonly state: GuardrailState;
  readonly text: string;
}

/** The reasons, for the model and for the person, if the call must not run; null if it may. */
export function refuseCall(
  state: GuardrailState,
  call: GuardedCall,
): (GuardedResult & { readonly forPerson: string }) | null {
  const refusal = call.isPoller ? null : findRefusal(state, call);
  if (refusal === null) return null;
  const key = keyOf(call);
  const before = state.findLast((one) => one.key === key);
  const { ok = false, result = "" } = before ?? {};
  return { state: [...state, { key, effect: call.effect, ok, result, isRefused: true }], ...refusal };
}

function findRefusal(
  state: GuardrailState,
  call: GuardedCall,
): { readonly text: string; readonly forPerson: string } | null {
  const key = keyOf(call);
  const equal = countEqual(state, key);
  if (equal.times >= REFUSE_AT - 1)
    return equal.failed
      ? {
          text: "Refused: this exact call failed again and again in this turn. Do something else, or say what is missing.",
          forPerson: "The agent repeated a call that failed each time, so it was not run again.",
        }
      : {
          text: "Refused: this exact call gave the same result again and again in this turn. Use that result, or do something else.",
          forPerson: "The agent repeated a call that gave the same result each time, so it was not run again.",
        };
  if (countRounds(state, key) >= REFUSE_AT - 1)
    return {
      text: "Refused: the same two calls were repeated in turn, with the same results. Do something else, or say what is missing.",
      forPerson: "The agent repeated the same two calls with the same results, so this one was not run again.",
    };
  if (call.effect !== "read" && failuresInRow(state) >= REFUSE_FAILURES)
    return {
      text: "Refused: no call has worked for a while. Read what went wrong, or say what is missing; only calls that read are allowed until one works.",
      forPerson: `The last ${REFUSE_FAILURES} calls failed. Until one works, the agent may only read.`,
    };
  return null;
}

/** The state after a call, and what the model is shown as its result. `isChanged`: that is not the result's own text. */
export function noteCall(
  state: GuardrailState,
  call: GuardedCall,
  result: { readonly ok: boolean; readonly text: string },
): GuardedResult & { readonly isChanged: boolean } {
  if (call.isPoller) return { state, text: result.text, isChanged: false };
  const past: PastCall = {
    key: keyOf(call),
    effect: call.effect,
    ok: result.ok,
    result: hashText(result.text),
    isRefused: false,
  };
  const next = [...state, past];
  const text = [shownText(state, past, result.text), ...findWarnings(next, past)].join("\n\n");
  return { state: next, text, isChanged: text !== result.text };
}

/** A read that the turn has already is not shown again. */
function shownText(state: GuardrailState, past: PastCall, text: string): string {
  if (past.effect !== "read" || !past.ok || text.length < STUB_FROM) return text;
  const at = state.findLastIndex(({ key }) => key === past.key);
  const before = state[at];
  if (before?.ok !== true || before.result !== past.result) return text;
  return `Unchanged since your equal call ${plural(state.length - at, "call")} ago: the result is the same, see there.`;
}

function findWarnings(state: GuardrailState, last: PastCall): readonly string[] {
  const before = state.slice(0, -1);
  const { times, failed } = countEqual(state, last.key);
  if (times >= WARN_AT && failed)
    return [`Warning: this exact call failed ${plural(times, "time")}. Change something before you try again.`];
  if (times > WARN_AT && last.effect !== "read")
    return [`Warning: this exact call gave the same result ${plural(times, "time")}. Repeating it brings nothing.`];
  const rounds = countRounds(before, last.key);
  if (rounds >= WARN_AT && last.result === before.findLast(({ key }) => key === last.key)?.result)
    return ["Warning: you repeat the same two calls with the same results. Do something else."];
  const failures = failuresInRow(state);
  if (failures >= WARN_FAILURES)
    return [`Warning: ${failures} calls in a row failed. Stop and look at what they have in common.`];
  return [];
}

/** How often a call was made with the same result, since it last had another one or a file was changed. */
function countEqual(state: GuardrailState, key: string): { readonly times: number; readonly failed: boolean } {
  const last = state.findLast((one) => one.key === key);
  if (last === undefined) return { times: 0, failed: false };
  let times = 0;
  for (const one of state.toReversed()) {
    if (one.key === key) {
      // The texts of two failures may differ in times or numbers.
      if (one.ok !== last.ok || (last.ok && one.result !== last.result)) break;
      times++;
    } else if (one.effect === "edit" && one.ok && !one.isRefused) break;
  }
  return { times, failed: !last.ok };
}

/** How many rounds of A B the turn ends with, of which this call would begin or end another one. */
function countRounds(state: GuardrailState, key: string): number {
  const other = state.at(-1);
  if (other === undefined || other.key === key) return 0;
  let rounds = 0;
  for (let at = state.length - 1; at >= 1; at -= 2) {
    const [a, b] = [state[at - 1], state[at]];
    const [c, d] = [state[state.length - 2], state[state.length - 1]];
    if (a?.key !== key || b?.key !== other.key || a.result !== c?.result || b.result !== d?.result) break;
    rounds++;
  }
  return rounds;
}

function failuresInRow(state: GuardrailState): number {
  return state.length - 1 - state.findLastIndex(({ ok }) => ok);
}

function keyOf({ tool, input }: GuardedCall): string {
  return hashText(`${tool}\n${stableJson(input ?? null)}`);
}
