import { describe, expect, inject, it } from "vitest";
import { benchQueue } from "../../bench/queue.ts";
import { bouncerProgram, startBouncer } from "../../bench/pgbouncer.ts";
import { program } from "../program.ts";

describe("many worker processes, killed and stopped at random", () => {
  const work = { program, tasks: 400, taskMs: 40, leaseMs: 3_000, kills: 4, stops: 4 };
  const measure = async (postgres: string | null, processes: number) => {
    const { trouble } = await benchQueue({ ...work, postgres, processes });
    expect(trouble).toMatchObject({ recordedOnce: 400, recordedTwice: 0, lost: 0 });
    expect(trouble.kills + trouble.stops).toBeGreaterThan(0);
  };

  it("record each piece of work once, on PostgreSQL", () => measure(inject("postgres"), 6));

  it("record each piece of work once, on SQLite", () => measure(null, 4));

  it.skipIf(bouncerProgram === undefined)("record each piece of work once, through pgbouncer", async () => {
    const bouncer = await startBouncer(inject("postgres"));
    await measure(bouncer.address, 6);
    await bouncer.stop();
  });
});
