import { type Config, isOff, thisMachine } from "../config.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { Clock } from "../lib/clock.ts";
import { type Host, waits, type Wire } from "../observe/protocol/host.ts";
import { type Answer, hasFailed, type Seen } from "../observe/protocol/seen.ts";
import { workspaceOf } from "../observe/protocol/workspace.ts";
import { isSelfTest } from "../observe/protocol/self-test-name.ts";
import type { EventWorld } from "../observe/protocol/to-event.ts";
import { adviceBeforeCall } from "../recall/before-call.ts";
import type { Db } from "../store/engine/db.ts";
import { appendEvent } from "../store/events.ts";
import { rulesInPlay } from "../store/rules.ts";

/** What a payload told, and where; and how to answer the one who told it. */
export interface Sight {
  readonly host: string;
  readonly wire: Wire;
  readonly seen: readonly Seen[];
  readonly workspace: string | null;
}

export interface Plan extends Sight {
  /** What to store, ready for the spool too. */
  readonly events: readonly NewEvent[];
  /** The calls to judge: one that is about to run, or such as could not be spoken of in time. */
  readonly proposed: readonly Extract<Seen, { moment: "before-call" }>[];
}

/** What there is to see in a payload; null where there is nothing, or where oldhand is switched off. */
export async function sightOf(config: Config, host: Host, payload: unknown): Promise<Sight | null> {
  const wire = await host.wire();
  const seen = wire.decode(payload, thisMachine().env);
  const [first] = seen;
  if (first === undefined) return null;
  const workspace = workspaceOf(first.cwd);
  return isOff(config.off, workspace) ? null : { host: host.name, wire, seen, workspace };
}

/** The whole way of one payload, for a process that has its mind open. */
export async function observe(world: World, host: Host, payload: unknown): Promise<string> {
  const sight = await sightOf(world.config, host, payload);
  const plan = sight === null ? null : await planFor(world, sight);
  const said = plan === null ? "" : await carryOut(world, plan);
  return said === "" ? ((await host.wire()).silence?.(payload) ?? "") : said;
}

interface World {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
}

/** What is to be done, decided before any database is opened. Null: nothing at all. */
export async function planFor(
  world: { readonly config: Config; readonly clock: Clock },
  sight: Sight,
): Promise<Plan | null> {
  const { workspace } = sight;
  const seen = sight.seen.filter((one) => !isOurs(one));
  const at = world.clock.now();
  const proposed = seen.filter((one) => one.moment === "before-call");
  const lasting = seen.filter(isLasting);
  const events =
    lasting.length === 0 ? [] : await eventsOf(lasting, { policy: world.config.policy.observe, workspace, at });
  const isNothing = events.length === 0 && proposed.length === 0 && !seen.some((one) => one.only === "heard");
  return isNothing ? null : { ...sight, seen, events, proposed };
}

/** What is to be stored; a call that is about to run leaves nothing. */
function isLasting(seen: Seen): boolean {
  return seen.moment !== "before-call" && seen.only !== "heard";
}

/** Some hosts hand our reason to go on back to us, as if a person had typed it. */
function isOurs(seen: Seen): boolean {
  return seen.moment === "prompt" && /^(?:<\w+>\s*)?oldhand: /.test(seen.prompt);
}

/** Redaction's tables are loaded only where something is stored: a call that is only judged has no use for them. */
async function eventsOf(seen: readonly Seen[], world: EventWorld): Promise<readonly NewEvent[]> {
  const { toEvent } = await import("../observe/protocol/to-event.ts");
  return seen.flatMap((one) => toEvent(one, world) ?? []);
}

/** Stores and answers. What is printed is the host's own protocol; empty is silence. */
export async function carryOut(world: World, plan: Plan): Promise<string> {
  const { db, clock, config } = world;
  if (plan.seen.some((one) => isSelfTest(one.session))) {
    await (await import("../observe/protocol/arrival.ts")).noteArrival(world, plan.events);
    return "";
  }
  // First, so that what happened before comes before.
  for (const one of plan.seen) await plan.wire.catchUp?.({ db, clock, policy: config.policy.observe }, one);
  for (const event of plan.events) await appendEvent(world.db, event);
  const { contexts, decision } = await judged(world, plan);
  const spoken = await spokenTo(world, plan);
  const [answered] = [...plan.proposed, ...spoken.map((one) => one.seen)];
  const said = [...contexts, ...spoken.map((one) => one.text)];
  if (answered === undefined || (said.length === 0 && decision === undefined)) return "";
  return plan.wire.encode(answered, {
    ...(said.length === 0 ? {} : { context: said.join("\n") }),
    ...(decision === undefined ? {} : { decision }),
  });
}

/** What is said to, and decided about, calls. */
async function judged(
  world: World,
  plan: Plan,
): Promise<{ readonly contexts: readonly string[]; readonly decision: Answer["decision"] }> {
  const contexts: string[] = [];
  let decision: Answer["decision"];
  for (const seen of plan.proposed) {
    const { session, tool, input, takes, cwd, agent } = seen;
    const proposal = { host: plan.host, session, workspace: plan.workspace, cwd, tool, input, agent };
    const advice = await adviceBeforeCall({ ...world, policy: world.config.policy }, proposal, takes ?? "both");
    if (advice === null) continue;
    if (advice.context !== null) contexts.push(advice.context);
    decision ??= advice.decision ?? undefined;
    if (advice.decision?.kind === "deny") await storeDenied(world, plan, seen, advice.decision.reason);
  }
  return { contexts, decision };
}

/**
 * A call that we forbid is stored by us: many hosts tell nothing of it. Where one does, it is the same call by its id. Without
 * an id it is left to a host that keeps a record we read, else it would be there twice.
 */
async function storeDenied(world: World, plan: Plan, seen: Plan["proposed"][number], reason: string): Promise<void> {
  if (seen.callId === null && plan.wire.catchUp !== undefined) return;
  const { takes: _, ...told } = seen;
  const end = { moment: "after-call", ok: false, text: reason, exitCode: null, durationMs: null } as const;
  const { policy } = world.config;
  const at = world.clock.now();
  for (const event of await eventsOf([{ ...told, ...end }], { policy: policy.observe, workspace: plan.workspace, at }))
    await appendEvent(world.db, event);
}

/** What is said at all other moments. A call that went well has none, so nothing is loaded for it. */
async function spokenTo(world: World, plan: Plan): Promise<readonly { readonly seen: Seen; readonly text: string }[]> {
  const { host, workspace, wire, events } = plan;
  const due = plan.seen.filter((seen) => isOccasion(seen, wire));
  if (due.length === 0) return [];
  // A failure only calls up rules. Where there are none, a call that failed costs what one that went well does.
  const onlyFailures = due.every((seen) => seen.moment === "after-call") && !waits(wire.hears);
  if (onlyFailures && (await rulesInPlay(world.db, workspace)).length === 0) return [];
  const { speak } = await import("./advise.ts");
  const lasting = plan.seen.filter(isLasting);
  const spoken: { seen: Seen; text: string }[] = [];
  for (const seen of due) {
    const call =
      seen.moment === "after-call" ? (events[lasting.indexOf(seen)] ?? (await unstored(world, plan, seen))) : null;
    const text = await speak(world, seen, { host, workspace, hears: wire.hears, call });
    if (text !== "") spoken.push({ seen, text });
  }
  return spoken;
}

/** A call that is only answered here, and stored from elsewhere. */
async function unstored(world: World, { workspace }: Plan, seen: Seen): Promise<NewEvent | null> {
  const at = world.clock.now();
  const [event] = await eventsOf([seen], { policy: world.config.policy.observe, workspace, at });
  return event ?? null;
}

function isOccasion(seen: Seen, { hears }: Wire): boolean {
  if (seen.only === "stored") return false;
  if (seen.moment !== "before-call" && seen.moment !== "after-call") return true;
  if (!hears[seen.moment] || (seen.moment === "before-call" && seen.takes === "decision")) return false;
  return hasFailed(seen) || waits(hears);
}
