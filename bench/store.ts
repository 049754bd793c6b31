import { median, interleave, roundTo, computeTimeRatio, type Contender } from "./floor.ts";
import { openPostgresBench } from "./store-postgres.ts";
import { openSqliteBench } from "./store-sqlite.ts";
import { STORE_TARGETS, type Measure, measures, type BenchMinds, type FloorComparison } from "./store-measures.ts";

export interface StoreReport {
  readonly targets: typeof STORE_TARGETS;
  readonly sqlite: StoreFigures;
  readonly postgres: StoreFigures | { readonly skipped: string };
  /** True if every ratio and flatness is within its target. */
  readonly met: boolean;
}

export interface StoreFigures {
  readonly sizes: readonly ({ readonly events: number } & Readonly<Record<Measure, FloorComparison>>)[];
  /** The cost of an event in the largest mind divided by its cost in the smallest. */
  readonly flatness: Readonly<Record<Measure, number>>;
  /** The same for the floor: what growth costs in any case. */
  readonly floorFlatness: Readonly<Record<Measure, number>>;
  readonly lowestRatio: number;
  readonly highestFlatness: number;
}

export interface StoreBenchOptions {
  /** Events already stored; smallest mind first, largest last. */
  readonly sizes: readonly number[];
  /** A server address without a database name, or null. */
  readonly postgres: string | null;
  /** Time to spend on each measure of each store. */
  readonly seconds?: number;
  readonly say?: (line: string) => void;
}

/** Compares our store with plain prepared SQL on the same engine, schema and settings, in minds of several sizes. */
export async function benchStore(options: StoreBenchOptions): Promise<StoreReport> {
  const sqlite = await measureFigures(() => openSqliteBench(options.sizes, makeReporter(options, "sqlite")), options);
  const address = options.postgres;
  const postgres =
    address === null
      ? { skipped: "no PostgreSQL address was given" }
      : await measureFigures(
          () => openPostgresBench(address, options.sizes, makeReporter(options, "postgres")),
          options,
        );
  return { targets: STORE_TARGETS, sqlite, postgres, met: [sqlite, postgres].every(isMet) };
}

function makeReporter(options: StoreBenchOptions, store: string): (line: string) => void {
  return (line) => options.say?.(`${store}: ${line}`);
}

async function measureFigures(open: () => Promise<BenchMinds>, options: StoreBenchOptions): Promise<StoreFigures> {
  const minds = await open();
  try {
    const sizes: { events: number; found: Partial<Record<Measure, FloorComparison>> }[] = options.sizes.map(
      (events) => ({
        events,
        found: {},
      }),
    );
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
        found[measure] = {
          ours: perSecond(ours),
          floor: perSecond(floor),
          ratio: roundTo(computeTimeRatio(floor, ours)),
        };
      }
      const [small, large] = [options.sizes[0], options.sizes.at(-1)];
      flatness[measure] = roundTo(computeTimeRatio(of(`ours ${large}`), of(`ours ${small}`)));
      floorFlatness[measure] = roundTo(computeTimeRatio(of(`floor ${large}`), of(`floor ${small}`)));
    }
    return makeFigures(
      sizes.map(({ events, found }) => ({ events, ...(found as Record<Measure, FloorComparison>) })),
      flatness as Record<Measure, number>,
      floorFlatness as Record<Measure, number>,
    );
  } finally {
    await minds.remove();
  }
}

function makeFigures(
  sizes: StoreFigures["sizes"],
  flatness: StoreFigures["flatness"],
  floorFlatness: StoreFigures["flatness"],
): StoreFigures {
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
  return figures.lowestRatio >= STORE_TARGETS.ratio && figures.highestFlatness <= STORE_TARGETS.flatness;
}
