import type { Config } from "../../config.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { Cause } from "../../domain/journal.ts";
import { clamped, defaultImportance, type Memory, type MemoryScope, settled } from "../../domain/memory/memory.ts";
import { readCall } from "../../domain/event/reading.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import type { Clock } from "../../lib/clock.ts";
import { hashText } from "../../lib/hash.ts";
import type { Db } from "../../store/engine/db.ts";
import { hasOthers } from "../../store/events.ts";
import { changeAll, type Deed, everKnown } from "../../store/journal.ts";
import { memoryIdOf } from "../../store/memories.ts";
import { deedOf } from "../../store/remember.ts";
import { type Imported, newTally } from "./import.ts";
import type { Batch, ImportFilter } from "./read-file.ts";
import type { OtherStore, Thing } from "../stores/other-store.ts";

export interface StoreWorld {
  readonly db: Db;
  readonly config: Config;
  readonly clock: Clock;
  /** Told now and then how many things were read. */
  readonly tell?: (things: number) => void;
}

/**
 * Brings in what another product's store holds. Whatever it says of itself, it comes from outside: no rule of it is in force
 * and no memory trusted before the owner says so. The same again changes nothing, also where something was since
 * changed, forgotten or undone here.
 */
export async function importStore(
  world: StoreWorld,
  { store, path }: { readonly store: OtherStore; readonly path: string },
  filter: ImportFilter = {},
): Promise<Imported> {
  const tally = newTally(world.db);
  let batch: Thing[] = [];
  let things = 0;
  const flush = async () => {
    const taken = batch;
    batch = [];
    things += taken.length;
    await tally.add(await eventsOf(taken));
    const deeds = taken.flatMap((thing) => deedIn(world, store, thing));
    tally.changed(deeds, await changeNew(world.db, deeds));
    for (const thing of taken) if (thing.kind === "left") tally.leave(thing.left);
    world.tell?.(things);
  };
  const told = toldElsewhere(world.db, `${store.name}:`);
  const eventsOf = async (taken: readonly Thing[]): Promise<Batch> => {
    const events = taken.flatMap(eventIn);
    const fresh: NewEvent[] = [];
    for (const event of events) if (event.kind === "call" || !(await told(event))) fresh.push(event);
    return { events: fresh, skipped: events.length - fresh.length };
  };
  for (const thing of store.read(path, world.config.policy.observe)) {
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

function deedIn(world: StoreWorld, store: OtherStore, thing: Thing): readonly Deed[] {
  const at = world.clock.now();
  const cause: Cause = { kind: "import", id: store.name, note: null };
  const by = { actor: "import", cause, at };
  if (thing.kind === "memory") return [deedOf(memoryFrom(world, thing), by)];
  if (thing.kind !== "rule") return [];
  const rule = ruleFrom(store, thing);
  return [{ noun: "rule", subject: rule.id, after: { ...rule }, ...by }];
}

function memoryFrom(world: StoreWorld, { memory, workspace, at }: Extract<Thing, { kind: "memory" }>): Memory {
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
  return settled(made, world.config.policy.memory);
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
function changeNew(db: Db, deeds: readonly Deed[]): Promise<readonly Deed[]> {
  return db.tx(async (tx) => {
    const fresh: Deed[] = [];
    for (const noun of ["rule", "memory"]) {
      const same = deeds.filter((deed) => deed.noun === noun);
      const known = await everKnown(
        tx,
        noun,
        same.map((deed) => deed.subject),
      );
      // Two of one store may have the same name: the first one stands.
      const seen = new Set(known);
      for (const deed of same) {
        if (seen.has(deed.subject)) continue;
        seen.add(deed.subject);
        fresh.push(deed);
      }
    }
    await changeAll(tx, fresh);
    return fresh;
  });
}
