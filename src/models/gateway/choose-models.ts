import { costOf } from "../../domain/model/cost.ts";
import { complexityOf, costWeightFor } from "../../domain/model/complexity.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { findDefaultModel, type ProviderSettings } from "../../domain/model/endpoint.ts";
import { preferenceId } from "../../domain/evolution/route-preference.ts";
import type { Policy } from "../../domain/policy.ts";
import { chooseRoute, type Route, type RouteRequest } from "../../domain/route/choose.ts";
import { decideDefault } from "../../domain/route/default-model.ts";
import { explainRoute } from "../../domain/route/explain.ts";
import { type RoutePolicy, routePolicy } from "../../domain/route/policy.ts";
import type { Complexity, RouteAttempt, Tally } from "../../domain/route/tally.ts";
import type { Db } from "../../store/engine/db.ts";
import { listBreakers } from "../../store/models/breakers.ts";
import { findSessionRoute, type RoutedCall } from "../../store/models/routes.ts";
import { listTallies } from "../../store/models/tallies.ts";
import { getRoutePreference } from "../../store/nouns/route-preferences.ts";
import { choosePrice } from "../prices/choose-price.ts";
import type { PriceTable } from "../prices/prices.ts";
import { expectTokens, explainTooLong } from "./explain-pinned.ts";
import type { GatewayRequest } from "./gateway.ts";
import { listRetiredHere } from "./note-retired.ts";
import { findUsableModels, parseChain } from "./usable-models.ts";

/** Which model goes first, which follow after a failure, and why. */
export interface ModelChoice {
  /** Empty if no model can be used, or if none is worth its cost after failed checks. */
  readonly targets: readonly ModelRef[];
  readonly attempt: RouteAttempt;
  readonly explored: boolean;
  readonly best: string | null;
  readonly why: readonly string[];
  /** Null if the caller chose the model, or no model can be used. */
  readonly route: Route | null;
  /** Why the default model does not go first although it could, as the end of a sentence; absent if it does. */
  readonly passedOver?: string | undefined;
  /** It is the model that answered the session last. */
  readonly isSessionModel?: boolean | undefined;
}

/** The settings that the gateway reads. */
export interface GatewayConfig {
  readonly policy: Pick<Policy, "models">;
  readonly providers: ProviderSettings;
}

export interface ChoiceParts {
  readonly db: Db;
  readonly config: GatewayConfig;
  readonly prices: PriceTable;
  /** Providers that could not be reached and were looked at just now: whether they are back. */
  readonly looked?: ReadonlyMap<string, boolean> | undefined;
}

/** The fields of a request that decide which model is chosen. */
export type ChoiceRequest = Pick<
  GatewayRequest,
  | "agent"
  | "session"
  | "taskType"
  | "complexity"
  | "chat"
  | "model"
  | "mayUseOthers"
  | "isTest"
  | "preferredProvider"
  | "checked"
  | "failed"
> & {
  /** The length of the prompt, if it is known without its text. */
  readonly inputTokens?: number | undefined;
};

export async function chooseModels(parts: ChoiceParts, request: ChoiceRequest, now: number): Promise<ModelChoice> {
  const { db, config } = parts;
  const failed = (request.failed ?? []).map(formatModelRef);
  const attempt: RouteAttempt = failed.length > 0 ? "later" : "first";
  if (request.model !== undefined && (request.mayUseOthers !== true || request.isTest === true))
    return { ...pinned(parts, request, request.model, attempt), targets: [request.model] };
  const chain = parseChain(config.policy.models.chain);
  const [breakers, retired] = [await listBreakers(db), await listRetiredHere(db, config.providers)];
  const {
    usable: callable,
    waiting,
    left: notUsable,
  } = findUsableModels(config.providers, {
    breakers,
    retired,
    chain,
    isRetiredByOwner: (ref) => parts.prices.isRetiredByOwner(ref),
    isPriced: (ref) => choosePrice(parts.prices, ref, now, config.policy.models.unknownPrice) !== null,
    looked: parts.looked,
    now,
  });
  // If every provider is failing, the call still tries them: a breaker may let it through, and otherwise its error says why.
  const usable = callable.length > 0 ? callable : waiting;
  const left = callable.length > 0 ? notUsable : notUsable.map((line) => explainTriedAllTheSame(line, waiting));
  if (request.model === undefined && usable.length === 0)
    return { targets: [], attempt, explored: false, best: null, why: left, route: null };
  const kind = { taskType: request.taskType, complexity: request.complexity ?? complexityOf(request.taskType) };
  const routed = await route(parts, request, { ...kind, usable, chain, failed, now });
  if (request.model === undefined) return { ...routed, why: [...routed.why, ...left] };
  const name = formatModelRef(request.model);
  const others = routed.targets.filter((ref) => formatModelRef(ref) !== name);
  const chosen = pinned(parts, request, request.model, attempt);
  return { ...chosen, why: [...chosen.why, ...left], targets: [request.model, ...others] };
}

/** The sentences of a route about models that could not be chosen. Each begins with the model's name. */
export function listLeftOut(why: readonly string[]): readonly string[] {
  return why.filter((line) => line.includes(" is left out"));
}

/** A model cannot be chosen and be left out. */
function explainTriedAllTheSame(line: string, waiting: readonly ModelRef[]): string {
  const name = waiting.map(formatModelRef).find((one) => line.startsWith(`${one} is left out: `));
  if (name === undefined) return line;
  return `No other model can be called, so ${name} may be tried, although ${line.slice(`${name} is left out: `.length)}`;
}

function pinned(
  { prices }: ChoiceParts,
  request: ChoiceRequest,
  ref: ModelRef,
  attempt: RouteAttempt,
): Omit<ModelChoice, "targets"> {
  const tooLong = explainTooLong(expectTokens(request), windowOf(prices, ref));
  const why = [
    `The caller asked for ${formatModelRef(ref)}.`,
    ...(tooLong === null ? [] : [tooLong.replace("the largest context window", "its context window")]),
  ];
  return { attempt, explored: false, best: formatModelRef(ref), why, route: null };
}

interface RouteScope {
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly usable: readonly ModelRef[];
  readonly chain: readonly ModelRef[];
  readonly failed: readonly string[];
  readonly now: number;
}

async function route(parts: ChoiceParts, request: ChoiceRequest, scope: RouteScope): Promise<ModelChoice> {
  const { db, config } = parts;
  const { taskType, complexity, failed, now } = scope;
  const { models: settings } = config.policy;
  const standard = findDefaultModel(config.providers);
  const sorted = sortByFit(parts, request, scope);
  const names = sorted.fitting.map(formatModelRef);
  const [tallies, last] = [await listTallies(db, names), await findLastRoute(db, request)];
  const routeRequest: RouteRequest = {
    taskType,
    complexity,
    candidates: sorted.candidates,
    tallies,
    now,
    costWeight: costWeightFor(complexity, settings.costWeight),
    secondWeight: settings.secondWeight,
    exploreMoney: settings.exploreDollars,
    ...(last === null ? {} : { session: { model: last.model, switchCost: switchCost(parts.prices, last, now) } }),
    ...(request.checked === true ? { checked: true } : {}),
    ...(failed.length > 0 ? { failed } : {}),
    ...(sorted.onlyBecause === null ? {} : { onlyBecause: sorted.onlyBecause }),
    ...(standard === null ? {} : { default: formatModelRef(standard) }),
  };
  const chosen = chooseRoute(routeRequest, policyOf(settings.exploreShare, last !== null));
  const first = await overrideChoice(parts, scope, {
    chosen,
    names: sorted.candidates.map(({ model }) => model),
    tallies,
    session: last?.model ?? null,
  });
  const model = first?.model ?? chosen.model;
  const why = [...explainRoute(chosen, routeRequest, first?.model ?? null), ...sorted.notes];
  const explored = first === null ? chosen.explored : first.isTrial;
  const byUtility = [...chosen.weighed.map((one) => one.model), ...names];
  const order = scope.chain.length > 0 ? scope.chain.map(formatModelRef) : byUtility;
  const passedOver =
    standard === null ||
    model === null ||
    model === formatModelRef(standard) ||
    !names.includes(formatModelRef(standard))
      ? undefined
      : explainPassedOver(request, {
          preferred: first !== null && !first.isTrial,
          model,
          session: last?.model ?? null,
          explored,
          isJudged: isJudged(tallies, scope, [model, formatModelRef(standard)]),
        });
  const targets = [...new Set([...(model === null ? [] : [model, ...order])])].filter(
    (name) => names.includes(name) && !failed.includes(name),
  );
  return {
    targets: targets.flatMap((name) => parseModelRef(name) ?? []),
    attempt: chosen.attempt,
    explored,
    best: chosen.best,
    why: [...(sorted.tooLong === null ? [] : [sorted.tooLong]), ...(first === null ? [] : [first.why]), ...why],
    route: chosen,
    isSessionModel: last !== null && last.model === model,
    ...(passedOver === undefined ? {} : { passedOver }),
  };
}

function explainPassedOver(
  { taskType, preferredProvider, failed = [] }: ChoiceRequest,
  of: {
    /** A decision of the owner put it first. */
    readonly preferred: boolean;
    readonly model: string;
    readonly session: string | null;
    readonly explored: boolean;
    /** Somebody judged calls of this kind of task of it, or of the default. */
    readonly isJudged: boolean;
  },
): string {
  const reasons = `(oldhand models route ${taskType} --why)`;
  if (failed.length > 0) return "a check found that a model failed this task";
  if (of.preferred) return `you decided that another one goes first for this kind of task ${reasons}`;
  if (preferredProvider !== undefined) return `the caller prefers ${preferredProvider}`;
  if (of.session === of.model) return "the session stays with its model";
  if (of.explored) return "another one is tried to learn about it (models.exploreShare 0 turns that off)";
  return of.isJudged
    ? `the verdicts on this kind of task decide ${reasons}`
    : `another one has the higher score by its price, and nobody has judged either at this kind of task ${reasons}`;
}

function isJudged(
  tallies: readonly Tally[],
  { taskType, complexity }: Pick<RouteScope, "taskType" | "complexity">,
  models: readonly string[],
): boolean {
  return tallies.some(
    (one) =>
      one.judged > 0 &&
      one.attempt === "first" &&
      one.taskType === taskType &&
      one.complexity === complexity &&
      models.includes(one.model),
  );
}

/** The candidates, each with the expected cost of the task. Models whose window is too small, or that the caller does not prefer, are left out. */
function sortByFit({ prices }: ChoiceParts, request: ChoiceRequest, scope: RouteScope) {
  const { chat, preferredProvider } = request;
  const expected = expectTokens(request);
  const holds = (ref: ModelRef) => windowOf(prices, ref);
  const fits = (ref: ModelRef) => holds(ref) >= expected.in + expected.out;
  const isAnyFitting = scope.usable.some(fits);
  // The number of tokens is an estimate. If no window seems large enough, the largest ones are still tried.
  const largest = Math.max(...scope.usable.map(holds));
  const fitting = scope.usable.filter((ref) => (isAnyFitting ? fits(ref) : holds(ref) === largest));
  const preferred = fitting.filter(({ provider }) => provider === preferredProvider);
  const among = preferred.length > 0 ? preferred : fitting;
  const tokens = `${expected.in.toLocaleString("en-US")} tokens`;
  const tooLong = isAnyFitting ? null : explainTooLong(expected, largest);
  const notes = [
    `Costs are expected for a prompt of ${tokens} and an answer of ${expected.out} tokens (at most ${chat.maxTokens.toLocaleString("en-US")}).`,
    ...scope.usable
      .filter((ref) => !fitting.includes(ref))
      .map(
        (ref) =>
          `${formatModelRef(ref)} is left out: the prompt has about ${tokens}, and its context window holds ${holds(ref).toLocaleString("en-US")}.`,
      ),
    ...(preferredProvider === undefined
      ? []
      : [
          preferred.length > 0
            ? `You prefer ${preferredProvider}.`
            : `You prefer ${preferredProvider}, but none of its models can be used.`,
        ]),
  ];
  const candidates = among.map((ref) => {
    const price = prices.find(ref, scope.now);
    return { model: formatModelRef(ref), price: price === null ? null : costOf(price, expected) };
  });
  const onlyBecause = preferred.length === 1 ? `you prefer ${preferredProvider}, and it has one model` : null;
  return { candidates, fitting, notes, tooLong, onlyBecause };
}

/** Overrides the router: a preference of the owner, or the default model as long as there is no verdict to go by. */
async function overrideChoice(
  { db, config }: ChoiceParts,
  { taskType, complexity, failed }: RouteScope,
  {
    chosen,
    names,
    tallies,
    session,
  }: {
    readonly chosen: Route;
    readonly names: readonly string[];
    readonly tallies: readonly Tally[];
    /** The model that answered the session last. */
    readonly session: string | null;
  },
): Promise<{ readonly model: string; readonly why: string; readonly isTrial: boolean } | null> {
  const isOpen = (model: string) => names.includes(model) && !failed.includes(model);
  if (chosen.attempt === "later") return null;
  const preference = await getRoutePreference(db, preferenceId(complexity, taskType));
  if (preference !== null && isOpen(preference.model))
    return {
      model: preference.model,
      isTrial: false,
      why: `${preference.model} goes first for ${complexity} ${taskType} tasks, because the owner decided so: ${preference.why}.`,
    };
  const standard = findDefaultModel(config.providers);
  const model = standard === null ? null : formatModelRef(standard);
  // A session that another model answers stays with it.
  if (model === null || !isOpen(model) || (session !== null && session === chosen.model)) return null;
  const mayExplore = session === null && config.policy.models.exploreShare > 0;
  const exploreMoney = config.policy.models.exploreDollars;
  const of = { taskType, complexity, model, chosen, mayExplore, exploreMoney };
  const decided = decideDefault(tallies, of, routePolicy);
  if (decided?.kind === "trial" && chosen.model !== null)
    return { model: chosen.model, isTrial: true, why: `${chosen.model} is tried to learn about it: ${decided.why}.` };
  return decided === null ? null : { model, isTrial: false, why: `${model} is the default model, and ${decided.why}.` };
}

function windowOf(prices: PriceTable, ref: ModelRef): number {
  return prices.window(ref).context ?? Number.POSITIVE_INFINITY;
}

function findLastRoute(db: Db, { agent, session }: ChoiceRequest): Promise<RoutedCall | null> {
  return session === undefined ? Promise.resolve(null) : findSessionRoute(db, agent, session);
}

/** The dollars that the prompt cache of the session's model saves on the next call. 0 once the provider has dropped the cache. */
function switchCost(prices: PriceTable, last: RoutedCall, now: number): number {
  const ref = parseModelRef(last.model);
  const price = ref === null || now - last.at > PROMPT_CACHE_MS ? null : prices.find(ref, now);
  return price === null ? 0 : (last.cachedTokens * Math.max(0, price.in - price.cached)) / 1_000_000;
}

/** Within a session the router does not explore. */
function policyOf(exploreShare: number, isInSession: boolean): RoutePolicy {
  return isInSession || exploreShare === 0
    ? { ...routePolicy, exploreFirst: 0, exploreShare: 0 }
    : { ...routePolicy, exploreShare };
}

const PROMPT_CACHE_MS = 5 * 60_000;
