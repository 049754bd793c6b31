import { describe, expect, it } from "vitest";
import { type SearchCandidate, fuse } from "./fuse.ts";

const weights = { meaning: 0.8, importance: 0.15, confidence: 0.1, recency: 0.05, recencyDays: 30, again: 1 };

function order(candidates: readonly SearchCandidate[], spread: { mean: number; deviation: number } | null, over = {}) {
  return fuse(candidates, spread, { ...weights, ...over }).map((one) => one.id);
}

describe("joining what speaks for a candidate", () => {
  const hits = Array.from({ length: 12 }, (_, n) => ({ id: n + 1, words: 1 - n * 0.05 }));

  it("goes by words alone where there are no vectors", () => {
    expect(
      order(
        hits.map((hit) => ({ ...hit, meaning: null })),
        null,
      ),
    ).toEqual(hits.map((hit) => hit.id));
  });

  it("lets meaning lift what the words barely found, when it agrees with the words", () => {
    const agreeing = hits.map((hit) => ({ ...hit, meaning: hit.id === 12 ? 0.95 : 0.5 }));
    expect(order(agreeing, { mean: 0.1, deviation: 0.1 })[0]).toBe(1);
    expect(order(agreeing, { mean: 0.1, deviation: 0.1 }).indexOf(12)).toBeLessThan(8);
    expect(order([...agreeing, { id: 99, words: 0, meaning: 0.9 }], { mean: 0.1, deviation: 0.1 })).toContain(99);
  });

  it("does not listen to vectors for which the sure hits are like anything else", () => {
    const blind = hits.map((hit) => ({ ...hit, meaning: hit.id === 12 ? 0.9 : 0.1 }));
    expect(order(blind, { mean: 0.15, deviation: 0.3 })).toEqual(hits.map((hit) => hit.id));
    expect(order(blind, { mean: 0.1, deviation: 0 })).toEqual(hits.map((hit) => hit.id));
  });

  it("keeps the first hit of nearly every question where the vectors are chance", () => {
    let state = 7;
    const chance = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return state / 0x7fff_ffff;
    };
    const deviation = 0.05;
    const questions = Array.from({ length: 1_000 }, () =>
      Array.from({ length: 40 }, (_, at) => ({
        id: at + 1,
        words: chance(),
        meaning: (chance() + chance() + chance() - 1.5) * 2 * deviation,
      })),
    );
    const moved = questions.filter((candidates) => {
      const [best] = candidates.toSorted((a, b) => b.words - a.words);
      return order(candidates, { mean: 0, deviation })[0] !== best?.id;
    });
    expect(moved.length).toBeLessThan(questions.length * 0.02);
  });

  it("listens to meaning alone where no word was found", () => {
    const found = [0.2, 0.6, 0.4].map((meaning, id) => ({ id, words: 0, meaning }));
    expect(order(found, { mean: 0.1, deviation: 0.1 })).toEqual([1, 2, 0]);
  });

  it("decides between equals by importance, confidence and age, and finds nothing by those alone", () => {
    const same = { words: 0.5, meaning: null };
    expect(
      order(
        [
          { id: 1, ...same, importance: 0.1 },
          { id: 2, ...same, importance: 0.9 },
        ],
        null,
      ),
    ).toEqual([2, 1]);
    expect(
      order(
        [
          { id: 1, ...same, confidence: 0.1 },
          { id: 2, ...same, confidence: 0.9 },
        ],
        null,
      ),
    ).toEqual([2, 1]);
    expect(
      order(
        [
          { id: 1, ...same, ageDays: 2 },
          { id: 2, ...same, ageDays: 400 },
        ],
        null,
      ),
    ).toEqual([1, 2]);
    expect(order([{ id: 1, words: 0, meaning: null, importance: 1 }], null)).toEqual([]);
  });

  it("gives other groups a turn before one group's third hit", () => {
    const found = [
      { id: 1, words: 1, meaning: null, group: "a" },
      { id: 2, words: 0.99, meaning: null, group: "a" },
      { id: 3, words: 0.98, meaning: null, group: "a" },
      { id: 4, words: 0.95, meaning: null, group: "b" },
    ];
    expect(order(found, null, { again: 0.97 })).toEqual([1, 2, 4, 3]);
  });
});
