import { describe, expect, it } from "vitest";
import type { Stoppable } from "../../lib/stopped.ts";
import { newIdleLearner } from "./idle-learner.ts";

const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 20));

/** A slice that runs until it is stopped, or for this many steps. */
function slices(pieces: number) {
  const calls: string[] = [];
  const slice = async (stop: Stoppable) => {
    calls.push("began");
    for (let n = 0; n < pieces && !stop.aborted; n++) await soon();
    calls.push(stop.aborted ? "stopped" : "done");
    return stop.aborted;
  };
  return { calls, slice };
}

describe("a process that lives", () => {
  it("mines from its first hook on, once no hook comes", async () => {
    const { calls, slice } = slices(0);
    const learner = newIdleLearner(slice, 1);
    expect(await learner.around(async () => "answer")).toBe("answer");
    while (calls.length < 2) await soon();
    await learner.close();
    expect(calls).toEqual(["began", "done"]);
  });

  it("ends the piece it is at when a hook comes, and begins again after it", async () => {
    const { calls, slice } = slices(Infinity);
    const learner = newIdleLearner(slice, 1);
    await learner.around(soon);
    while (calls.length < 1) await soon();
    await learner.around(async () => {
      while (calls.length < 2) await soon();
      expect(calls).toEqual(["began", "stopped"]);
    });
    while (calls.length < 3) await soon();
    await learner.close();
    expect(calls).toEqual(["began", "stopped", "began", "stopped"]);
  });

  it("mines nothing while a hook is answered, and nothing after it was closed", async () => {
    const { calls, slice } = slices(0);
    const learner = newIdleLearner(slice, 1);
    await learner.around(async () => {
      await learner.around(soon);
      await soon();
      expect(calls).toEqual([]);
      await learner.close();
    });
    await soon();
    expect(calls).toEqual([]);
  });
});
