import { describe, expect, it } from "vitest";
import { getCountedTexts } from "./counted-texts.ts";
import { type GatheredEvents, type EventLine, rankEvents, makeWordsOnlyWeights } from "./rank-events.ts";
import { eventWeights } from "./weights.ts";

interface Said {
  readonly session: string;
  readonly text: string;
  readonly rest?: string;
  readonly cosine?: number;
}

/** What a search would gather for these words, with equal weights. */
function gathered(
  words: readonly string[],
  said: readonly Said[],
  spread: GatheredEvents["spread"] = null,
): GatheredEvents {
  const texts = getCountedTexts({}, "said");
  for (const [id, { text, rest }] of said.entries()) texts.add(id, text, rest);
  const count = texts.counter(words);
  const sessions = [...new Set(said.map((one) => one.session))];
  const lines = said.map((one, id): EventLine => ({ id, session: one.session, ...count(id) }));
  return {
    terms: { words, counts: new Map(words.map((word) => [word, 2])), rows: 100, average: 6 },
    runs: sessions.map((session) => lines.filter((line) => line.session === session)),
    cosines: new Map(said.flatMap(({ cosine }, id) => (cosine === undefined ? [] : [[id, cosine] as const]))),
    spread,
  };
}

const order = (found: GatheredEvents, weights = eventWeights) => rankEvents(found, { weights }).map((one) => one.id);

const filler = (session: string, times: number): readonly Said[] =>
  Array.from({ length: times }, () => ({ session, text: "well that is that then" }));

describe("ranking what was gathered", () => {
  it("puts the session first that speaks of all words, where two lines have the same", () => {
    const found = gathered(
      ["lake", "boat"],
      [
        { session: "both", text: "we went to the lake" },
        ...filler("both", 7),
        { session: "both", text: "and there was a boat" },
        { session: "one", text: "we went to the lake" },
        ...filler("one", 8),
      ],
    );
    const bySession = order(found);
    expect(bySession.indexOf(0)).toBeLessThan(bySession.indexOf(9));
    // By its best line alone, the newer session would win.
    const byLine = order(found, { ...eventWeights, session: 0 });
    expect(byLine.indexOf(9)).toBeLessThan(byLine.indexOf(0));
  });

  it("prefers words that stand together as they were asked", () => {
    const found = gathered(
      ["cat", "food"],
      [
        { session: "a", text: "cat food is in the box that we got on friday at noon" },
        { session: "b", text: "cat is in the box that we got on friday at noon food" },
      ],
    );
    expect(order(found, makeWordsOnlyWeights(eventWeights))[0]).toBe(0);
  });

  it("counts what a text says besides as less", () => {
    const found = gathered(
      ["tests"].map((word) => word.slice(0, 4)),
      [
        { session: "a", text: "", rest: "run tests" },
        { session: "b", text: "run tests" },
      ],
    );
    expect(order(found)[0]).toBe(1);
  });

  it("tells what contains the words from what stands beside them and what is only near", () => {
    const found = gathered(
      ["lake"],
      [
        { session: "a", text: "to the lake", cosine: 0.5 },
        { session: "a", text: "it rained", cosine: 0.2 },
        { session: "b", text: "we swam", cosine: 0.6 },
      ],
      { mean: 0.1, deviation: 0.1 },
    );
    const by = new Map(rankEvents(found, { weights: eventWeights }).map((one) => [one.id, one.by]));
    expect(by).toEqual(
      new Map([
        [0, "words"],
        [1, "beside"],
        [2, "meaning"],
      ]),
    );
  });

  it("hears what is out of scope, and never answers with it", () => {
    const found = gathered(
      ["lake"],
      [
        { session: "a", text: "to the lake" },
        { session: "a", text: "it rained" },
      ],
    );
    const runs = found.runs.map((run) => run.map((line) => ({ ...line, contextOnly: line.id === 0 })));
    expect(order({ ...found, runs })).toEqual([1]);
  });
});
