import { describe, expect, it } from "vitest";
import { type ChanceCall, countChances } from "./chances.ts";

/** `render --dest` is the mistake. */
function callsOf(words: string): readonly ChanceCall[] {
  return words.split(" ").map((word) => ({
    key: word,
    isMistake: word.startsWith("wrong"),
    result: word.startsWith("right") ? "worked" : word.startsWith("unclear") ? "unclear" : "failed",
  }));
}

function counted(words: string, everyMistake = false): readonly [chances: number, mistakes: number] {
  const { chances, mistakes } = countChances(callsOf(words), { last: null, everyMistake });
  return [chances, mistakes];
}

describe("the chances of a session", () => {
  it.each([
    ["a mistake and its correction are one chance", "wrong1 right1", [1, 1]],
    ["retries are none, however often they fail", "wrong1 wrong2 other1 other2 right1", [1, 1]],
    ["the next thing is another chance", "wrong1 right1 right2", [2, 1]],
    ["a call that is repeated unchanged is one chance", "right1 right1 right1", [1, 0]],
    ["what is done right at once is a chance each", "right1 right2 right3", [3, 0]],
    ["other failures are retried too", "other1 right1 right2", [2, 0]],
  ] as const)("%s: %s", (_, words, expected) => expect(counted(words)).toEqual(expected));

  it("are the same if they are counted in two parts", () => {
    const calls = callsOf("wrong1 unclear1 right1 right2 right2 wrong2 right3");
    const whole = countChances(calls, { last: null, everyMistake: false });
    for (let at = 0; at <= calls.length; at++) {
      const first = countChances(calls.slice(0, at), { last: null, everyMistake: false });
      const second = countChances(calls.slice(at), { last: first.last, everyMistake: false });
      expect([first.chances + second.chances, first.mistakes + second.mistakes]).toEqual([
        whole.chances,
        whole.mistakes,
      ]);
    }
  });

  it("of a wish: each other call against it is a mistake, its correction is no chance", () => {
    expect(counted("wrong1 wrong2 right1", true)).toEqual([2, 2]);
    expect(counted("wrong1 wrong1 right1", true)).toEqual([1, 1]);
  });
});
