import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { type Children, bundleChildren } from "./children.ts";
import { killWriters, writeAtOnce } from "./stress.ts";

/** A small version; `npm run test:slow` has the large one. */
describe.each(stores)("under stress, $name", (kind) => {
  let children: Children;
  beforeAll(async () => {
    children = await bundleChildren();
  });
  afterAll(() => children.remove());

  it("takes the writes of three processes at once", () => writeAtOnce(kind, children, { processes: 3, writes: 100 }));

  it("keeps what was acknowledged when ten writers are killed", async () => {
    expect(await killWriters(kind, children, 10)).toBeGreaterThan(10);
  });
});
