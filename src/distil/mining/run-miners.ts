import type { Context } from "../../context.ts";
import type { Bypass } from "../../domain/skills/registry.ts";
import { DAY } from "../../lib/clock.ts";
import { throwIfStopped } from "../../lib/stopped.ts";
import type { Db } from "../../store/engine/db.ts";
import { readNewestEventTimes } from "../../store/events/newest-event-times.ts";
import { cursors, readCursor, writeCursor } from "../../store/state/cursors.ts";
import type { RepeatKind } from "../../store/derived/repeats.ts";
import { markGroupsMined, type TryGroup } from "../../store/derived/tries.ts";
import { countNewForMiners } from "../counting/count-new-events.ts";
import { type MiningWindow, minedCursor } from "./mining-window.ts";
import { mineBlocks } from "./mine-blocks.ts";
import { mineBypasses } from "./mine-bypasses.ts";
import { mineCorrections } from "./mine-corrections.ts";
import { mineEdits } from "./mine-edits.ts";
import { mineFailures } from "./mine-failures.ts";
import { mineMistakes } from "./mine-mistakes.ts";
import { mineRecoveries } from "./mine-recoveries.ts";
import { type Miner, miners, type Proposal } from "./proposal.ts";
import { readRegistries } from "./registries.ts";
import { oneOfEachMistake } from "./same-mistake.ts";

export interface MiningOptions {
  readonly only?: readonly Miner[] | undefined;
  readonly since?: number | undefined;
  readonly minCount?: number | undefined;
  readonly limit?: number | undefined;
  readonly workspace?: string | undefined;
  readonly global?: boolean | undefined;
  /** Examine about this many calls of failing groups; the next run takes the other groups. */
  readonly calls?: number | undefined;
}

export interface MiningResult {
  readonly proposals: readonly Proposal[];
  readonly notes: readonly string[];
  /** Call it in the transaction that writes: marks everything examined as done until more comes. */
  done(tx: Db): Promise<void>;
}

/** Runs the requested miners in order; a later miner does not repeat an earlier one's proposal. */
export async function runMiners(ctx: Omit<Context, "store">, options: MiningOptions): Promise<MiningResult> {
  const wanted = miners.filter((miner) => options.only?.includes(miner) ?? true);
  const window = await makeMiningWindow(ctx, options);
  const registry = wanted.includes("bypasses") ? await readRegistries(ctx) : { bypasses: [], refused: [] };
  // The ledger does not depend on events, so a new mistake need not wait for them.
  if (wanted.some((miner) => miner !== "mistakes")) await countNewForMiners(ctx, registry.bypasses);
  const upTo = await readCursor(ctx.db, cursors.repeated);
  const proposals: Proposal[] = [];
  const groups: TryGroup[] = [];
  for (const [index, miner] of wanted.entries()) {
    throwIfStopped(ctx.signal);
    ctx.report({ text: `looking at ${miner}`, done: index, total: wanted.length });
    const found = await minerTable[miner](ctx, window, { bypasses: registry.bypasses, proposals });
    proposals.push(...oneOfEachMistake(found.proposals));
    groups.push(...(found.groups ?? []));
  }
  return {
    proposals,
    notes: registry.refused,
    done: async (tx) => {
      if (!window.isIncremental) return;
      await markGroupsMined(tx, groups);
      for (const kind of kinds) if (wanted.includes(kind)) await writeCursor(tx, minedCursor(kind), upTo);
      // Only if all miners have read everything.
      if (wanted.length === miners.length && window.calls === Infinity) await writeCursor(tx, cursors.mined, upTo);
    },
  };
}

interface MinerResult {
  readonly proposals: readonly Proposal[];
  /** The failing groups that were examined. */
  readonly groups?: readonly TryGroup[];
}

type RunMiner = (
  ctx: Pick<Context, "db" | "config">,
  window: MiningWindow,
  given: { readonly bypasses: readonly Bypass[]; readonly proposals: readonly Proposal[] },
) => Promise<MinerResult>;

const minerTable: Readonly<Record<Miner, RunMiner>> = {
  failures: mineFailures,
  edits: toMiner(mineEdits),
  bypasses: toMiner((ctx, window, { bypasses }) => mineBypasses(ctx, bypasses, window)),
  blocks: toMiner(mineBlocks),
  mistakes: toMiner(mineMistakes),
  corrections: toMiner(mineCorrections),
  recoveries: toMiner((ctx, window, { proposals }) => mineRecoveries(ctx, window, proposals)),
};

type Propose = (...given: Parameters<RunMiner>) => Promise<readonly Proposal[]>;

function toMiner(propose: Propose): RunMiner {
  return async (...given) => ({ proposals: await propose(...given) });
}

const kinds = ["edits", "blocks", "corrections", "recoveries"] as const satisfies readonly (RepeatKind & Miner)[];

/** A run with a filter or a limit is not incremental: it reads everything again and moves no cursor. */
async function makeMiningWindow(
  ctx: Pick<Context, "db" | "config" | "clock">,
  options: MiningOptions,
): Promise<MiningWindow> {
  const { since, minCount, limit, workspace, global } = options;
  const [now, days] = [ctx.clock.now(), ctx.config.policy.distil.mineDays * DAY];
  const newest = await readNewestEventTimes(ctx.db);
  const sinceIn = (of: string | null) => since ?? Math.max(0, Math.min(newest.get(of) ?? now, now) - days);
  return {
    since: since ?? Math.min(sinceIn(null), ...[...newest.keys()].map(sinceIn)),
    sinceIn,
    workspace: workspace ?? null,
    global: global === true,
    minCount: minCount ?? null,
    calls: options.calls ?? Infinity,
    isIncremental: [since, minCount, limit, workspace].every((one) => one === undefined) && global !== true,
  };
}
