import type { StoredPrice } from "../../domain/model/call-row.ts";
import type { CapHit } from "../../domain/model/caps.ts";
import { boundInputTokens, costOf, worstCost } from "../../domain/model/cost.ts";
import type { ModelFailure, ModelFailureKind } from "../../domain/model/failure.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { mayGetSecrets } from "../../domain/model/secrets-to.ts";
import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";
import { OldhandError } from "../../lib/errors.ts";
import { type Reservation, reserve } from "../../store/models/reservations.ts";
import { type ChatEvent, type ChatProvider, ModelCallError } from "../chat/chat.ts";
import { checkToolCall } from "./check-tool-call.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayRequest } from "./gateway.ts";
import { hideChat, restoreEvents } from "./hide-chat.ts";

export type ChosenPrice = { readonly price: StoredPrice; readonly isKnown: boolean };
export type ChatFinish = Extract<ChatEvent, { kind: "finish" }>;

/** One attempt, from its reservation to its end. Its fields are filled in as it goes, so that whoever stops it knows how far it came. */
export interface Attempt {
  readonly ref: ModelRef;
  readonly at: number;
  /** Null: unknown, and the owner wants no such call. */
  readonly price: ChosenPrice | null;
  reservation: Reservation | null;
  cap: CapHit | null;
  /** The request has left. */
  isSent: boolean;
  firstTokenAt: number | null;
  text: string;
  characters: number;
  finish: ChatFinish | null;
  failure: ModelFailure | null;
  /** As the provider said it, or as far as it is known. */
  usage: TokenUsage;
  cost: number;
}

/** Reserves the worst case, calls the model, and passes on its events with the secrets put back. Failures end up in the attempt. */
export async function* sendAttempt(
  parts: OpenParts,
  request: GatewayRequest,
  of: { readonly call: string; readonly number: number; readonly attempt: Attempt },
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const { attempt } = of;
  const inputTokens = boundInputTokens(request.chat);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    if (attempt.price === null) throw unknownPrice(attempt.ref);
    const amount = worstCost(attempt.price.price, { inputTokens, maxTokens: request.chat.maxTokens });
    if (!(await reserveAmount(parts, request, of, amount))) return;
    const provider = await openTarget(parts, attempt.ref);
    for await (const event of receive(parts, request, { provider, attempt }, either)) yield event;
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    attempt.failure = error.failure;
    attempt.usage = error.usage;
  } finally {
    // Whoever reads the events may have stopped in the middle.
    if (attempt.finish === null && attempt.failure === null && attempt.cap === null)
      attempt.failure = { kind: "aborted", status: null, retryAfterMs: null, message: "the caller stopped reading" };
    stop.abort();
    settleUsage(attempt, inputTokens);
  }
}

export function newAttempt(ref: ModelRef, price: ChosenPrice | null, at: number): Attempt {
  return {
    ref,
    at,
    price,
    reservation: null,
    cap: null,
    isSent: false,
    firstTokenAt: null,
    text: "",
    characters: 0,
    finish: null,
    failure: null,
    usage: noUsage,
    cost: 0,
  };
}

async function reserveAmount(
  { db, clock, config }: OpenParts,
  { agent, job, goal }: GatewayRequest,
  of: { readonly call: string; readonly number: number; readonly attempt: Attempt },
  amount: number,
): Promise<boolean> {
  const reserved = await reserve(db, {
    call: of.call,
    attempt: of.number,
    spender: { agent, job: job ?? null, goal: goal ?? null },
    amount,
    // Longer than the attempt can last: what is still held then belongs to a process that died.
    leaseMs: (config.policy.models.callSeconds + 60) * 1_000,
    now: clock.now(),
  });
  if (reserved.kind === "reserved") of.attempt.reservation = reserved.reservation;
  else of.attempt.cap = reserved.hit;
  return reserved.kind === "reserved";
}

function unknownPrice(ref: ModelRef): ModelCallError {
  const message = `the price of ${formatModelRef(ref)} is unknown, and models.unknownPrice is refuse`;
  return new ModelCallError({ kind: "cap", status: null, retryAfterMs: null, message });
}

/** A provider that cannot be used as it is set up is a failure like any other: the next model may do. */
async function openTarget({ provider }: OpenParts, ref: ModelRef): Promise<ChatProvider> {
  try {
    return await provider(ref.provider);
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    const message = error.hint === undefined ? error.message : `${error.message} (${error.hint})`;
    throw new ModelCallError({ kind: "auth", status: null, retryAfterMs: null, message }, error);
  }
}

async function* receive(
  parts: OpenParts,
  request: GatewayRequest,
  { provider, attempt }: { readonly provider: ChatProvider; readonly attempt: Attempt },
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const { chat, session, agent } = request;
  const placeholders = mayGetSecrets(parts.config.policy.models.secretsTo, {
    provider: provider.name,
    isLoopback: provider.isLoopback,
  })
    ? null
    : await parts.placeholders(session === undefined ? `agent ${agent}` : `session ${agent} ${session}`);
  const sent = placeholders === null ? chat : hideChat(chat, placeholders);
  const restore = placeholders === null ? null : restoreEvents(placeholders);
  attempt.isSent = true;
  for await (const raw of provider.chat({ ...sent, model: attempt.ref.model }, signal)) {
    attempt.firstTokenAt ??= parts.clock.now();
    for (const event of restore === null ? [raw] : restore.take(raw)) {
      noteEvent(attempt, event);
      if (event.kind === "tool-call" && request.acceptsBadToolCalls !== true) checkToolCall(event, chat);
      if (event.kind === "finish") {
        attempt.usage = event.usage;
        if (event.reason === "refused") throw refusal(event);
        attempt.finish = event;
      }
      yield event;
    }
  }
}

function noteEvent(attempt: Attempt, event: ChatEvent): void {
  if (event.kind === "text") attempt.text += event.text;
  if (event.kind === "text" || event.kind === "reasoning") attempt.characters += event.text.length;
  if (event.kind === "tool-call") attempt.characters += JSON.stringify(event.input ?? null).length;
}

function refusal({ usage }: ChatFinish): ModelCallError {
  const failure = {
    kind: "refused",
    status: null,
    retryAfterMs: null,
    message: "the model refused to answer",
  } as const;
  return new ModelCallError(failure, undefined, usage);
}

/** What the attempt used and cost. Where the provider did not say, as much as may have been billed. */
function settleUsage(attempt: Attempt, inputTokens: number): void {
  if (attempt.finish === null && attempt.failure !== null) {
    const { usage, failure } = attempt;
    const maybeBilled = attempt.isSent && (attempt.characters > 0 || BILLED.has(failure.kind));
    attempt.usage = {
      ...usage,
      in: usage.in === 0 && maybeBilled ? Math.ceil(inputTokens / 2) : usage.in,
      out: Math.max(usage.out, Math.ceil(attempt.characters / CHARACTERS_PER_TOKEN)),
    };
  }
  const isFree = attempt.price === null || (attempt.usage.in === 0 && attempt.usage.out === 0);
  attempt.cost = isFree ? 0 : costOf(attempt.price.price, attempt.usage);
}

/** The provider had the request and may have worked on it. */
const BILLED: ReadonlySet<ModelFailureKind> = new Set(["timeout", "cut-off", "aborted", "malformed"]);
const CHARACTERS_PER_TOKEN = 3;
