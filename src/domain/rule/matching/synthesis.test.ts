import { describe, expect, it } from "vitest";
import { synthesiseCondition, type LabelledCall } from "./synthesis.ts";

const policy = { minCount: 3, minSessions: 2, proposePrecision: 0.25 };

const tries = (failed: boolean, ...each: readonly (readonly string[])[]): LabelledCall[] =>
  each.map((traits, at) => ({ failed, session: `s${at % 4}`, traits: new Set(traits) }));

const times = (count: number, traits: readonly string[]) => Array.from({ length: count }, () => traits);

describe("the condition that tells failing calls from working ones", () => {
  it("is the one trait they have and the others lack", () => {
    const failed = tries(true, ...times(6, ["flag -A", "arg x"]));
    const worked = tries(false, ...times(20, ["arg x"]));
    expect(synthesiseCondition(failed, worked, policy)).toMatchObject({
      has: ["flag -A"],
      lacks: [],
      hits: 6,
      falseAlarms: 0,
    });
  });

  it("is a trait that is missing where the others have it", () => {
    const failed = tries(true, ...times(6, ["arg main"]));
    const worked = tries(false, ...times(6, ["arg main", "after git pull"]));
    expect(synthesiseCondition(failed, worked, policy)).toMatchObject({ has: [], lacks: ["after git pull"] });
  });

  it("takes two traits only where one does not do", () => {
    const failed = tries(true, ...times(8, ["flag -a", "flag -b"]));
    const worked = tries(false, ...times(20, ["flag -a"]), ...times(20, ["flag -b"]));
    expect(synthesiseCondition(failed, worked, policy)).toMatchObject({ has: ["flag -a", "flag -b"], falseAlarms: 0 });
  });

  it("is nothing at all where every call fails", () => {
    expect(synthesiseCondition(tries(true, ...times(5, ["arg x"])), [], policy)).toMatchObject({
      has: [],
      lacks: [],
      hits: 5,
    });
  });

  it("is not found where nothing separates them", () => {
    const failed = tries(true, ...times(5, ["arg x"]));
    expect(synthesiseCondition(failed, tries(false, ...times(60, ["arg x"])), policy)).toBeNull();
  });

  it("does not rest on one session, nor on fewer failures than are asked for", () => {
    const alone = Array.from({ length: 9 }, () => ({ failed: true, session: "s", traits: new Set(["flag -A"]) }));
    expect(synthesiseCondition(alone, [], policy)).toBeNull();
    expect(synthesiseCondition(tries(true, ...times(2, ["flag -A"])), [], policy)).toBeNull();
  });

  it("never names what only one case lacked", () => {
    const failed = tries(true, ...times(4, ["flag -x"]));
    const worked = tries(false, ["flag -x", "arg one.py"], ["flag -x", "arg two.py"]);
    expect(synthesiseCondition(failed, worked, policy)?.lacks).toEqual([]);
  });

  it("is the same whatever the order of the calls", () => {
    const failed = tries(true, ...times(5, ["flag -b", "flag -a"]));
    const worked = tries(false, ...times(30, ["arg x"]));
    expect(synthesiseCondition(failed.toReversed(), worked.toReversed(), policy)).toEqual(
      synthesiseCondition(failed, worked, policy),
    );
  });

  it("rests on just as many failures and sessions as are asked for", () => {
    const failed = tries(true, ...times(3, ["flag -A"]));
    expect(synthesiseCondition(failed, [], policy)?.hits).toBe(3);
    const two = failed.map((one, at) => ({ ...one, session: `s${at % 2}` }));
    expect(synthesiseCondition(two, [], policy)?.hits).toBe(3);
    expect(synthesiseCondition(failed, [], { ...policy, minSessions: 4 })).toBeNull();
  });

  it("is a finding from the precision on that is asked for", () => {
    const failed = tries(true, ...times(5, ["arg x"]));
    const { lower } = synthesiseCondition(failed, [], policy) ?? { lower: 0 };
    expect(lower).toBeCloseTo(0.566, 3);
    expect(synthesiseCondition(failed, [], { ...policy, proposePrecision: lower })).not.toBeNull();
    expect(synthesiseCondition(failed, [], { ...policy, proposePrecision: lower + 0.001 })).toBeNull();
  });

  it("has at most three traits", () => {
    const all = ["flag -a", "flag -b", "flag -c", "flag -d"];
    const worked = all.flatMap((missing) =>
      times(
        20,
        all.filter((flag) => flag !== missing),
      ),
    );
    const found = synthesiseCondition(tries(true, ...times(60, all)), tries(false, ...worked), {
      ...policy,
      proposePrecision: 0,
    });
    expect(found?.has).toHaveLength(3);
    expect(found?.falseAlarms).toBe(20);
  });

  it("takes no further trait that gains next to nothing", () => {
    const failed = tries(true, ...times(20, ["flag -a", "flag -b"]), ...times(20, ["flag -b"]));
    const worked = tries(false, ...times(21, ["flag -a", "flag -b"]), ...times(19, ["flag -b"]));
    expect(synthesiseCondition(failed, worked, policy)).toMatchObject({
      has: [],
      lacks: [],
      hits: 40,
      falseAlarms: 40,
    });
  });

  it("takes no further trait where it is sure already", () => {
    const failed = tries(true, ...times(200, ["flag -a", "flag -b"]));
    const worked = tries(false, ...times(3, ["flag -a"]), ...times(200, ["flag -c"]));
    expect(synthesiseCondition(failed, worked, policy)).toMatchObject({ has: ["flag -b"] });
    expect(synthesiseCondition(failed, tries(false, ...times(3, ["flag -c"])), policy)).toMatchObject({
      has: [],
      falseAlarms: 3,
    });
  });

  it("takes away what a later trait made needless", () => {
    // Alone, -a separates best; together with -b and -c it adds nothing.
    const failed = tries(true, ...times(20, ["flag -a", "flag -b", "flag -c"]), ...times(2, ["flag -b", "flag -c"]));
    const worked = tries(
      false,
      ...times(12, ["flag -a", "flag -b"]),
      ...times(12, ["flag -a", "flag -c"]),
      ...times(40, ["flag -b"]),
      ...times(40, ["flag -c"]),
    );
    expect(synthesiseCondition(failed, worked, policy)).toMatchObject({
      has: ["flag -b", "flag -c"],
      hits: 22,
      falseAlarms: 0,
    });
  });

  it("takes of equally good traits what covers more, then what is there before what is missing, then the first", () => {
    const worked = tries(false, ...times(20, ["arg x", "flag -z"]));
    const both = tries(true, ...times(6, ["flag -b", "flag -a", "arg x"]));
    expect(synthesiseCondition(both, worked, policy)).toMatchObject({ has: ["flag -a"], lacks: [] });
    expect(synthesiseCondition(tries(true, ...times(6, ["zone", "arg x"])), worked, policy)).toMatchObject({
      has: ["zone"],
    });
    const some = tries(true, ...times(6, ["flag -b", "arg x"]), ...times(3, ["flag -b", "flag -a", "arg x"]));
    expect(synthesiseCondition(some, worked, policy)).toMatchObject({ has: ["flag -b"], hits: 9 });
  });

  it("names something missing only where most of those that worked have it, and only where it is said of one call", () => {
    const failed = tries(true, ...times(8, ["arg main"]));
    const worked = (having: number, trait: string) =>
      tries(false, ...times(having, ["arg main", trait]), ...times(8 - having, ["arg main"]));
    const lacks = (having: number, trait: string) => synthesiseCondition(failed, worked(having, trait), policy)?.lacks;
    expect(lacks(4, "flag -x")).toEqual(["flag -x"]);
    expect(lacks(3, "flag -x")).toEqual([]);
    expect(lacks(8, "arg x")).toEqual([]);
    expect(lacks(8, "not in x")).toEqual([]);
    for (const kind of ["flag", "field", "program", "under", "enters", "in", "after"])
      expect(lacks(8, `${kind} x`)).toEqual([`${kind} x`]);
  });

  it("passes over a trait of a single session for one that several have", () => {
    const failed: readonly LabelledCall[] = Array.from({ length: 8 }, (_, at) => ({
      failed: true,
      session: at < 5 ? "s0" : `s${at}`,
      traits: new Set(at < 5 ? ["flag -once", "flag -often"] : ["flag -often"]),
    }));
    const worked = tries(false, ...times(2, ["flag -often"]), ...times(30, ["arg x"]));
    expect(synthesiseCondition(failed, worked, policy)).toMatchObject({
      has: ["flag -often"],
      hits: 8,
      falseAlarms: 2,
    });
  });
});
