import type { Context } from "../../context.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { Change } from "../../domain/journal.ts";
import { clamped, defaultImportance, type Memory, type MemoryScope, settled } from "../../domain/memory/memory.ts";
import { readCall } from "../../domain/event/reading.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { hashText } from "../../lib/hash.ts";
import type { Db } from "../../store/engine/db.ts";
import { hasOthers } from "../../store/events.ts";
import { by, changeAll, everKnown, planned, underLock } from "../../store/journal.ts";
import { memoryIdOf, memoryNoun } from "../../store/memories.ts";
import type { Noun } from "../../store/noun.ts";
import { memoriesAs } from "../../store/remember.ts";
import { ruleNoun } from "../../store/rules.ts";
import { type Imported, newTally, offFor } from "./import.ts";
import type { Batch, ImportFilter } from "./read-file.ts";
import type { OtherStore, Thing } from "../stores/other-store.ts";

export interface StoreContext extends Pick<Context, "db" | "config" | "clock"> {
  /** Told now and then how many things were read. */
  readonly tell?: (things: number) => void;
}

/**
 * Brings in what another product's store holds. Whatever it says of itself, it comes from outside: no rule of it is in force
 * and no memory trusted before the owner says so. The same again changes nothing, also where something was since
 * changed, forgotten or undone here.
 */
export async function importStore(
  ctx: StoreContext,
  { store, path }: { readonly store: OtherStore; readonly path: string },
  filter: ImportFilter = {},
): Promise<Imported> {
  const tally = newTally(ctx.db, undefined, filter.again);
  let batch: Thing[] = [];
  let things = 0;
  const flush = async () => {
    const taken = batch;
    batch = [];
    things += taken.length;
    await tally.add(await eventsOf(taken));
    const found = foundIn(ctx, store, taken);
    tally.changed(found.rules.length + found.memories.length, await changeNew(ctx, store, found));
    for (const thing of taken) if (thing.kind === "left") tally.leave(thing.left);
    ctx.tell?.(things);
  };
  const off = offFor(ctx.config.home, filter);
  const told = toldElsewhere(ctx.db, `${store.name}:`);
  const eventsOf = async (taken: readonly Thing[]): Promise<Batch> => {
    const events = taken.flatMap(eventIn);
    const fresh: NewEvent[] = [];
    for (const event of events) if (event.kind === "call" || !(await told(event))) fresh.push(event);
    const heard = off === null ? fresh : fresh.filter((event) => !off.has(event));
    return { events: heard, skipped: events.length - fresh.length, whileOff: fresh.length - heard.length, bytes: 0 };
  };
  for (const thing of store.read(path, ctx.config.policy.observe)) {
    if (!isWanted(thing, filter)) continue;
    batch.push(thing);
    if (batch.length >= BATCH) await flush();
  }
  await flush();
  return tally.sum();
}

const BATCH = 400;

/**
 * A call has the name its host gave it, whoever tells of it. A prompt or the end of a session has none: where the
 * session's own record was brought in already, it is not told a second time.
 */
function toldElsewhere(db: Db, prefix: string): (event: NewEvent) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (event) => {
    const key = JSON.stringify([event.host, event.session, event.kind]);
    const asked = known.get(key) ?? hasOthers(db, event, prefix);
    known.set(key, asked);
    return asked;
  };
}

function isWanted(thing: Thing, filter: ImportFilter): boolean {
  if (thing.kind === "left") return true;
  const at = thing.kind === "event" ? thing.event.at : thing.at;
  return at >= (filter.since ?? -Infinity) && thing.workspace === (filter.workspace ?? thing.workspace);
}

function eventIn(thing: Thing): readonly NewEvent[] {
  if (thing.kind !== "event") return [];
  const { event, workspace } = thing;
  return [{ ...event, ...(event.kind === "call" && event.outcome === null ? readCall(event) : {}), workspace }];
}

interface Found {
  readonly rules: readonly Rule[];
  readonly memories: readonly Memory[];
}

function foundIn(ctx: StoreContext, store: OtherStore, things: readonly Thing[]): Found {
  return {
    rules: things.flatMap((thing) => (thing.kind === "rule" ? [ruleFrom(store, thing)] : [])),
    memories: things.flatMap((thing) => (thing.kind === "memory" ? [memoryFrom(ctx, thing)] : [])),
  };
}

function memoryFrom(ctx: StoreContext, { memory, workspace, at }: Extract<Thing, { kind: "memory" }>): Memory {
  const scope: MemoryScope = workspace === null ? { kind: "global" } : { kind: "workspace", name: workspace };
  const made: Memory = {
    ...memory,
    id: memoryIdOf(scope, memory.key),
    confidence: clamped(memory.confidence),
    tags: [...new Set(memory.tags)].toSorted(),
    importance: defaultImportance,
    scope,
    origin: "external",
    trust: "external",
    supersedes: [],
    pinned: false,
    status: "active",
    createdAt: at,
  };
  return settled(made, ctx.config.policy.memory);
}

/** At the level that says nothing: words of others do not reach an agent before someone here has read them. */
function ruleFrom(store: OtherStore, { rule, workspace, at }: Extract<Thing, { kind: "rule" }>): Rule {
  const { name, ...there } = rule;
  return {
    ...there,
    id: `r_${hashText(JSON.stringify([store.name, name]))}`,
    level: "watch",
    salience: 0.5,
    origin: "external",
    scope: workspace === null ? { kind: "global" } : { kind: "workspace", workspace },
    signature: null,
    matcher: null,
    pinned: false,
    mergedInto: null,
    createdAt: at,
  };
}

/** Only what was never here before. */
function changeNew(ctx: StoreContext, store: OtherStore, found: Found): Promise<readonly Change<object>[]> {
  const because = by({ ...ctx, actor: { kind: "import" } }, { kind: "import", id: store.name });
  return underLock(ctx.db, async (tx) => {
    const rules = await neverKnown(tx, ruleNoun, found.rules);
    const memories = await neverKnown(tx, memoryNoun, found.memories);
    return changeAll(tx, [
      ...rules.map((rule) => planned(ruleNoun, rule.id, because, () => rule)),
      ...memoriesAs(memories, because),
    ]);
  });
}

async function neverKnown<T extends { readonly id: string }>(
  tx: Db,
  noun: Noun<T>,
  things: readonly T[],
): Promise<readonly T[]> {
  const ids = things.map((one) => one.id);
  // Two of one store may have the same name: the first one stands.
  const seen = new Set(await everKnown(tx, noun.name, ids));
  return things.filter(({ id }) => {
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}
