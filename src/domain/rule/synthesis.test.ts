import { describe, expect, it } from "vitest";
import { synthesise, type Tried } from "./synthesis.ts";

const policy = { minCount: 3, minSessions: 2, proposePrecision: 0.25 };

const tries = (failed: boolean, ...each: readonly (readonly string[])[]): Tried[] =>
  each.map((traits, at) => ({ failed, session: `s${at % 4}`, traits: new Set(traits) }));

const times = (count: number, traits: readonly string[]) => Array.from({ length: count }, () => traits);

describe("the condition that tells failing calls from working ones", () => {
  it("is the one trait they have and the others lack", () => {
    const failed = tries(true, ...times(6, ["flag -A", "arg x"]));
    const worked = tries(false, ...times(20, ["arg x"]));
    expect(synthesise(failed, worked, policy)).toMatchObject({ has: ["flag -A"], lacks: [], hits: 6, falseAlarms: 0 });
  });

  it("is a trait that is missing where the others have it", () => {
    const failed = tries(true, ...times(6, ["arg main"]));
    const worked = tries(false, ...times(6, ["arg main", "after git pull"]));
    expect(synthesise(failed, worked, policy)).toMatchObject({ has: [], lacks: ["after git pull"] });
  });

  it("takes two traits only where one does not do", () => {
    const failed = tries(true, ...times(8, ["flag -a", "flag -b"]));
    const worked = tries(false, ...times(20, ["flag -a"]), ...times(20, ["flag -b"]));
    expect(synthesise(failed, worked, policy)).toMatchObject({ has: ["flag -a", "flag -b"], falseAlarms: 0 });
  });

  it("is nothing at all where every call fails", () => {
    expect(synthesise(tries(true, ...times(5, ["arg x"])), [], policy)).toMatchObject({ has: [], lacks: [], hits: 5 });
  });

  it("is not found where nothing separates them", () => {
    const failed = tries(true, ...times(5, ["arg x"]));
    expect(synthesise(failed, tries(false, ...times(60, ["arg x"])), policy)).toBeNull();
  });

  it("does not rest on one session, nor on fewer failures than are asked for", () => {
    const alone = Array.from({ length: 9 }, () => ({ failed: true, session: "s", traits: new Set(["flag -A"]) }));
    expect(synthesise(alone, [], policy)).toBeNull();
    expect(synthesise(tries(true, ...times(2, ["flag -A"])), [], policy)).toBeNull();
  });

  it("never names what only one case lacked", () => {
    const failed = tries(true, ...times(4, ["flag -x"]));
    const worked = tries(false, ["flag -x", "arg one.py"], ["flag -x", "arg two.py"]);
    expect(synthesise(failed, worked, policy)?.lacks).toEqual([]);
  });

  it("is the same whatever the order of the calls", () => {
    const failed = tries(true, ...times(5, ["flag -b", "flag -a"]));
    const worked = tries(false, ...times(30, ["arg x"]));
    expect(synthesise(failed.toReversed(), worked.toReversed(), policy)).toEqual(synthesise(failed, worked, policy));
  });
});
