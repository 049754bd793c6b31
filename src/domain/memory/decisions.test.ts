import { describe, expect, it } from "vitest";
import { unnamedAgent, owner } from "../actor.ts";
import { Refusal } from "../decision.ts";
import {
  archiveMemory,
  dismissMemory,
  editMemory,
  needsRoom,
  pinMemory,
  unpinMemory,
  vouchForMemory,
  withoutPredecessor,
} from "./decisions.ts";
import type { Memory } from "./memory.ts";

const aMemory = (over: Partial<Memory> = {}): Memory => ({
  id: "m1",
  key: "m1",
  text: "The build needs Node 20.",
  kind: "fact",
  category: null,
  importance: 50,
  confidence: 0.5,
  tags: [],
  scope: { kind: "global" },
  origin: "agent",
  trust: "agent",
  supersedes: [],
  pinned: false,
  status: "active",
  createdAt: 1,
  ...over,
});

describe("a decision about a memory", () => {
  it("is the owner's alone where it vouches or rewords", () => {
    expect(vouchForMemory(aMemory(), owner)).toEqual(aMemory({ trust: "owner" }));
    expect(vouchForMemory(aMemory(), unnamedAgent)).toBeInstanceOf(Refusal);
    expect(editMemory(aMemory(), { importance: 9 }, { kind: "agent", name: "owner" })).toBeInstanceOf(Refusal);
  });

  it("edited, only what was named changes; in the owner's words it is the owner's", () => {
    expect(editMemory(aMemory(), { importance: 9 }, owner)).toEqual(aMemory({ importance: 9 }));
    const words = { text: "The build needs Node 22.", origin: "owner", trust: "owner", confidence: 0.9 } as const;
    expect(editMemory(aMemory(), { text: " The build needs Node 22.\n" }, owner)).toEqual(aMemory(words));
  });

  it("pinned, it is known again; unpinned or archived, nothing else changes", () => {
    expect(pinMemory(aMemory({ status: "archived" }))).toEqual(aMemory({ pinned: true }));
    expect(unpinMemory(aMemory({ pinned: true }))).toEqual(aMemory());
    expect(archiveMemory(aMemory({ pinned: true }))).toEqual(aMemory({ pinned: true, status: "archived" }));
  });

  it("taken out of its file it is archived, unless it was unpinned meanwhile", () => {
    expect(dismissMemory(aMemory({ pinned: true }))).toEqual(aMemory({ status: "archived" }));
    expect(dismissMemory(aMemory())).toEqual(aMemory());
  });

  it("needs room in a file when it comes into it, or says something else there", () => {
    const pinned = aMemory({ pinned: true });
    expect(needsRoom(aMemory(), pinned)).toBe(true);
    expect(needsRoom(pinned, { ...pinned, text: "Another." })).toBe(true);
    expect(needsRoom(aMemory({ pinned: true, status: "archived" }), pinned)).toBe(true);
    expect(needsRoom(pinned, { ...pinned, importance: 9 })).toBe(false);
    expect(needsRoom(pinned, aMemory())).toBe(false);
  });

  it("names a forgotten one no longer", () => {
    expect(withoutPredecessor(aMemory({ supersedes: ["m0", "m2"] }), "m0").supersedes).toEqual(["m2"]);
  });
});
