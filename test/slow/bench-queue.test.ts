import { inject } from "vitest";
import { describe, expect, it } from "vitest";
import { benchQueue } from "../../bench/queue.ts";
import { program } from "../program.ts";

describe("many worker processes, killed and stopped at random", () => {
  it.each([
    { name: "postgres", postgres: () => inject("postgres"), processes: 6 },
    { name: "sqlite", postgres: () => null, processes: 4 },
  ])("record each piece of work once, on $name", async ({ postgres, processes }) => {
    const { trouble } = await benchQueue({
      ...{ program, tasks: 400, taskMs: 40, leaseMs: 3_000, kills: 4, stops: 4 },
      ...{ postgres: postgres(), processes },
    });
    expect(trouble).toMatchObject({ recordedOnce: 400, recordedTwice: 0, lost: 0 });
    expect(trouble.kills + trouble.stops).toBeGreaterThan(0);
  });
});
