import { describe, expect, it } from "vitest";
import { composeMessage, type Part, type MessageSection } from "../../src/recall/compose-message.ts";

const part = (subject: string, says = subject.repeat(20)): Part => ({ kind: "rule", subject, says });
const section = (share: number, ...parts: readonly Part[]): MessageSection => ({ heading: "", parts, share });
const room = { characters: 102, already: new Set<string>() };
const subjects = (...sections: readonly MessageSection[]) =>
  composeMessage("", sections, room)?.parts.map(({ subject }) => subject) ?? [];

describe("a text of several sections", () => {
  it("gives each section no more than its share, also where there is room left", () => {
    expect(subjects(section(0.5, part("a"), part("b"), part("c"), part("d")))).toEqual(["a", "b"]);
    expect(subjects(section(1, part("a"), part("b"), part("c"), part("d"), part("e")))).toEqual(["a", "b", "c", "d"]);
  });

  it("gives a section what those before it left over", () => {
    expect(subjects(section(0.5, part("a")), section(0.2, part("b"), part("c"), part("d")))).toEqual(["a", "b", "c"]);
    expect(subjects(section(0.5, part("a"), part("b")), section(0.2, part("c"), part("d")))).toEqual(["a", "b", "c"]);
  });

  it("never exceeds the whole, whatever the shares add up to", () => {
    expect(subjects(section(1, part("a"), part("b"), part("c")), section(1, part("d"), part("e")))).toEqual([
      "a",
      "b",
      "c",
      "d",
    ]);
  });

  it("leaves out what the session was shown, and is nothing where nothing is left", () => {
    const already = new Set(["rule a"]);
    expect(composeMessage("head", [section(1, part("a", "x"), part("b", "y"))], { ...room, already })?.text).toBe(
      "head\ny",
    );
    expect(composeMessage("head", [section(1, part("a", "x"))], { ...room, already })).toBeNull();
  });
});
