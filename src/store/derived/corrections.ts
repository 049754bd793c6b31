import { agentOfSession } from "../../domain/event/agent-session.ts";
import {
  type CorrectionContext,
  findCorrection,
  mayBeCorrection,
  findRefusalWords,
} from "../../domain/event/correction.ts";
import type { Event, NewEvent } from "../../domain/event/event.ts";
import type { Db } from "../engine/db.ts";
import { appendEvents, getEventsByIds, listLastEventIds } from "../events/events.ts";

/** Adds correction events for prompts and refusals that correct the agent. Returns how many were new. */
export async function addCorrections(tx: Db, events: readonly Event[]): Promise<number> {
  const found: NewEvent[] = [];
  for (const [at, event] of events.entries()) {
    const refusal = findRefusalWords(event);
    if (refusal) found.push(makeCorrection(event, refusal.words));
    if (event.kind !== "prompt" || event.text === null || !mayBeCorrection(event.text)) continue;
    // A program wrote the prompt of a named agent, often with texts from elsewhere in it.
    if (agentOfSession(event) !== null) continue;
    const correction = findCorrection(event.text, await findContextBefore(tx, events.slice(0, at), event));
    if (correction) found.push(makeCorrection(event, correction.words));
  }
  return found.length === 0 ? 0 : appendEvents(tx, found);
}

/** How many events back the last call is searched; without a call among them there was only talk. */
const LOOK_BACK = 40;

async function findContextBefore(tx: Db, earlier: readonly Event[], prompt: Event): Promise<CorrectionContext> {
  const ofSession = earlier.filter((event) => event.session === prompt.session && event.host === prompt.host);
  const known = ofSession.findLast(isCall);
  if (known) return { lastOutcome: known.outcome, agentActed: true };
  const ids = await listLastEventIds(tx, { host: prompt.host, id: prompt.session }, prompt.id, LOOK_BACK);
  const past = (await getEventsByIds(tx, ids)).toSorted((a, b) => a.id - b.id);
  const last = past.findLast(isCall);
  return { lastOutcome: last?.outcome ?? null, agentActed: [...past, ...ofSession].some(isAgentEvent) };
}

function isCall(event: Event): boolean {
  return event.kind === "call";
}

/** A second prompt implies that the agent answered, even if no hook reported it. */
function isAgentEvent(event: Event): boolean {
  return event.kind === "call" || event.kind === "answer" || event.kind === "stop" || event.kind === "prompt";
}

/** At the position of its cause, with a uid derived from it, so that it is stored once. */
function makeCorrection(cause: Event, words: string): NewEvent {
  return {
    host: cause.host,
    session: cause.session,
    uid: `correction:${cause.uid}`,
    seq: cause.seq,
    at: cause.at,
    kind: "correction",
    workspace: cause.workspace,
    cwd: cause.cwd,
    tool: cause.tool,
    head: cause.head,
    input: cause.input,
    ok: null,
    outcome: null,
    benign: false,
    exitCode: null,
    error: null,
    signature: null,
    text: words,
    model: cause.model,
    agent: cause.agent,
    durationMs: null,
  };
}
