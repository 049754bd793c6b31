/** Code to measure: runs a block of work repeatedly, in turn with other contenders. */
export interface Contender {
  readonly name: string;
  act(): Promise<unknown>;
  /** Restores the state; not measured. */
  after?(): Promise<unknown>;
}

export interface Limits {
  /** The minimum number of rounds; more follow until the time is used up. */
  readonly rounds: number;
  readonly seconds: number;
}

/**
 * Milliseconds of each block, by contender and round. All run in every round, each time in another order, so that noise
 * affects them equally.
 */
export async function interleave(
  contenders: readonly Contender[],
  limits: Limits,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>(contenders.map((one) => [one.name, []]));
  for (const one of contenders) await timeTurn(one);
  const begin = performance.now();
  for (let round = 0; round < limits.rounds || performance.now() - begin < limits.seconds * 1_000; round++) {
    const order = contenders.map((_, i) => contenders[(i + round) % contenders.length] as Contender);
    for (const one of round % 2 === 0 ? order : order.toReversed()) times.get(one.name)?.push(await timeTurn(one));
  }
  return times;
}

async function timeTurn(contender: Contender): Promise<number> {
  const begin = performance.now();
  await contender.act();
  const ms = performance.now() - begin;
  await contender.after?.();
  return ms;
}

/** The median over rounds of the ratio of two times: what affects both in a round cancels out. */
export function computeTimeRatio(one: readonly number[], other: readonly number[]): number {
  return median(one.map((ms, round) => ms / (other[round] ?? ms)));
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export function roundTo(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
