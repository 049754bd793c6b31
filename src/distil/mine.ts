import type { Context } from "../context.ts";
import type { Bypass } from "../domain/skills/registry.ts";
import { DAY } from "../lib/clock.ts";
import { endIfStopped } from "../lib/stopped.ts";
import type { Db } from "../store/engine/db.ts";
import { newestByWorkspace } from "../store/newest-by-workspace.ts";
import { cursors, readCursor, writeCursor } from "../store/cursors.ts";
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
import { oneOfEachMistake } from "./same-mistake.ts";

export interface Mining {
  readonly only?: readonly Miner[] | undefined;
  readonly since?: number | undefined;
  readonly minCount?: number | undefined;
  readonly limit?: number | undefined;
  readonly workspace?: string | undefined;
  readonly global?: boolean | undefined;
  /** Look at no more than about so many calls of failing groups now; the other groups are looked at the next time. */
  readonly calls?: number | undefined;
}

export interface Mined {
  readonly proposals: readonly Proposal[];
  readonly notes: readonly string[];
  /** Called with what was written: what was looked at need not be looked at again until more comes. */
  done(tx: Db): Promise<void>;
}

/** Every miner that is wanted, in their order: what one proposes, a later one does not propose again. */
export async function mine(ctx: Omit<Context, "store">, options: Mining): Promise<Mined> {
  const wanted = miners.filter((miner) => options.only?.includes(miner) ?? true);
  const look = await lookOf(ctx, options);
  const registry = wanted.includes("bypasses") ? await registries(ctx) : { bypasses: [], refused: [] };
  // The ledger is no matter of events: a mistake just written must not wait for all of them.
  if (wanted.some((miner) => miner !== "mistakes")) await catchUpAll(ctx, registry.bypasses);
  const upTo = await readCursor(ctx.db, cursors.repeated);
  const proposals: Proposal[] = [];
  const groups: TriedGroup[] = [];
  for (const [index, miner] of wanted.entries()) {
    endIfStopped(ctx.signal);
    ctx.report({ text: `looking at ${miner}`, done: index, total: wanted.length });
    const found = await table[miner](ctx, look, { bypasses: registry.bypasses, proposals });
    proposals.push(...oneOfEachMistake(found.proposals));
    groups.push(...(found.groups ?? []));
  }
  return {
    proposals,
    notes: registry.refused,
    done: async (tx) => {
      if (!look.fresh) return;
      await markMined(tx, groups);
      for (const kind of kinds) if (wanted.includes(kind)) await writeCursor(tx, minedMark(kind), upTo);
      // Everybody has seen everything.
      if (wanted.length === miners.length && look.calls === Infinity) await writeCursor(tx, cursors.mined, upTo);
    },
  };
}

interface Found {
  readonly proposals: readonly Proposal[];
  /** The groups of failures that were looked at. */
  readonly groups?: readonly TriedGroup[];
}

type Find = (
  ctx: Pick<Context, "db" | "config">,
  look: Look,
  given: { readonly bypasses: readonly Bypass[]; readonly proposals: readonly Proposal[] },
) => Promise<Found>;

const table: Readonly<Record<Miner, Find>> = {
  failures: mineFailures,
  edits: proposing(mineEdits),
  bypasses: proposing((ctx, look, { bypasses }) => mineBypasses(ctx, bypasses, look)),
  blocks: proposing(mineBlocks),
  mistakes: proposing(mineMistakes),
  corrections: proposing(mineCorrections),
  recoveries: proposing((ctx, look, { proposals }) => mineRecoveries(ctx, look, proposals)),
};

type Propose = (...given: Parameters<Find>) => Promise<readonly Proposal[]>;

function proposing(propose: Propose): Find {
  return async (...given) => ({ proposals: await propose(...given) });
}

const kinds = ["edits", "blocks", "corrections", "recoveries"] as const satisfies readonly (RepeatKind & Miner)[];

/** A narrowed look sees everything again, and leaves no mark: it did not see all. */
async function lookOf(ctx: Pick<Context, "db" | "config" | "clock">, options: Mining): Promise<Look> {
  const { since, minCount, limit, workspace, global } = options;
  const [now, days] = [ctx.clock.now(), ctx.config.policy.distil.mineDays * DAY];
  const newest = await newestByWorkspace(ctx.db);
  const sinceIn = (of: string | null) => since ?? Math.max(0, Math.min(newest.get(of) ?? now, now) - days);
  return {
    since: since ?? Math.min(sinceIn(null), ...[...newest.keys()].map(sinceIn)),
    sinceIn,
    workspace: workspace ?? null,
    global: global === true,
    minCount: minCount ?? null,
    calls: options.calls ?? Infinity,
    fresh: [since, minCount, limit, workspace].every((one) => one === undefined) && global !== true,
  };
}
