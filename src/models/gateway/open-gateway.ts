import { routePolicy } from "../../domain/route/policy.ts";
import { addOutcome, removeOutcome } from "../../domain/route/tally.ts";
import { OldhandError } from "../../lib/errors.ts";
import type { Db } from "../../store/engine/db.ts";
import { storeQuality } from "../../store/models/calls.ts";
import { findKnownOutcome, findRoute, findWriter } from "../../store/models/routes.ts";
import { changeTally } from "../../store/models/tallies.ts";
import { breakerPolicy, type GatewayParts, healingPolicy, type OpenParts } from "./gateway-parts.ts";
import type { Gateway, GatewayAnswer, GatewayRequest } from "./gateway.ts";
import { runCall } from "./run-call.ts";
import { newUnstoredCalls } from "./unstored-calls.ts";
import { openSessionPlaceholders, placeholderScope } from "./session-placeholders.ts";

/** What stays when the settings change: the secrets that sessions revealed, and calls that are not stored yet. */
export function keptParts(db: Db): Pick<OpenParts, "placeholders" | "unstored"> {
  return { placeholders: openSessionPlaceholders(db), unstored: newUnstoredCalls() };
}

export function openGateway(of: GatewayParts, kept = keptParts(of.db)): Gateway {
  const parts: OpenParts = {
    ...of,
    ...kept,
    random: of.random ?? Math.random,
    healing: healingPolicy(of.config),
    breaker: breakerPolicy(of.config),
  };
  return {
    complete: (request) => complete(parts, forJob(of.config, request)),
    stream: (request) => runCall(parts, forJob(of.config, request)),
    redact: async ({ agent, session }, value) =>
      (await parts.placeholders(placeholderScope(agent, session))).redact(value),
    recordQuality: async (judged, { quality, source, note = null }) => {
      const now = parts.clock.now();
      if (!(quality >= 0 && quality <= 1))
        throw new OldhandError("input", `a quality must be between 0 and 1; this one is ${quality}`);
      return parts.db.tx(async (tx) => {
        const call = await findWriter(tx, judged);
        const routed = await findRoute(tx, call);
        const before = await findKnownOutcome(tx, call);
        await storeQuality(tx, { call, at: now, quality, source, note });
        const after = await findKnownOutcome(tx, call);
        if (routed === null || after === null) return call;
        // One outcome counts for each call: the router forgets the guess, or the earlier verdict, that this one replaces.
        await changeTally(tx, routed, now, (tally) => {
          const left = before === null ? tally : removeOutcome(tally, before, now, routePolicy);
          return addOutcome(left, { ...after, at: now }, routePolicy);
        });
        return call;
      });
    },
  };
}

/** In the command of a job, calls count under the job's cap, and go to its model and to no other. */
function forJob({ providers: { job } }: GatewayParts["config"], request: GatewayRequest): GatewayRequest {
  if (job === undefined) return request;
  const pinned = job.model === null || request.model !== undefined ? {} : { model: job.model };
  return { ...request, job: request.job ?? job.name, ...pinned };
}

/** The caller sees nothing before the end, so another attempt may start over at any time. */
async function complete(parts: OpenParts, request: GatewayRequest): Promise<GatewayAnswer> {
  for await (const event of runCall(parts, { ...request, mayRestart: true }))
    if (event.kind === "end") return event.answer;
  throw new Error("a call ended without an answer");
}
