import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, sample, wordsOnly } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace(wordsOnly);
});
afterEach(() => place.remove());

describe("a command in the warm program", () => {
  it.each([
    ["status", ["status"]],
    ["remember", ["remember", "The port is 5433."]],
    ["import", ["import", sample]],
    ["doctor", ["doctor"]],
  ])("%s has closed its mind when it is over, as the end of a process does", async (_, words) => {
    for (let nth = 0; nth < 3; nth++) {
      await place.run(words);
      // SQLite removes the files beside a database when the last connection closes.
      expect(readdirSync(place.home).filter((name) => name.startsWith("mind.db-"))).toEqual([]);
    }
  });
});
