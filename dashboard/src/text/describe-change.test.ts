import { describe, expect, it } from "vitest";
import { describeCause, describeChange, nameSubject } from "./describe-change.ts";

const rule = {
  text: "Use `docker compose`.",
  status: "candidate",
  level: "nudge",
  confidence: 0.6,
  evidence: { n: 1 },
};
const change = { noun: "rule", subject: "r_1", before: rule, after: rule, undoes: null, scrubbed: false };

describe("a change in words", () => {
  it("names the thing by its text", () => {
    expect(nameSubject(change)).toBe("Use `docker compose`.");
    expect(nameSubject({ ...change, noun: "mistake", before: null, after: { what: "pushed at once" } })).toBe(
      "pushed at once",
    );
    expect(nameSubject({ ...change, noun: "identity", after: { file: "SOUL.md", text: "long" } })).toBe("SOUL.md");
    const proposal = { file: "SOUL.md", reason: "asked for twice" };
    expect(nameSubject({ ...change, noun: "identity-proposal", before: null, after: proposal })).toBe(
      "asked for twice",
    );
    expect(nameSubject({ ...change, before: null, after: null })).toBe("r_1");
  });

  it("says from what to what", () => {
    const after = { ...rule, status: "approved", confidence: 0.8 };
    expect(describeChange({ ...change, after })).toBe("candidate → approved, confidence 60 % → 80 %");
    expect(describeChange({ ...change, after, undoes: 4 })).toBe(
      "undone: candidate → approved, confidence 60 % → 80 %",
    );
  });

  it("does not spell out what is long", () => {
    const after = { ...rule, text: "Use `docker compose` with a space.", evidence: { n: 2, refs: ["a".repeat(40)] } };
    expect(describeChange({ ...change, after })).toBe("text changed, evidence changed");
  });

  it("says created, removed and forgotten", () => {
    expect(describeChange({ ...change, before: null })).toBe("created");
    expect(describeChange({ ...change, after: null })).toBe("removed");
    expect(describeChange({ ...change, before: null, after: null, scrubbed: true })).toBe("forgotten");
  });

  it("gives the cause, but not that an operation was run", () => {
    expect(describeCause({ kind: "operation", id: null, note: "5 failures in 5 sessions" })).toBe(
      "5 failures in 5 sessions",
    );
    expect(describeCause({ kind: "undo", id: null, note: null })).toBe("undo");
  });
});
