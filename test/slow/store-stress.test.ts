import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Children, bundleChildren } from "../store/children.ts";
import { killWriters, writeAtOnce } from "../store/stress.ts";
import { stores } from "../stores.ts";

const KILLS = { sqlite: 200, postgres: 200 };

describe.each(stores)("under heavy stress, $name", (kind) => {
  let children: Children;
  beforeAll(async () => {
    children = await bundleChildren();
  });
  afterAll(() => children.remove());

  it("takes two thousand writes from each of eight processes at once", () =>
    writeAtOnce(kind, children, { processes: 8, writes: 2_000 }));

  it(`keeps what was acknowledged when ${KILLS[kind.name]} writers are killed`, async () => {
    expect(await killWriters(kind, children, KILLS[kind.name])).toBeGreaterThan(KILLS[kind.name]);
  });
});
