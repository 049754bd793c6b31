import { describe, expect, it } from "vitest";
import { measureRedaction } from "./redaction.ts";

describe("the measure of redaction", () => {
  const report = measureRedaction("nowhere");

  it("finds nine of ten secrets in every form", () => {
    for (const [form, share] of Object.entries(report.forms.byForm))
      expect(Number(/= ([\d.]+) %/.exec(share)?.[1]), form).toBeGreaterThanOrEqual(90);
    expect(report.forms.total).toBeGreaterThan(10_000);
  });

  it("alters at most two in a hundred lines that only carry the words", () => {
    expect(report.innocent.total).toBeGreaterThanOrEqual(400);
    expect(report.innocent.rate).toBeLessThanOrEqual(0.02);
  });

  it("leaves out what needs data that is not there", () => {
    expect(report).not.toHaveProperty("dev");
    expect(report).not.toHaveProperty("realText");
  });
});
