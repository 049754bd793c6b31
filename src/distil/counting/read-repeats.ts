import { type ShellCommand, parseCommands, isShellTool, findMainCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { findEdits, isEditTool } from "../../domain/text/edit-text.ts";
import type { Event } from "../../domain/event/event.ts";
import { computePreferenceKey, findPreferences } from "../../domain/event/preference.ts";
import { parseBlock } from "../../domain/rule/guard.ts";
import { inspectionHeads, trivialPrograms } from "../../domain/shell/programs.ts";
import { findRunScript, runsSameScript } from "../../domain/shell/run-script.ts";
import { findReplacement } from "../../domain/event/replacement.ts";
import { type Bypass, findBypassedCommand } from "../../domain/skills/registry.ts";
import { findNamedFile } from "../../domain/text/named-file.ts";
import { makeCallGroup } from "../../domain/shell/step.ts";
import { hashText } from "../../lib/hash.ts";
import type { Db } from "../../store/engine/db.ts";
import { getEventsByIds, type MinableEvent } from "../../store/events/events.ts";
import { listRecoveriesBetween } from "../../store/derived/recoveries.ts";
import { addRepeats, type Repeat, type RepeatKind } from "../../store/derived/repeats.ts";
import type { EventReader } from "./count-new-events.ts";
import { cursors } from "../../store/state/cursors.ts";

const LONGEST_KEY = 400;

/** Counts repeats for the miners: edits, blocks, corrections, recoveries. */
export function makeRepeatsReader(within: number): EventReader {
  let found: Repeat[] = [];
  return {
    cursor: cursors.repeated,
    read: (_db, event) => {
      for (const one of findRepeats(event)) if (one.key.length <= LONGEST_KEY) found.push(one);
    },
    write: async (tx, range) => {
      found.push(...(await findRecoveryRepeats(tx, range, within)).filter((one) => one.key.length <= LONGEST_KEY));
      await addRepeats(tx, found);
      found = [];
    },
  };
}

/** Counts which commands are run. Only on demand: they outnumber all other repeats and are seldom needed. */
export function makeCommandsReader(): EventReader {
  let found: Repeat[] = [];
  return {
    cursor: cursors.commands,
    read: (_db, event) => {
      if (event.kind !== "call" || event.tool === null || !isShellTool(event.tool) || !hasRun(event)) return;
      for (const one of findCommands(event)) if (one.key.length <= LONGEST_KEY) found.push(one);
    },
    write: async (tx) => {
      await addRepeats(tx, found);
      found = [];
    },
  };
}

/** One reader per pattern of a registry: registries change, and a new pattern is counted in all stored events. */
export function makeBypassReader(bypass: Bypass): EventReader {
  let found: Repeat[] = [];
  return {
    cursor: `repeats of ${makeBypassId(bypass)}`,
    read: (_db, event) => {
      if (event.head === null || !hasRun(event) || (bypass.workspace !== null && bypass.workspace !== event.workspace))
        return;
      const bypassed = findBypassedCommand(bypass, findShellText(event.input) ?? "");
      if (bypassed !== null) found.push(makeRepeat("bypasses", bypassKey(bypass, bypassed.head), event));
    },
    write: async (tx) => {
      await addRepeats(tx, found);
      found = [];
    },
  };
}

function bypassKey(bypass: Bypass, head: string): string {
  return JSON.stringify([makeBypassId(bypass), head]);
}

export function makeBypassId(bypass: Bypass): string {
  return hashText(JSON.stringify([bypass.workspace, bypass.skill, bypass.pattern]));
}

function makeRepeat(kind: RepeatKind, key: string, event: MinableEvent): Repeat {
  const { id, host, session, at, workspace } = event;
  return { kind, key, host, session, event: id, at, workspace, times: 1 };
}

function findRepeats(event: MinableEvent): readonly Repeat[] {
  if (event.kind === "correction" || event.kind === "prompt") return preferencesOf(event);
  if (event.kind !== "call" || event.tool === null) return [];
  if (event.outcome === "denied") return findBlocks(event, event.tool);
  return event.outcome === "ok" && isEditTool(event.tool) ? findReplacements(event) : [];
}

/** Keyed by preference. A correcting prompt is read twice (prompt and correction) and counts once per session. */
function preferencesOf(event: MinableEvent): readonly Repeat[] {
  const found = findPreferences(event.text ?? "", { corrects: event.kind === "correction" });
  const keys = new Set(found.map((one) => JSON.stringify(computePreferenceKey(one))));
  return [...keys].map((key) => makeRepeat("corrections", key, event));
}

/** A call counts once per replacement, even if it makes it several times. */
function findReplacements(event: MinableEvent): readonly Repeat[] {
  const found = findEdits(event.input).flatMap((edit) => findReplacement(edit) ?? []);
  const keys = new Set(found.map(({ from, to }) => JSON.stringify([from, to])));
  return [...keys].map((key) => makeRepeat("edits", key, event));
}

/** Keyed by the guard and by what it stopped: a command's head and flags, or a tool and its file. */
function findBlocks(event: MinableEvent, tool: string): readonly Repeat[] {
  const block = parseBlock(event.error ?? "");
  if (block === null) return [];
  const main = isShellTool(tool) ? findMainCommand(findShellText(event.input) ?? "") : null;
  const what = main === null ? [findNamedFile(event.input) ?? ""] : main.flags;
  const group = makeCallGroup(tool, main?.head ?? null);
  return [makeRepeat("blocks", JSON.stringify([block.by, block.rule, group, ...what]), event)];
}

/** Keyed by head and flags; arguments differ from case to case. */
export function findCommands(event: MinableEvent): readonly Repeat[] {
  const commands = parseCommands(findShellText(event.input) ?? "").filter(
    (one) => one.head !== "" && !trivialPrograms.has(one.program) && !inspectionHeads.has(one.head),
  );
  return [...new Set(commands.map(makeShapeKey))].map((key) => makeRepeat("commands", key, event));
}

export function makeShapeKey(command: Pick<ShellCommand, "head" | "flags">): string {
  return [command.head, ...command.flags].join(" ");
}

/** Pairs of a failing command and the other one that worked. If only the arguments differ, the pair is ignored. */
async function findRecoveryRepeats(
  tx: Db,
  range: { readonly after: number; readonly upTo: number },
  within: number,
): Promise<readonly Repeat[]> {
  const pairs = await listRecoveriesBetween(tx, range, within);
  const events = new Map<number, Event>();
  for (let from = 0; from < pairs.length; from += CHUNK) {
    const ids = pairs.slice(from, from + CHUNK).flatMap((one) => [one.failure, one.recovery]);
    for (const event of await getEventsByIds(tx, [...new Set(ids)])) events.set(event.id, event);
  }
  // Several failures before one call that worked are one recovery.
  const counted = new Set<string>();
  return pairs.flatMap(({ failure, recovery }) => {
    const [failed, worked] = [events.get(failure), events.get(recovery)];
    const [bad, good] = [failed, worked].map((one) =>
      one?.tool != null && isShellTool(one.tool) ? findMainCommand(findShellText(one.input) ?? "") : null,
    );
    if (!failed || !worked || !bad || !good || makeShapeKey(bad) === makeShapeKey(good)) return [];
    if (!runsSameScript(bad, good)) return [];
    const script = findRunScript(bad)?.script;
    const key = JSON.stringify([bad.head, bad.flags, good.head, good.flags, ...(script === undefined ? [] : [script])]);
    if (counted.has(`${recovery} ${key}`)) return [];
    counted.add(`${recovery} ${key}`);
    return [{ ...makeRepeat("recoveries", key, failed), event: Math.max(failure, recovery) }];
  });
}

const CHUNK = 250;

function hasRun(event: MinableEvent): boolean {
  return event.outcome === "ok" || event.outcome === "failed";
}
