import { expect, it } from "vitest";
import { newPlace } from "../program.ts";

it("bench commands measures each command beside a bare Node, up to the first answer of MCP", async () => {
  const place = newPlace();
  const words = ["bench", "commands", "--rounds", "1", "--stored", "10"];
  const report = await place.json<{ bareNodeMs: number; rows: { command: string; ratio: number }[] }>(words);
  place.remove();
  expect(report.bareNodeMs).toBeGreaterThan(0);
  expect(report.rows.map((row) => row.command)).toEqual([
    "--version",
    "--help",
    "status",
    "rules",
    "report",
    "sessions",
    "config get distil.minCount",
    "mcp",
  ]);
  expect(report.rows.filter((row) => !(row.ratio > 0))).toEqual([]);
});
