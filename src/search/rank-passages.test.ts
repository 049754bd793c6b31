import { describe, expect, it } from "vitest";
import { type PassageCandidate, rankPassages } from "./rank-passages.ts";
import { passageWeights } from "./weights.ts";

const spread = { mean: 0.07, deviation: 0.08 };
const minilm = { spread, related: 0.28 };

function ranked(candidates: readonly PassageCandidate[], judging: Parameters<typeof rankPassages>[1] = minilm) {
  return rankPassages(candidates, judging, passageWeights).map((one) => one.id);
}

describe("ranking passages", () => {
  it("puts what means the question before what shares a word by chance", () => {
    const meant = { id: 1, words: 0, meaning: 0.45 };
    const chance = { id: 2, words: 0.25, meaning: 0.3 };
    expect(ranked([chance, meant])).toEqual([1, 2]);
  });

  it("puts a name that was asked for before what is merely near", () => {
    const named = { id: 1, words: 0.9, meaning: 0.3 };
    const near = { id: 2, words: 0, meaning: 0.5 };
    expect(ranked([near, named])).toEqual([1, 2]);
  });

  it("counts one that is near to everything less", () => {
    const hub = { id: 1, words: 0, meaning: 0.42, crowding: 0.8 };
    const alone = { id: 2, words: 0, meaning: 0.38, crowding: 0.3 };
    expect(ranked([hub, alone])).toEqual([2, 1]);
    // Not among the nearest, so its crowding is unknown: it counts as the most crowded.
    expect(ranked([hub, { id: 3, words: 0, meaning: 0.3 }])).toEqual([1, 3]);
  });

  it("answers nothing where nothing is near enough and no words tell", () => {
    expect(
      ranked([
        { id: 1, words: 0.3, meaning: 0.27 },
        { id: 2, words: 0, meaning: 0.2 },
      ]),
    ).toEqual([]);
  });

  it("once something is near enough, also answers with what is a little less near, and with nothing far", () => {
    expect(
      ranked([
        { id: 1, words: 0, meaning: 0.29 },
        { id: 2, words: 0, meaning: 0.2 },
        { id: 3, words: 0, meaning: 0.1 },
      ]),
    ).toEqual([1, 2]);
  });

  it("goes by words, and by any of them, where there is no meaning or the vectors know nothing", () => {
    const hits = [
      { id: 1, words: 0.2, meaning: null },
      { id: 2, words: 0.9, meaning: null },
      { id: 3, words: 0, meaning: null },
    ];
    expect(ranked(hits, { spread: null, related: null })).toEqual([2, 1]);
    const senseless = [
      { id: 1, words: 0.2, meaning: 0.9 },
      { id: 2, words: 0.9, meaning: 0.05 },
      { id: 3, words: 0, meaning: 0.95 },
    ];
    expect(ranked(senseless)).toEqual([2, 1]);
  });

  it("judges one without a vector by its words", () => {
    const pending = { id: 1, words: 0.2, meaning: null };
    expect(ranked([pending, { id: 2, words: 0, meaning: 0.1 }])).toEqual([1]);
  });

  it("of a model whose scale nobody knows, leaves nothing out", () => {
    const far = { id: 1, words: 0, meaning: 0.01 };
    expect(ranked([far], { spread, related: null })).toEqual([1]);
  });

  it("calls only what is very near sure, and keeps any shared word for who chooses among them", () => {
    const all = [
      { id: 1, words: 0, meaning: 0.5 },
      { id: 2, words: 0, meaning: 0.3 },
      { id: 3, words: 0.1, meaning: 0.05 },
    ];
    const fits = rankPassages(all, { ...minilm, anyWord: true }, passageWeights).map((one) => [one.id, one.fit]);
    expect(fits).toEqual([
      [1, "sure"],
      [2, "near"],
      [3, "words"],
    ]);
  });
});
