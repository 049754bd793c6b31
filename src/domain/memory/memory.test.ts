import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { confirmMemory, contradictMemory, rewordMemory } from "./decisions.ts";
import { isVisibleTo, leastTrusted, type Memory, sweepMemory } from "./memory.ts";
import { defaultPolicy } from "../policy.ts";
import { textSimilarity } from "../text/similarity.ts";

const law = defaultPolicy.memory;
const DAY = 86_400_000;

const aMemory = (over: Partial<Memory> = {}): Memory => ({
  id: "m1",
  key: "m1",
  text: "x",
  kind: "learning",
  category: "meta",
  importance: 50,
  confidence: 0.5,
  tags: [],
  scope: { kind: "global" },
  origin: "agent",
  trust: "agent",
  supersedes: [],
  pinned: false,
  status: "active",
  createdAt: 0,
  ...over,
});

describe("confidence", () => {
  it("rises by a tenth, falls by fifteen hundredths, and stays between nothing and certainty", () => {
    expect(confirmMemory(aMemory(), law).confidence).toBe(0.6);
    expect(contradictMemory(aMemory(), law).confidence).toBe(0.35);
    expect(confirmMemory(aMemory({ confidence: 0.97 }), law).confidence).toBe(1);
    expect(contradictMemory(aMemory({ confidence: 0.05 }), law).confidence).toBe(0);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.array(fc.boolean()), (confidence, life) => {
        const end = life.reduce(
          (one, up) => (up ? confirmMemory : contradictMemory)(one, law),
          aMemory({ confidence }),
        );
        expect(end.confidence).toBeGreaterThanOrEqual(0);
        expect(end.confidence).toBeLessThanOrEqual(1);
        if (end.status === "active" && life.length > 0 && !life.at(-1))
          expect(end.confidence).toBeGreaterThanOrEqual(0.2);
      }),
    );
  });

  it("below a fifth archives, at exactly a fifth does not, and a confirmation brings it back", () => {
    expect(contradictMemory(aMemory({ confidence: 0.35 }), law)).toMatchObject({ confidence: 0.2, status: "active" });
    const gone = contradictMemory(aMemory({ confidence: 0.3 }), law);
    expect(gone).toMatchObject({ confidence: 0.15, status: "archived" });
    expect(confirmMemory(gone, law)).toMatchObject({ confidence: 0.25, status: "active" });
  });

  it("of a stale memory falls with every sweep, not only the first, until it is archived", () => {
    const lives: number[] = [];
    let memory = aMemory({ confidence: 0.9 });
    for (let sweep = 0; sweep < 10; sweep++) {
      memory = sweepMemory(memory, 0, law, 31 * DAY + sweep);
      lives.push(memory.confidence);
    }
    expect(lives).toEqual([0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1]);
    expect(memory.status).toBe("archived");
  });

  it("does not fall while there are signs of life, nor when pinned", () => {
    expect(sweepMemory(aMemory(), 10 * DAY, law, 39 * DAY).confidence).toBe(0.5);
    expect(sweepMemory(aMemory({ pinned: true }), 0, law, 400 * DAY).confidence).toBe(0.5);
  });
});

describe("trust and scope", () => {
  it("are the owner's for what the owner says in other words, and stay for the same words", () => {
    const memory = aMemory({ origin: "external", trust: "external", text: "x" });
    expect(rewordMemory(memory, " x\n")).toEqual(memory);
    expect(rewordMemory(memory, "y")).toMatchObject({ text: "y", origin: "owner", trust: "owner", confidence: 0.9 });
    expect(rewordMemory({ ...memory, confidence: 0.95 }, "y").confidence).toBe(0.95);
  });

  it("takes the least of a lineage", () => {
    expect(leastTrusted(["owner", "tool", "agent"])).toBe("tool");
    expect(leastTrusted(["owner", "external"])).toBe("external");
    expect(leastTrusted([])).toBe("owner");
  });

  it("holds everywhere, or in its own place alone", () => {
    expect(isVisibleTo({ kind: "global" }, {})).toBe(true);
    expect(isVisibleTo({ kind: "workspace", name: "/a" }, { workspace: "/a" })).toBe(true);
    expect(isVisibleTo({ kind: "workspace", name: "/a" }, { workspace: "/b", goal: "/a", agent: "/a" })).toBe(false);
    expect(isVisibleTo({ kind: "workspace", name: "" }, { workspace: "" })).toBe(false);
  });
});

describe("similarity", () => {
  it("is whole for the same words, and never outside nothing and one", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 12 }), fc.lorem({ maxCount: 12 }), (a, b) => {
        const there = textSimilarity(a, b);
        expect(there).toBeGreaterThanOrEqual(0);
        expect(there).toBeLessThanOrEqual(1);
        expect(textSimilarity(a, a)).toBe(1);
      }),
    );
  });

  it.each([
    ["The owner prefers Rust", "owner prefers rust.", true],
    ["Deploys run on Fridays", "Deploys run on Friday", true],
    ["The owner prefers Rust", "The owner prefers Go", false],
    ["Retry 3 times", "Retry 5 times", false],
    ["Use tabs in Makefiles", "Never use tabs in Makefiles", false],
  ])("takes %j and %j for the same: %j", (a, b, same) => {
    expect(textSimilarity(a, b) >= law.nearDuplicate).toBe(same);
  });
});
