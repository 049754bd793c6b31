import { describe, expect, it } from "vitest";
import { newPlace } from "../program.ts";

describe("bench dashboard", () => {
  it("fills minds, opens every view of each in a real browser, and compares them", { timeout: 300_000 }, async () => {
    const place = newPlace();
    const ran = await place.run(["bench", "dashboard", "--sizes", "500,2000", "--rounds", "1", "--json"]);
    place.remove();
    expect(ran.code, ran.stderr).toBe(0);
    const report = JSON.parse(ran.stdout) as {
      readonly minds: readonly { readonly events: number; readonly stopMs: number; readonly views: object }[];
      readonly growth: { readonly views: Readonly<Record<string, number>> };
    };
    expect(report.minds.map((mind) => mind.events)).toEqual([500, 2000]);
    const views = [
      "failures",
      "history",
      "hosts",
      "identity",
      "ledger",
      "memory",
      "review",
      "rule",
      "rules",
      "session",
      "sessions",
      "today",
    ];
    for (const mind of report.minds) expect(Object.keys(mind.views).toSorted()).toEqual(views);
    expect(Object.values(report.growth.views).every((growth) => growth > 0)).toBe(true);
  });
});
