import { describe, expect, it } from "vitest";
import { carryFilter, formatRange, makeFilterInput, type PageFilter, parseFilter, writeFilter } from "./page-filter.ts";

const NOW = Date.parse("2026-03-10T12:34:56Z");
const none: PageFilter = { range: { kind: "all" }, workspace: null };

describe("the filter of a page", () => {
  it("is read back from the address it was written to", () => {
    const filters: readonly PageFilter[] = [
      none,
      { range: { kind: "last", span: "7d" }, workspace: "/home/ada/a b&c" },
      { range: { kind: "between", from: "2026-01-01", to: "2026-01-31" }, workspace: null },
      { range: { kind: "between", from: null, to: "2026-01-31" }, workspace: "C:\\work" },
    ];
    for (const filter of filters) {
      const href = writeFilter("/sessions?host=codex", filter);
      expect(parseFilter(href.slice(href.indexOf("?")))).toEqual(filter);
      expect(href).toContain("host=codex");
    }
  });

  it("keeps a workspace readable in the address", () => {
    expect(writeFilter("/rules", { ...none, workspace: "/home/ada/billing" })).toBe(
      "/rules?workspace=/home/ada/billing",
    );
  });

  it("leaves a place in an older list behind", () => {
    expect(writeFilter("/history?before=12&at=x", none)).toBe("/history?at=x");
  });

  it("takes what is no time for no filter", () => {
    expect(parseFilter("?range=soon&from=never&workspace=")).toEqual(none);
  });

  it("goes with a link, unless the link says another", () => {
    const search = "?range=7d&workspace=/a&host=codex";
    expect(carryFilter("/rules", search)).toBe("/rules?range=7d&workspace=/a");
    expect(carryFilter("/sessions?workspace=/b", search)).toBe("/sessions?workspace=/b&range=7d");
    expect(carryFilter("/sessions?from=2026-01-01", search)).toBe("/sessions?from=2026-01-01&workspace=/a");
    expect(carryFilter("/rules", "")).toBe("/rules");
  });
});

describe("what operations are asked", () => {
  it("is nothing for all time and all workspaces", () => {
    expect(makeFilterInput(none, NOW)).toEqual({});
  });

  it("is the same for ten minutes, so that a page is not asked anew with every second", () => {
    const filter: PageFilter = { range: { kind: "last", span: "24h" }, workspace: "/a" };
    expect(makeFilterInput(filter, NOW)).toEqual({ since: "2026-03-09T12:30:00.000Z", workspace: "/a" });
    expect(makeFilterInput(filter, NOW + 4 * 60_000)).toEqual(makeFilterInput(filter, NOW));
  });

  it("takes both days of a range whole", () => {
    const { since = "", until = "" } = makeFilterInput(
      { range: { kind: "between", from: "2026-01-30", to: "2026-01-31" }, workspace: null },
      NOW,
    );
    expect(Date.parse(until) - Date.parse(since)).toBe(2 * 86_400_000 - 1);
  });
});

describe("the range in words", () => {
  it("names days with their year", () => {
    expect(formatRange({ kind: "all" })).toBe("All time");
    expect(formatRange({ kind: "all" }, 14)).toBe("Last 14 days");
    expect(formatRange({ kind: "last", span: "30d" })).toBe("Last 30 days");
    expect(formatRange({ kind: "between", from: "2026-01-05", to: "2026-01-31" })).toBe("5 Jan 2026 to 31 Jan 2026");
    expect(formatRange({ kind: "between", from: "2026-01-05", to: null })).toBe("Since 5 Jan 2026");
    expect(formatRange({ kind: "between", from: null, to: "2026-01-31" })).toBe("Until 31 Jan 2026");
  });
});
