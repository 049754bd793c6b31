import { median, interleave, rounded, timesAsLong, type Contender } from "./floor.ts";
import { postgresBench } from "./store-postgres.ts";
import { sqliteBench } from "./store-sqlite.ts";
import { TARGETS, type Measure, measures, type Minds, type Versus } from "./store-measures.ts";

export interface StoreReport {
  readonly targets: typeof TARGETS;
  readonly sqlite: Figures;
  readonly postgres: Figures | { readonly skipped: string };
  /** Every ratio and flatness within its target. */
  readonly met: boolean;
}

export interface Figures {
  readonly sizes: readonly ({ readonly events: number } & Readonly<Record<Measure, Versus>>)[];
  /** What an event costs in the largest mind to what it costs in the smallest. */
  readonly flatness: Readonly<Record<Measure, number>>;
  /** The same of the floor: what growing costs in any case. */
  readonly floorFlatness: Readonly<Record<Measure, number>>;
  readonly lowestRatio: number;
  readonly highestFlatness: number;
}

export interface StoreBenchOptions {
  /** Events already stored; the first is the smallest mind, the last the largest. */
  readonly sizes: readonly number[];
  /** A server's address without a database, or null. */
  readonly postgres: string | null;
  /** To spend on each measure of each store. */
  readonly seconds?: number;
  readonly say?: (line: string) => void;
}

/** Our store against plain prepared SQL on the same engine, schema and settings, in minds of several sizes. */
export async function benchStore(options: StoreBenchOptions): Promise<StoreReport> {
  const sqlite = await figuresOf(() => sqliteBench(options.sizes, told(options, "sqlite")), options);
  const address = options.postgres;
  const postgres =
    address === null
      ? { skipped: "no PostgreSQL address was given" }
      : await figuresOf(() => postgresBench(address, options.sizes, told(options, "postgres")), options);
  return { targets: TARGETS, sqlite, postgres, met: [sqlite, postgres].every(isMet) };
}

function told(options: StoreBenchOptions, store: string): (line: string) => void {
  return (line) => options.say?.(`${store}: ${line}`);
}

async function figuresOf(open: () => Promise<Minds>, options: StoreBenchOptions): Promise<Figures> {
  const minds = await open();
  try {
    const sizes: { events: number; found: Partial<Record<Measure, Versus>> }[] = options.sizes.map((events) => ({
      events,
      found: {},
    }));
    const flatness: Partial<Record<Measure, number>> = {};
    const floorFlatness: Partial<Record<Measure, number>> = {};
    for (const measure of measures) {
      minds.say(`measuring ${measure}`);
      const contenders = minds.of.flatMap((mind): Contender[] => [
        { name: `ours ${mind.size}`, ...mind.ours[measure] },
        { name: `floor ${mind.size}`, ...mind.floor[measure] },
      ]);
      const times = await interleave(contenders, { rounds: 9, seconds: options.seconds ?? 8 });
      const of = (name: string) => times.get(name) ?? [];
      for (const { events, found } of sizes) {
        const [ours, floor] = [of(`ours ${events}`), of(`floor ${events}`)];
        const perSecond = (ms: readonly number[]) => Math.round((minds.pieces[measure] / median(ms)) * 1_000);
        found[measure] = { ours: perSecond(ours), floor: perSecond(floor), ratio: rounded(timesAsLong(floor, ours)) };
      }
      const [small, large] = [options.sizes[0], options.sizes.at(-1)];
      flatness[measure] = rounded(timesAsLong(of(`ours ${large}`), of(`ours ${small}`)));
      floorFlatness[measure] = rounded(timesAsLong(of(`floor ${large}`), of(`floor ${small}`)));
    }
    return summary(
      sizes.map(({ events, found }) => ({ events, ...(found as Record<Measure, Versus>) })),
      flatness as Record<Measure, number>,
      floorFlatness as Record<Measure, number>,
    );
  } finally {
    await minds.remove();
  }
}

function summary(sizes: Figures["sizes"], flatness: Figures["flatness"], floorFlatness: Figures["flatness"]): Figures {
  return {
    sizes,
    flatness,
    floorFlatness,
    lowestRatio: Math.min(...sizes.flatMap((size) => measures.map((measure) => size[measure].ratio))),
    highestFlatness: Math.max(...measures.map((measure) => flatness[measure])),
  };
}

function isMet(figures: StoreReport["postgres"]): boolean {
  if ("skipped" in figures) return true;
  return figures.lowestRatio >= TARGETS.ratio && figures.highestFlatness <= TARGETS.flatness;
}
