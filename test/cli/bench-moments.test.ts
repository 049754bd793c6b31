import { expect, it } from "vitest";
import { newPlace } from "../program.ts";

it(
  "bench hook --moments measures a session's start, stop and end in a new mind and in one that is all to be mined",
  {
    timeout: 300_000,
  },
  async () => {
    const place = newPlace();
    const ran = await place.run(["bench", "hook", "--moments", "--rounds", "1", "--json"]);
    place.remove();
    expect(ran.code, ran.stderr).toBe(0);
    const report = JSON.parse(ran.stdout) as {
      readonly isMiningLeft: boolean;
      readonly rows: readonly { readonly moment: string; readonly mind: string; readonly limitMs: number }[];
    };
    const [fresh, large] = ["new", "large, nothing of it mined"];
    expect(report.rows.map((row) => [row.moment, row.mind, row.limitMs])).toEqual([
      ["session start", fresh, 300],
      ["session start", large, 300],
      ["stop", fresh, 300],
      ["stop", large, 300],
      ["session end", fresh, 1_000],
      ["session end", large, 1_000],
    ]);
    expect(report.isMiningLeft).toBe(true);
  },
);
