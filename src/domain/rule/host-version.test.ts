import { describe, expect, it } from "vitest";
import {
  compareVersions,
  formatProvenance,
  computeVersionRanges,
  releaseOf,
  adjustForVersion,
} from "./host-version.ts";
import { defaultPolicy } from "../policy.ts";
import type { Rule } from "./rule.ts";

const policy = defaultPolicy.distil;
const rule = { confidence: 0.8, level: "nudge", status: "approved", pinned: false, origin: "tool" } as const;
const learned = computeVersionRanges([
  { host: "claude-code", version: "2.0.76" },
  { host: "claude-code", version: "2.1.9" },
]);

function shift(over: Partial<Rule>, now: readonly string[], ranges = learned) {
  return adjustForVersion({ ...rule, ...over }, { ranges, recent: new Map([["claude-code", now]]) }, policy);
}

describe("the version of a host", () => {
  it("is compared by its numbers, not by its letters", () => {
    expect(["2.10.1", "2.9.30", "v2.1.9", "0.166.0-alpha.2", "2.1.10"].toSorted(compareVersions)).toEqual([
      "0.166.0-alpha.2",
      "v2.1.9",
      "2.1.10",
      "2.9.30",
      "2.10.1",
    ]);
    expect([releaseOf("2.1.325"), releaseOf("v3"), releaseOf("0.166.0-alpha.2"), releaseOf("nightly")]).toEqual([
      "2.1",
      "3.0",
      "0.166",
      null,
    ]);
  });

  it("makes one range for each host, told beside hosts that tell none", () => {
    const ranges = computeVersionRanges([
      ...["0.50.1", "0.49.0"].map((version) => ({ host: "codex", version })),
      ...aClaude,
    ]);
    expect(ranges).toEqual([
      { host: "claude-code", lowest: "2.1.3", highest: "2.1.3" },
      { host: "codex", lowest: "0.49.0", highest: "0.50.1" },
    ]);
    expect(formatProvenance(["claude-code", "codex", "gemini"], ranges)).toBe(
      "claude-code 2.1.3, codex 0.49.0 to 0.50.1, gemini",
    );
  });
});

const aClaude = [{ host: "claude-code", version: "2.1.3" }];

describe("a rule whose hosts moved on", () => {
  it("loses this much, after this many sessions", () => {
    expect([policy.versionFade, policy.versionSessions]).toEqual([0.1, 3]);
    expect(shift({}, ["2.2.0", "2.2.0"])).toBeNull();
    expect(shift({}, ["2.2.1", "2.2.0", "2.2.0"])).toEqual({
      confidence: 0.7,
      level: "advise",
      status: "approved",
      doubt: { releases: { "claude-code": "2.2" }, confidence: 0.1, level: "nudge", status: "approved" },
      reason: "claude-code is now 2.2; its evidence is from claude-code 2.0.76 to 2.1.9",
    });
  });

  it("does not mind what is mended within a release, nor one session of another", () => {
    expect(shift({}, ["2.1.325", "2.1.325", "2.1.325"])).toBeNull();
    expect(shift({}, ["2.0.1", "2.0.1", "2.0.1"])).toBeNull();
    expect(shift({}, ["3.0.0", "3.0.0", "2.1.9"])).toBeNull();
  });

  it("fades for a release before its evidence as for one behind it", () => {
    expect(shift({}, ["1.9.0", "1.9.0", "1.9.0"])?.reason).toContain("claude-code is now 1.9");
  });

  it("insists a step less, but does not fall silent", () => {
    const next = ["3.0.0", "3.0.0", "3.0.0"];
    expect(
      (["watch", "advise", "nudge", "ask", "deny"] as const).map((level) => shift({ level }, next)?.level),
    ).toEqual(["watch", "advise", "advise", "nudge", "ask"]);
  });

  it("is a candidate again when little confidence is left", () => {
    expect(shift({ confidence: 0.35 }, ["3.0.0", "3.0.0", "3.0.0"])).toMatchObject({
      status: "candidate",
      confidence: 0.25,
      doubt: { status: "approved" },
    });
  });

  it("stays as it is where its owner wrote or pinned it, where no version is known, and once it has faded", () => {
    const next = ["3.0.0", "3.0.0", "3.0.0"];
    const doubt = { releases: { "claude-code": "2.2" }, confidence: 0.1, level: "nudge", status: "approved" } as const;
    expect(shift({ pinned: true }, next)).toBeNull();
    expect(shift({ origin: "owner" }, next)).toBeNull();
    expect(shift({ status: "dormant" }, next)).toBeNull();
    expect(shift({}, next, [])).toBeNull();
    expect(shift({ doubt }, next)).toBeNull();
  });

  it("holds while one of its hosts is what its evidence knows", () => {
    const ranges = computeVersionRanges([...aClaude, { host: "codex", version: "0.50.0" }]);
    const next = ["3.0.0", "3.0.0", "3.0.0"];
    const seen = (codex: readonly string[]) => ({
      ranges,
      recent: new Map([
        ["claude-code", next],
        ["codex", codex],
      ]),
    });
    expect(adjustForVersion(rule, seen(["0.50.3", "0.50.3", "0.50.3"]), policy)).toBeNull();
    expect(adjustForVersion(rule, seen(["0.51.0", "0.51.0", "0.51.0"]), policy)?.doubt?.releases).toEqual({
      "claude-code": "3.0",
      codex: "0.51",
    });
  });

  it("gets back what it lost with evidence from the new release, and keeps what was changed since", () => {
    const now = ["2.2.1", "2.2.1", "2.2.1"];
    const faded = shift({}, now);
    if (faded?.doubt == null) throw new Error("it fades");
    const { confidence, level, status, doubt } = faded;
    const wider = computeVersionRanges([...aClaude, { host: "claude-code", version: "2.2.0" }]);
    expect(shift({ confidence, level, status, doubt }, now, wider)).toMatchObject({
      confidence: 0.8,
      level: "nudge",
      status: "approved",
      doubt: null,
    });
    expect(shift({ confidence, level: "ask", status: "retired", doubt }, now, wider)).toMatchObject({
      level: "ask",
      status: "retired",
      doubt: null,
    });
  });
});
