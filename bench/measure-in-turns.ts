import { median, roundTo } from "./floor.ts";

export interface Times {
  readonly p50: number;
  readonly p95: number;
  /** CPU time. On a busy machine the rest of the wall time is waiting. */
  readonly cpuP95: number;
}

const ROUNDS = 3;

/** Measures each act on each query. The acts take turns in alternating order, so that noise affects them equally. */
export async function measureInTurns<Name extends string, Query>(
  acts: Readonly<Record<Name, (query: Query) => Promise<unknown>>>,
  queries: readonly Query[],
): Promise<Record<Name, Measured>> {
  const names = Object.keys(acts) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, { wall: [], cpu: [] } as Measured])) as Record<
    Name,
    Measured
  >;
  for (const name of names) for (const query of queries.slice(0, 5)) await acts[name](query);
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of queries) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const { wall, cpu } = await timeAct(() => acts[name](query));
        times[name].wall.push(wall);
        times[name].cpu.push(cpu);
      }
    }
  }
  return times;
}

export interface Measured {
  readonly wall: number[];
  readonly cpu: number[];
}

/** Milliseconds of wall time and of CPU time. */
export async function timeAct(act: () => Promise<unknown>): Promise<{ readonly wall: number; readonly cpu: number }> {
  const before = process.cpuUsage();
  const begun = performance.now();
  await act();
  const wall = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / 1_000 };
}

export function summariseTimes({ wall, cpu }: Measured): Times {
  return { p50: roundTo(median(wall)), p95: roundTo(computeP95(wall)), cpuP95: roundTo(computeP95(cpu)) };
}

function computeP95(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}
