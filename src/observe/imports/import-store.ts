import type { Context } from "../../context.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import {
  clampConfidence,
  defaultImportance,
  type Memory,
  type MemoryScope,
  archiveIfUnsure,
} from "../../domain/memory/memory.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { hashText } from "../../lib/hash.ts";
import type { Db } from "../../store/engine/db.ts";
import { hasEventsNamedOtherwise } from "../../store/events/events.ts";
import { makeProvenance, applyAllChanges, planChange, withJournalLock } from "../../store/journal/journal.ts";
import { makeMemoryId, memoryNoun } from "../../store/nouns/memories.ts";
import { planMemoryChanges } from "../../store/journal/remember.ts";
import { ruleNoun } from "../../store/nouns/rules.ts";
import { type ImportResult, newImportTally, readOffTimesFor } from "./import.ts";
import type { EventBatch, ImportFilter } from "./read-file.ts";
import { filterNeverKnown } from "./filter-never-known.ts";
import { countGoalItems, insertGoalItems, type InsertedItems } from "./insert-goal-items.ts";
import type { OtherStore, StoreItem } from "../stores/other-store.ts";

export interface StoreImportContext extends Pick<Context, "db" | "config" | "clock"> {
  /** Called with the number of items read so far. */
  readonly onStored?: (things: number) => void;
}

/**
 * Imports another product's store. All of it counts as external: no rule is in force and no memory is trusted before
 * the owner approves it. Repeating the import changes nothing, even if an item was changed, forgotten or undone here
 * since.
 */
export async function importStore(
  ctx: StoreImportContext,
  { store, path }: { readonly store: OtherStore; readonly path: string },
  filter: ImportFilter = {},
): Promise<ImportResult> {
  const tally = newImportTally(ctx.db, undefined, filter.again);
  let batch: StoreItem[] = [];
  let things = 0;
  const flush = async () => {
    const taken = batch;
    batch = [];
    things += taken.length;
    await tally.add(await eventsOf(taken));
    const found = collectContents(ctx, store, taken);
    const made = await insertNew(ctx, store, found);
    const orphans = made.orphans.reduce((sum, { count }) => sum + count, 0);
    const wanted = found.rules.length + found.memories.length + countGoalItems(taken) - orphans;
    tally.changed(wanted, made.changes, made.rows);
    for (const left of made.orphans) tally.leave(left);
    for (const thing of taken) if (thing.kind === "left") tally.leave(thing.left);
    ctx.onStored?.(things);
  };
  const off = readOffTimesFor(ctx.config.home, filter);
  const isDuplicate = newDuplicateCheck(ctx.db, `${store.name}:`);
  const eventsOf = async (taken: readonly StoreItem[]): Promise<EventBatch> => {
    const events = taken.flatMap(toEvents);
    const fresh: NewEvent[] = [];
    for (const event of events) if (event.kind === "call" || !(await isDuplicate(event))) fresh.push(event);
    const wanted = off === null ? fresh : fresh.filter((event) => !off.has(event));
    return { events: wanted, skipped: events.length - fresh.length, whileOff: fresh.length - wanted.length, bytes: 0 };
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
 * Calls have the host's id, so duplicates are recognised anyway. Prompts and session ends have none: if the session's
 * own transcript was imported already, they are skipped.
 */
function newDuplicateCheck(db: Db, prefix: string): (event: NewEvent) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (event) => {
    const key = JSON.stringify([event.host, event.session, event.kind]);
    const lookup = known.get(key) ?? hasEventsNamedOtherwise(db, event, prefix);
    known.set(key, lookup);
    return lookup;
  };
}

function isWanted(thing: StoreItem, filter: ImportFilter): boolean {
  if (thing.kind === "left") return true;
  // A task without its goal would be none.
  if (thing.kind === "goal" || thing.kind === "task") return thing.workspace === (filter.workspace ?? thing.workspace);
  const at = thing.kind === "event" ? thing.event.at : thing.at;
  return at >= (filter.since ?? -Infinity) && thing.workspace === (filter.workspace ?? thing.workspace);
}

function toEvents(thing: StoreItem): readonly NewEvent[] {
  if (thing.kind !== "event") return [];
  const { event, workspace } = thing;
  return [{ ...event, ...(event.kind === "call" && event.outcome === null ? readCall(event) : {}), workspace }];
}

interface StoreContents {
  readonly rules: readonly Rule[];
  readonly memories: readonly Memory[];
  readonly taken: readonly StoreItem[];
}

function collectContents(ctx: StoreImportContext, store: OtherStore, things: readonly StoreItem[]): StoreContents {
  return {
    taken: things,
    rules: things.flatMap((thing) => (thing.kind === "rule" ? [toRule(store, thing)] : [])),
    memories: things.flatMap((thing) => (thing.kind === "memory" ? [toMemory(ctx, thing)] : [])),
  };
}

function toMemory(ctx: StoreImportContext, { memory, workspace, at }: Extract<StoreItem, { kind: "memory" }>): Memory {
  const scope: MemoryScope = workspace === null ? { kind: "global" } : { kind: "workspace", name: workspace };
  const made: Memory = {
    ...memory,
    id: makeMemoryId(scope, memory.key),
    confidence: clampConfidence(memory.confidence),
    tags: [...new Set(memory.tags)].toSorted(),
    importance: memory.importance ?? defaultImportance,
    scope,
    origin: "external",
    trust: "external",
    supersedes: [],
    pinned: false,
    status: "active",
    createdAt: at,
  };
  return archiveIfUnsure(made, ctx.config.policy.memory);
}

/** At level `watch`: texts of others are not shown to agents before the owner has read them. */
function toRule(store: OtherStore, { rule, workspace, at }: Extract<StoreItem, { kind: "rule" }>): Rule {
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

/** Inserts only what was never stored before. */
function insertNew(ctx: StoreImportContext, store: OtherStore, found: StoreContents): Promise<InsertedItems> {
  const because = makeProvenance({ ...ctx, actor: { kind: "import" } }, { kind: "import", id: store.name });
  return withJournalLock(ctx.db, async (tx) => {
    const rules = await filterNeverKnown(tx, ruleNoun, found.rules);
    const memories = await filterNeverKnown(tx, memoryNoun, found.memories);
    const changes = await applyAllChanges(tx, [
      ...rules.map((rule) => planChange(ruleNoun, rule.id, because, () => rule)),
      ...planMemoryChanges(memories, because),
    ]);
    const goals = await insertGoalItems(tx, { store: store.name, because }, found.taken);
    return { ...goals, changes: [...changes, ...goals.changes] };
  });
}
