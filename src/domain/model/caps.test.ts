import { describe, expect, it } from "vitest";
import { defaultDayCap, explainCapHit, explainCapHitWithCommand, checkCap, markUnpriced, warnOfCap } from "./caps.ts";
import { toNanos } from "./money.ts";

const cap = { ...defaultDayCap, limit: 0.1 };
const budget = (spent: number, reserved: number, lost = 0) => ({
  spent: toNanos(spent),
  reserved: toNanos(reserved),
  lost: toNanos(lost),
});

describe("the warning of a cap", () => {
  it("counts settled money: what calls under way reserve mostly comes back", () => {
    expect(warnOfCap(cap, budget(0.027, 0.06), "2026-11-17")).toBeNull();
    expect(warnOfCap(cap, budget(0.081, 0), "2026-11-17")).toMatch(
      /^81 % of the cap day is used: \$0\.081 spent, of \$0\.10;/,
    );
  });

  it("does not call lost money spent: the words are those of models caps", () => {
    expect(warnOfCap(cap, budget(0.068, 0, 0.283), "2026-11-17")).toMatch(
      /^250 % of the cap day is used: \$0\.068 spent and up to \$0\.18 lost with processes that ended, of \$0\.10;/,
    );
  });
});

describe("the sentence of a call that a cap stopped", () => {
  it("leaves the command to the hint, so that it stands there once", () => {
    const hit = checkCap(cap, budget(0.09, 0), toNanos(0.02), "2026-11-17");
    expect(hit?.extend).toBe("oldhand models caps extend day 0.10");
    expect(hit === null ? "" : explainCapHit(hit)).not.toContain("oldhand models caps");
  });

  it("proposes enough for this call and the next ones, so that the work goes on", () => {
    const large = { ...cap, limit: 0.95 };
    const hit = checkCap(large, budget(0.948, 0), toNanos(0.0473), "2026-11-17");
    expect(hit === null ? "" : explainCapHitWithCommand(hit)).toMatch(
      /this call may cost up to \$0\.048; to allow it and 4 more like it: oldhand models caps extend day 0\.24$/,
    );
    const amount = 0.24;
    let [spent, calls] = [0.948, 0];
    for (
      ;
      checkCap({ ...large, limit: 0.95 + amount }, budget(spent, 0), toNanos(0.0473), "2026-11-17") === null;
      calls++
    )
      spent += 0.0473;
    expect(calls).toBe(5);
  });

  it("proposes this call alone if its price is unknown, because the name may be wrong", () => {
    const hit = checkCap(cap, budget(0.09, 0), toNanos(0.02), "2026-11-17");
    const unpriced = hit === null ? null : markUnpriced(hit, "anthropic/claud");
    expect(unpriced).toMatchObject({ unpriced: "anthropic/claud", extend: "oldhand models caps extend day 0.020" });
  });

  it("proposes what is missing if more than the cap is used", () => {
    const hit = checkCap(cap, budget(0.13, 0), toNanos(0.02), "2026-11-17");
    expect(hit === null ? "" : explainCapHitWithCommand(hit)).toMatch(
      /; to allow it and 4 more like it: oldhand models caps extend day 0\.13$/,
    );
  });
});
