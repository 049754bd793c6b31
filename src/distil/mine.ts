import type { Context } from "../context.ts";
import type { Registry } from "../domain/skills/registry.ts";
import { DAY } from "../lib/clock.ts";
import { endIfStopped } from "../lib/stopped.ts";
import type { Db } from "../store/engine/db.ts";
import { lastEventAt } from "../store/events.ts";
import { readMeta, writeMeta } from "../store/meta.ts";
import type { RepeatKind } from "../store/repeats.ts";
import { markMined, type TriedGroup } from "../store/tries.ts";
import { catchUpAll } from "./catch-up.ts";
import { type Look, minedMark } from "./look.ts";
import { mineBlocks } from "./mine-blocks.ts";
import { mineBypasses } from "./mine-bypasses.ts";
import { mineCorrections } from "./mine-corrections.ts";
import { mineEdits } from "./mine-edits.ts";
import { mineFailures } from "./mine-failures.ts";
import { mineMistakes } from "./mine-mistakes.ts";
import { mineRecoveries } from "./mine-recoveries.ts";
import { type Miner, miners, type Proposal } from "./proposal.ts";
import { registries } from "./registries.ts";

export interface Mining {
  readonly only?: readonly Miner[] | undefined;
  readonly since?: number | undefined;
  readonly minCount?: number | undefined;
  readonly limit?: number | undefined;
  readonly workspace?: string | undefined;
  readonly global?: boolean | undefined;
}

export interface Mined {
  readonly proposals: readonly Proposal[];
  readonly notes: readonly string[];
  /** Called with what was written: what was looked at need not be looked at again until more comes. */
  done(tx: Db): Promise<void>;
}

/** Every miner that is asked for, in their order: what one proposes, a later one does not propose again. */
export async function mine(world: Omit<Context, "store">, options: Mining): Promise<Mined> {
  const asked = new Set<Miner>(options.only ?? miners);
  const look = await lookOf(world, options);
  const proposals: Proposal[] = [];
  const notes: string[] = [];
  let groups: readonly TriedGroup[] = [];
  let registry: Registry = { bypasses: [], refused: [] };
  // The ledger is no matter of events: a mistake just written must not wait for all of them.
  if ([...asked].some((miner) => miner !== "mistakes")) {
    if (asked.has("bypasses")) registry = await registries(world);
    notes.push(...registry.refused);
    await catchUpAll(world, registry.bypasses);
  }
  const at = (miner: Miner): boolean => {
    endIfStopped(world.signal);
    const wanted = asked.has(miner);
    if (wanted) world.report({ text: `looking at ${miner}`, done: [...asked].indexOf(miner), total: asked.size });
    return wanted;
  };
  const upTo = (await readMeta(world.db, "repeated")) ?? "0";
  if (at("failures")) {
    const all = { ...look, since: options.since ?? 0 };
    const found = await mineFailures(world, all);
    proposals.push(...found.proposals);
    groups = found.groups;
  }
  if (at("edits")) proposals.push(...(await mineEdits(world, look)));
  if (at("bypasses")) proposals.push(...(await mineBypasses(world, registry.bypasses, look)));
  if (at("blocks")) proposals.push(...(await mineBlocks(world, look)));
  if (at("mistakes")) proposals.push(...(await mineMistakes(world, { ...look, since: options.since ?? 0 })));
  if (at("corrections")) proposals.push(...(await mineCorrections(world, look)));
  if (at("recoveries")) proposals.push(...(await mineRecoveries(world, look, proposals)));
  return {
    proposals,
    notes,
    done: async (tx) => {
      if (!look.fresh) return;
      await markMined(tx, groups);
      for (const kind of kinds) if (asked.has(kind)) await writeMeta(tx, minedMark(kind), upTo);
    },
  };
}

const kinds = ["edits", "blocks", "corrections", "recoveries"] as const satisfies readonly (RepeatKind & Miner)[];

/** A narrowed look sees everything again, and leaves no mark: it did not see all. */
async function lookOf(world: Pick<Context, "db" | "config" | "clock">, options: Mining): Promise<Look> {
  const { since, minCount, limit, workspace, global } = options;
  const newest = await lastEventAt(world.db, world.clock.now());
  return {
    since: since ?? Math.max(0, newest - world.config.policy.distil.mineDays * DAY),
    workspace: workspace ?? null,
    global: global === true,
    minCount: minCount ?? null,
    fresh: [since, minCount, limit, workspace].every((one) => one === undefined) && global !== true,
  };
}
