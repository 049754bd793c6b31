import { type Command, commandsOf, isShellTool, mainCommand } from "../domain/shell/command.ts";
import { shellTextOf } from "../domain/shell/shell-text.ts";
import { editsIn, isEditTool } from "../domain/text/edit-text.ts";
import type { Event } from "../domain/event/event.ts";
import { askedBy, preferencesIn } from "../domain/event/preference.ts";
import { blockIn } from "../domain/rule/guard.ts";
import { glances, trivialPrograms } from "../domain/shell/programs.ts";
import { replacementIn } from "../domain/event/replacement.ts";
import { type Bypass, bypassedBy } from "../domain/skills/registry.ts";
import { fileOf } from "../domain/text/named-file.ts";
import { groupOf } from "../domain/shell/step.ts";
import { hashText } from "../lib/hash.ts";
import type { Db } from "../store/engine/db.ts";
import { eventsByIds, type ToldEvent } from "../store/events.ts";
import { recoveriesBetween } from "../store/recoveries.ts";
import { addRepeats, type Repeat, type RepeatKind } from "../store/repeats.ts";
import type { Reader } from "./catch-up.ts";
import { cursors } from "../store/cursors.ts";

const LONGEST_KEY = 400;

/** What miners count: edits, blocks, corrections, and what recovered a failure. */
export function repeatsReader(within: number): Reader {
  let found: Repeat[] = [];
  return {
    cursor: cursors.repeated,
    read: (_db, event) => {
      for (const one of repeatsIn(event)) if (one.key.length <= LONGEST_KEY) found.push(one);
    },
    write: async (tx, range) => {
      found.push(...(await recoveriesIn(tx, range, within)).filter((one) => one.key.length <= LONGEST_KEY));
      await addRepeats(tx, found);
      found = [];
    },
  };
}

/** Which commands are run: more than all the rest together, and asked for seldom, so that it is read when it is. */
export function commandsReader(): Reader {
  let found: Repeat[] = [];
  return {
    cursor: cursors.commands,
    read: (_db, event) => {
      if (event.kind !== "call" || event.tool === null || !isShellTool(event.tool) || !ran(event)) return;
      for (const one of commandsIn(event)) if (one.key.length <= LONGEST_KEY) found.push(one);
    },
    write: async (tx) => {
      await addRepeats(tx, found);
      found = [];
    },
  };
}

/** One for each pattern of a registry: registries change, and a new pattern is sought in all that is stored. */
export function bypassesReader(bypass: Bypass): Reader {
  let found: Repeat[] = [];
  return {
    cursor: `repeats of ${idOf(bypass)}`,
    read: (_db, event) => {
      if (event.head === null || !ran(event) || (bypass.workspace !== null && bypass.workspace !== event.workspace))
        return;
      const bypassed = bypassedBy(bypass, shellTextOf(event.input) ?? "");
      if (bypassed !== null) found.push(repeat("bypasses", bypassKey(bypass, bypassed.head), event));
    },
    write: async (tx) => {
      await addRepeats(tx, found);
      found = [];
    },
  };
}

function bypassKey(bypass: Bypass, head: string): string {
  return JSON.stringify([idOf(bypass), head]);
}

export function idOf(bypass: Bypass): string {
  return hashText(JSON.stringify([bypass.workspace, bypass.skill, bypass.pattern]));
}

function repeat(kind: RepeatKind, key: string, event: ToldEvent): Repeat {
  const { id, host, session, at, workspace } = event;
  return { kind, key, host, session, event: id, at, workspace, times: 1 };
}

function repeatsIn(event: ToldEvent): readonly Repeat[] {
  if (event.kind === "correction" || event.kind === "prompt") return preferencesOf(event);
  if (event.kind !== "call" || event.tool === null) return [];
  if (event.outcome === "denied") return blocksIn(event, event.tool);
  return event.outcome === "ok" && isEditTool(event.tool) ? replacementsIn(event) : [];
}

/** Under what is asked for. A prompt that corrects is read twice, as both, and counts once for its session. */
function preferencesOf(event: ToldEvent): readonly Repeat[] {
  const found = preferencesIn(event.text ?? "", { corrects: event.kind === "correction" });
  const keys = new Set(found.map((one) => JSON.stringify(askedBy(one))));
  return [...keys].map((key) => repeat("corrections", key, event));
}

/** A call counts once for what it replaces, however often. */
function replacementsIn(event: ToldEvent): readonly Repeat[] {
  const found = editsIn(event.input).flatMap((edit) => replacementIn(edit) ?? []);
  const keys = new Set(found.map(({ from, to }) => JSON.stringify([from, to])));
  return [...keys].map((key) => repeat("edits", key, event));
}

/** Under who held it back and what was held back: a command's head and flags, or a tool and its file. */
function blocksIn(event: ToldEvent, tool: string): readonly Repeat[] {
  const block = blockIn(event.error ?? "");
  if (block === null) return [];
  const main = isShellTool(tool) ? mainCommand(shellTextOf(event.input) ?? "") : null;
  const what = main === null ? [fileOf(event.input) ?? ""] : main.flags;
  const group = groupOf(tool, main?.head ?? null);
  return [repeat("blocks", JSON.stringify([block.by, block.rule, group, ...what]), event)];
}

/** Under its head and flags; arguments are of the one case. */
export function commandsIn(event: ToldEvent): readonly Repeat[] {
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

function ran(event: ToldEvent): boolean {
  return event.outcome === "ok" || event.outcome === "failed";
}
