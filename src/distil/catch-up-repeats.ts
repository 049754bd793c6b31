import type { Context } from "../context.ts";
import { type Command, commandsOf, isShellTool, mainCommand, shellTextOf } from "../domain/command.ts";
import { editsIn, isEditTool } from "../domain/edit-text.ts";
import type { Event } from "../domain/event.ts";
import { blockIn } from "../domain/guard.ts";
import { glances, trivialPrograms } from "../domain/programs.ts";
import { replacementIn } from "../domain/replacement.ts";
import { type Bypass, bypassedBy } from "../domain/skill-registry.ts";
import { fileOf } from "../domain/named-file.ts";
import { groupOf } from "../domain/step.ts";
import { hashText } from "../lib/hash.ts";
import type { Db } from "../store/db.ts";
import { eventsAfter, eventsByIds, shellCallsAfter } from "../store/events.ts";
import { readMeta, takeMark, writeMeta } from "../store/meta.ts";
import { recoveriesBetween } from "../store/recoveries.ts";
import { addRepeats, type Repeat, type RepeatKind } from "../store/repeats.ts";
import { wordsOfCorrection } from "./correction-words.ts";

const BATCH = 2_000;
const MARK = "repeated";
const LONGEST_KEY = 400;

/** Brings what miners count up to what has been digested: each new event once. */
export async function catchUpRepeats(world: Pick<Context, "db" | "config">): Promise<void> {
  while (!(await world.db.tx((tx) => oneBatch(tx, world.config.policy.observe.recoveryWithin))));
}

async function oneBatch(tx: Db, within: number): Promise<boolean> {
  const after = await takeMark(tx, MARK);
  const events = await eventsAfter(tx, after, await digested(tx), BATCH);
  const upTo = events.at(-1)?.id;
  if (upTo === undefined) return true;
  const found = [...events.flatMap(repeatsIn), ...(await recoveriesIn(tx, { after, upTo }, within))];
  await addRepeats(
    tx,
    found.filter((one) => one.key.length <= LONGEST_KEY),
  );
  await writeMeta(tx, MARK, String(upTo));
  return events.length < BATCH;
}

/**
 * The same for registries, which change: each pattern has a mark of its own, so that a new one is sought in all that is
 * stored, and a known one in what is new.
 */
export async function catchUpBypasses(world: Pick<Context, "db">, bypasses: readonly Bypass[]): Promise<void> {
  for (let last = false; !last;) last = await world.db.tx((tx) => oneBypassBatch(tx, bypasses));
}

/** Those that were sought the least far, as far as the next one. */
async function oneBypassBatch(tx: Db, bypasses: readonly Bypass[]): Promise<boolean> {
  // Whoever else counts waits: each call is counted once for a pattern.
  await takeMark(tx, MARK);
  const end = await digested(tx);
  const marks: number[] = [];
  for (const one of bypasses) marks.push(Number((await readMeta(tx, markOf(one))) ?? 0));
  const least = Math.min(...marks, end);
  if (least >= end) return true;
  const due = bypasses.filter((_, at) => marks[at] === least);
  const next = Math.min(end, ...marks.filter((mark) => mark > least));
  const calls = await shellCallsAfter(tx, least, next, BATCH);
  const found = calls.filter(ran).flatMap((call) => {
    const shell = shellTextOf(call.input) ?? "";
    return due.flatMap((one) => {
      if (one.workspace !== null && one.workspace !== call.workspace) return [];
      const bypassed = bypassedBy(one, shell);
      return bypassed === null ? [] : [repeat("bypasses", bypassKey(one, bypassed.head), call)];
    });
  });
  await addRepeats(tx, found);
  const reached = calls.length < BATCH ? next : (calls.at(-1)?.id ?? next);
  for (const one of due) await writeMeta(tx, markOf(one), String(reached));
  return false;
}

export function bypassKey(bypass: Bypass, head: string): string {
  return JSON.stringify([idOf(bypass), head]);
}

function markOf(bypass: Bypass): string {
  return `repeats of ${idOf(bypass)}`;
}

export function idOf(bypass: Bypass): string {
  return hashText(JSON.stringify([bypass.workspace, bypass.skill, bypass.pattern]));
}

async function digested(tx: Db): Promise<number> {
  return Number((await readMeta(tx, "digested")) ?? 0);
}

function repeat(kind: RepeatKind, key: string, event: Event): Repeat {
  const { id, host, session, at, workspace } = event;
  return { kind, key, host, session, event: id, at, workspace, times: 1 };
}

function repeatsIn(event: Event): readonly Repeat[] {
  if (event.kind === "correction") {
    const words = wordsOfCorrection(event.text ?? "");
    return words.length === 0 ? [] : [repeat("corrections", words.join(" "), event)];
  }
  if (event.kind !== "call" || event.tool === null) return [];
  if (event.outcome === "denied") return blocksIn(event, event.tool);
  if (isShellTool(event.tool)) return ran(event) ? commandsIn(event) : [];
  return event.outcome === "ok" && isEditTool(event.tool) ? replacementsIn(event) : [];
}

/** A call counts once for what it replaces, however often. */
function replacementsIn(event: Event): readonly Repeat[] {
  const found = editsIn(event.input).flatMap((edit) => replacementIn(edit) ?? []);
  const keys = new Set(found.map(({ from, to }) => JSON.stringify([from, to])));
  return [...keys].map((key) => repeat("edits", key, event));
}

/** Under who held it back and what was held back: a command's head and flags, or a tool and its file. */
function blocksIn(event: Event, tool: string): readonly Repeat[] {
  const block = blockIn(event.error ?? "");
  if (block === null) return [];
  const main = isShellTool(tool) ? mainCommand(shellTextOf(event.input) ?? "") : null;
  const what = main === null ? [fileOf(event.input) ?? ""] : main.flags;
  const group = groupOf(tool, main?.head ?? null);
  return [repeat("blocks", JSON.stringify([block.by, block.rule, group, ...what]), event)];
}

/** Under its head and flags; arguments are of the one case. */
function commandsIn(event: Event): readonly Repeat[] {
  const commands = commandsOf(shellTextOf(event.input) ?? "").filter(
    (one) => one.head !== "" && !trivialPrograms.has(one.program) && !glances.has(one.head),
  );
  return [...new Set(commands.map(shapeOf))].map((key) => repeat("commands", key, event));
}

export function shapeOf(command: Pick<Command, "head" | "flags">): string {
  return [command.head, ...command.flags].join(" ");
}

/** A failing command and the other one that worked. Where only arguments differ, nothing is learned. */
async function recoveriesIn(
  tx: Db,
  range: { readonly after: number; readonly upTo: number },
  within: number,
): Promise<readonly Repeat[]> {
  const pairs = await recoveriesBetween(tx, range, within);
  const events = new Map<number, Event>();
  for (let from = 0; from < pairs.length; from += CHUNK) {
    const ids = pairs.slice(from, from + CHUNK).flatMap((one) => [one.failure, one.recovery]);
    for (const event of await eventsByIds(tx, [...new Set(ids)])) events.set(event.id, event);
  }
  return pairs.flatMap(({ failure, recovery }) => {
    const [failed, worked] = [events.get(failure), events.get(recovery)];
    const [bad, good] = [failed, worked].map((one) =>
      one?.tool != null && isShellTool(one.tool) ? mainCommand(shellTextOf(one.input) ?? "") : null,
    );
    if (!failed || !worked || !bad || !good || shapeOf(bad) === shapeOf(good)) return [];
    const key = JSON.stringify([bad.head, bad.flags, good.head, good.flags]);
    return [{ ...repeat("recoveries", key, failed), event: Math.max(failure, recovery) }];
  });
}

const CHUNK = 250;

function ran(event: Event): boolean {
  return event.outcome === "ok" || event.outcome === "failed";
}
