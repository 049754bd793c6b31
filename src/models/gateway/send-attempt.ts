import type { StoredPrice } from "../../domain/model/call-row.ts";
import { type CapHit, markUnpriced } from "../../domain/model/caps.ts";
import { boundInputTokens, costOf, worstCost } from "../../domain/model/cost.ts";
import type { ModelFailure, ModelFailureKind } from "../../domain/model/failure.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import type { Placeholders } from "../../domain/model/placeholders.ts";
import { mayGetSecrets } from "../../domain/model/secrets-to.ts";
import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";
import { redact } from "../../domain/redact/redact.ts";
import { errorMessage, OldhandError } from "../../lib/errors.ts";
import { type Reservation, reserve } from "../../store/models/reservations.ts";
import { type ChatEvent, type ChatProvider, ModelCallError } from "../chat/chat.ts";
import { findEndpoint } from "../providers/registry.ts";
import { findCallFault } from "./check-tool-call.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayRequest } from "./gateway.ts";
import { hideChat, restoreEvents } from "./hide-chat.ts";
import { placeholderScope } from "./session-placeholders.ts";

export type ChosenPrice = { readonly price: StoredPrice; readonly isKnown: boolean };
export type ChatFinish = Extract<ChatEvent, { kind: "finish" }>;

/** One attempt. Its fields are filled in as it proceeds, so that they are right even if it is stopped early. */
export interface Attempt {
  readonly ref: ModelRef;
  readonly at: number;
  /** Null if the price is unknown and models.unknownPrice is `refuse`. */
  readonly price: ChosenPrice | null;
  reservation: Reservation | null;
  /** The cap that stopped it before it was sent. */
  cap: CapHit | null;
  /** The request was sent. */
  isSent: boolean;
  firstTokenAt: number | null;
  text: string;
  /** The text as the provider sent it, with placeholders. */
  sentText: string;
  /** Those of the session. Null before the request is made. */
  placeholders: Placeholders | null;
  characters: number;
  finish: ChatFinish | null;
  failure: ModelFailure | null;
  /** As the provider reported it, otherwise estimated. */
  usage: TokenUsage;
  /** The provider reported the usage of the whole answer, although the attempt failed. */
  isUsageWhole: boolean;
  cost: number;
  /** Null while it runs. The wait before the next attempt is not part of it. */
  endedAt: number | null;
}

/** Reserves the worst case for an attempt. False if a cap or an unknown price stops it: then it is not sent. */
export async function reserveAttempt(
  parts: OpenParts,
  request: GatewayRequest,
  of: { readonly call: string; readonly number: number; readonly attempt: Attempt },
): Promise<boolean> {
  const { db, clock, config } = parts;
  const { agent, job, goal, chat } = request;
  const { ref, price } = of.attempt;
  if (price === null) {
    of.attempt.failure = unknownPrice(ref);
    return false;
  }
  const cacheWrites = mayWriteCache(parts, request, ref) ? "short" : "none";
  const cost = { inputTokens: boundInputTokens(chat), maxTokens: chat.maxTokens, cacheWrites } as const;
  const amount = worstCost(price.price, cost);
  const hit = findLimitHit(request, amount);
  if (hit !== null) {
    of.attempt.cap = hit;
    return false;
  }
  const reserved = await reserve(db, {
    call: of.call,
    attempt: of.number,
    spender: { agent, job: job ?? null, goal: goal ?? null },
    amount,
    // Longer than an attempt can last, so that a lease ends only if the process died.
    leaseMs: (config.policy.models.callSeconds + 60) * 1_000,
    now: clock.now(),
  });
  if (reserved.kind === "reserved") of.attempt.reservation = reserved.reservation;
  else of.attempt.cap = markUnpriced(reserved.hit, price.isKnown ? null : formatModelRef(ref));
  return reserved.kind === "reserved";
}

function findLimitHit({ costLimit }: GatewayRequest, needed: number): CapHit | null {
  if (costLimit === undefined || costLimit.spent + needed <= costLimit.limit) return null;
  const { name: cap, limit, spent } = costLimit;
  const extend = `oldhand config set ${cap} ${Math.ceil((limit + needed) * 100) / 100}`;
  return { cap, limit, spent, reserved: 0, lost: 0, needed, unpriced: null, extend };
}

/** Calls the model, and passes on its events with the secrets put back. A failure is stored in the attempt, not thrown. */
export async function* sendAttempt(
  parts: OpenParts,
  request: GatewayRequest,
  attempt: Attempt,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const inputTokens = boundInputTokens(request.chat);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    const provider = await openTarget(parts, attempt.ref);
    for await (const event of receive(parts, request, { provider, attempt }, either)) yield event;
  } catch (error) {
    if (!(error instanceof ModelCallError)) {
      attempt.failure = errorFailure(error, attempt);
      throw error;
    }
    attempt.failure = { ...error.failure, message: redactKnown(attempt, error.failure.message) };
    attempt.usage = error.usage;
    attempt.isUsageWhole = error.isUsageWhole;
  } finally {
    // The consumer may have stopped reading early.
    if (attempt.finish === null && attempt.failure === null)
      attempt.failure = { ...nothingKnown, message: "the caller stopped reading" };
    stop.abort();
    attempt.endedAt = parts.clock.now();
    settleUsage(attempt, inputTokens);
  }
}

/** Without the secrets of the session: as it may be stored. */
export function redactKnown({ placeholders }: Pick<Attempt, "placeholders">, text: string): string {
  return placeholders?.redact(text) ?? text;
}

/** What an error of ours did to a call: it says nothing about the model. */
export function errorFailure(error: unknown, attempt?: Pick<Attempt, "placeholders">): ModelFailure {
  const message = redact(errorMessage(error));
  return { ...nothingKnown, message: attempt === undefined ? message : redactKnown(attempt, message) };
}

const nothingKnown = { kind: "aborted", status: null, retryAfterMs: null } as const;

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
    sentText: "",
    placeholders: null,
    characters: 0,
    finish: null,
    failure: null,
    usage: noUsage,
    isUsageWhole: false,
    cost: 0,
    endedAt: null,
  };
}

/** Anthropic charges for writes to its prompt cache only if a request marks them. Others may charge for them unasked. */
function mayWriteCache({ config }: OpenParts, { chat }: GatewayRequest, { provider }: ModelRef): boolean {
  return chat.promptCache === true || findEndpoint(provider, config.providers)?.kind !== "anthropic";
}

function unknownPrice(ref: ModelRef): ModelFailure {
  const message = `the price of ${formatModelRef(ref)} is unknown, and models.unknownPrice is refuse`;
  return { kind: "cap", status: null, retryAfterMs: null, message, isUnpriced: true };
}

/** A provider that is not set up correctly is a failure like any other: the next model may work. */
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
  const { secretsTo } = parts.config.policy.models;
  const isTrusted = mayGetSecrets(secretsTo, { provider: provider.name, isLoopback: provider.isLoopback });
  const placeholders = await parts.placeholders(placeholderScope(agent, session));
  attempt.placeholders = placeholders;
  // Also for a provider that may see the secrets: they are known from now on, and are not stored with its answer.
  const hidden = hideChat(chat, placeholders);
  const sent = isTrusted ? chat : hidden;
  const restore = isTrusted ? null : restoreEvents(placeholders);
  attempt.isSent = true;
  let fault: string | null = null;
  for await (const raw of provider.chat({ ...sent, model: attempt.ref.model }, signal)) {
    attempt.firstTokenAt ??= parts.clock.now();
    if (raw.kind === "text") attempt.sentText += raw.text;
    for (const event of restore === null ? [raw] : restore.take(raw)) {
      noteEvent(attempt, event);
      // Thrown at the end of the stream, because only there the provider says what the answer cost.
      if (event.kind === "tool-call" && request.acceptsBadToolCalls !== true) fault ??= findCallFault(event, chat);
      if (event.kind === "finish") {
        if (fault !== null) throw useless(event, "malformed", fault);
        if (event.reason === "refused") throw useless(event, "refused", "the model refused to answer");
        attempt.finish = event;
        attempt.usage = event.usage;
      } else if (fault !== null) continue;
      yield event;
    }
  }
}

function noteEvent(attempt: Attempt, event: ChatEvent): void {
  if (event.kind === "text") attempt.text += event.text;
  if (event.kind === "text" || event.kind === "reasoning") attempt.characters += event.text.length;
  if (event.kind === "tool-call") attempt.characters += JSON.stringify(event.input ?? null).length;
}

/** The answer is complete, and of no use. */
function useless({ usage }: ChatFinish, kind: ModelFailureKind, message: string): ModelCallError {
  return new ModelCallError({ kind, status: null, retryAfterMs: null, message }, undefined, usage, true);
}

/** Sets the usage and the cost. If the provider reported no usage, counts what it may have billed. */
function settleUsage(attempt: Attempt, inputTokens: number): void {
  if (attempt.finish === null && attempt.failure !== null && !attempt.isUsageWhole) {
    const { usage, failure } = attempt;
    const maybeBilled = attempt.isSent && (attempt.characters > 0 || mayBeBilled(failure));
    attempt.usage = {
      ...usage,
      in: usage.in === 0 && maybeBilled ? Math.ceil(inputTokens / 2) : usage.in,
      out: Math.max(usage.out, Math.ceil(attempt.characters / CHARACTERS_PER_TOKEN)),
    };
  }
  const isFree = attempt.price === null || (attempt.usage.in === 0 && attempt.usage.out === 0);
  attempt.cost = isFree ? 0 : costOf(attempt.price.price, attempt.usage);
}

/** With a status, a damaged answer is not one of a model, such as the page of a proxy. */
function mayBeBilled({ kind, status }: ModelFailure): boolean {
  return BILLED.has(kind) && !(kind === "malformed" && status !== null);
}

/** After these failures the provider may have processed, and billed, the request. */
const BILLED: ReadonlySet<ModelFailureKind> = new Set(["timeout", "cut-off", "aborted", "malformed"]);
const CHARACTERS_PER_TOKEN = 3;
