import { describe, expect, it } from "vitest";
import { runLongSession } from "../converse/lab/long-session.ts";
import { stores } from "../stores.ts";

const SESSIONS = 50;

describe("50 long sessions with a model that forgets half", () => {
  it("answer at least 95 % of the planted facts from the compacted context, without a loop", async () => {
    let [facts, compactions] = [0, 0];
    const lost: string[] = [];
    const faults: string[] = [];
    for (let seed = 100; seed < 100 + SESSIONS; seed++) {
      const store = stores[seed % stores.length];
      if (store === undefined) throw new Error("there is no store");
      const one = await runLongSession(store, { seed, turns: 14 + (seed % 14), window: 12_000, lines: 130 });
      facts += one.facts;
      compactions += one.compactions;
      lost.push(...one.lost);
      faults.push(...one.faults.map((fault) => `seed ${seed}: ${fault}`));
    }
    process.stdout.write(`${facts - lost.length} of ${facts} facts after ${compactions} compactions\n`);
    expect(faults).toEqual([]);
    expect(1 - lost.length / facts, lost.join("\n")).toBeGreaterThanOrEqual(0.95);
  });
});
