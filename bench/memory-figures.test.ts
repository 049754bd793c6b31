import { describe, expect, it } from "vitest";
import { computeRecallFigures, leaveOneOut, type PromptResult, chooseThreshold } from "./memory-figures.ts";

function row(workspace: string, need: number, needs: readonly string[] = []): PromptResult {
  return {
    workspace,
    own: ["m1"],
    text: "",
    needs,
    shares: needs.length > 0 ? "word" : "nothing",
    weighed: { m1: need },
    shown: [],
  };
}
const quiet = Array.from({ length: 20 }, () => row("m a", 0.2));

describe("the figures of recall at a prompt", () => {
  it("choose the threshold that lets one of twenty needless prompts be shown something", () => {
    const threshold = chooseThreshold([...quiet.slice(2), row("m a", 0.9), row("m a", 3)]);
    expect(threshold).toBeGreaterThan(0.9);
    expect(threshold).toBeLessThan(1);
  });

  it("judge a workspace by what was chosen on the others", () => {
    const rows = leaveOneOut([...quiet, row("m b", 0.5, ["m1"]), row("m b", 0.4), row("m b", 0.1, ["m1"])]);
    expect(computeRecallFigures(rows.filter((one) => one.workspace === "m b"))).toMatchObject({
      needed: 2,
      shown: 1,
      unneeded: 1,
      unneededShown: 1,
    });
  });
});
