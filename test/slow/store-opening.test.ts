import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Children, bundleChildren } from "../store/children.ts";
import { stores } from "../stores.ts";

const ROUNDS = 40;

describe.each(stores)("opening $name", (kind) => {
  let children: Children;
  beforeAll(async () => {
    children = await bundleChildren();
  });
  afterAll(() => children.remove());

  it(`never fails, when eight processes open a new database at once, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const place = await kind.fresh();
      const ended = await Promise.all(Array.from({ length: 8 }, () => children.run(["open", place.database])));
      expect(ended.map((one) => [...one.lines, one.stderr])).toEqual(Array.from({ length: 8 }, () => ["opened", ""]));
      await place.remove();
    }
  });
});
