import { median, rounded } from "./floor.ts";

export interface Times {
  readonly p50: number;
  readonly p95: number;
}

const ROUNDS = 3;

/** Milliseconds of each question. All are asked in turn, in this order and in the other, so that noise meets them alike. */
export async function inTurns<Name extends string, Asked>(
  acts: Readonly<Record<Name, (asked: Asked) => Promise<unknown>>>,
  asked: readonly Asked[],
): Promise<Record<Name, number[]>> {
  const names = Object.keys(acts) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) for (const query of asked.slice(0, 5)) await acts[name](query);
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of asked) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const begun = performance.now();
        await acts[name](query);
        times[name].push(performance.now() - begun);
      }
    }
  }
  return times;
}

export function spread(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: rounded(median(sorted)), p95: rounded(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN) };
}
