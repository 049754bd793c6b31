import { describe, expect, it } from "vitest";
import type { Input, Mind, Output } from "../../src/index.ts";
import type { Operations } from "../../src/operation-types.ts";
import { type OperationMap, operations } from "../../src/operations.ts";

/** True only if both types are identical. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Assignable<A, B> = A extends B ? true : false;

/** The formats that can be imported are host names, known only at run time. */
type Loose = "import";

type DifferentOutput = {
  [Name in keyof OperationMap]: Same<OperationMap[Name]["output"], Operations[Name]["output"]> extends true
    ? never
    : Name;
}[keyof OperationMap];

type DifferentInput = {
  [Name in Exclude<keyof OperationMap, Loose>]: Same<
    OperationMap[Name]["input"],
    Operations[Name]["input"]
  > extends true
    ? never
    : Name;
}[Exclude<keyof OperationMap, Loose>];

type Ran<Name extends keyof Operations> = Awaited<ReturnType<typeof ran<Name>>>;
declare const mind: Mind;
function ran<Name extends keyof Operations>(...given: Parameters<typeof mind.run<Name>>) {
  return mind.run<Name>(...given);
}

/** Checked by the compiler: an entry that does not hold cannot be `true`. */
const laws = {
  "the library knows the operations of the table, and no others": true satisfies Same<
    keyof OperationMap,
    keyof Operations
  >,
  "every answer has the type of its schema": true satisfies Same<DifferentOutput, never>,
  "every input has the type of its schema": true satisfies Same<DifferentInput, never>,
  "what may be imported by the library may be imported": true satisfies Assignable<
    Operations["import"]["input"],
    OperationMap["import"]["input"]
  >,
  "an answer is typed by the operation's name": true satisfies Same<Ran<"match">, Output<"match">>,
  "rules have levels, not just words": true satisfies Same<
    Output<"rules list">[number]["level"],
    "watch" | "advise" | "nudge" | "ask" | "deny"
  >,
  "a name that is none is refused": true satisfies Same<Assignable<"rules lst", Parameters<Mind["run"]>[0]>, false>,
  "a wrong value is refused": true satisfies Same<Assignable<{ status: "aproved" }, Input<"rules list">>, false>,
  "what may be left out may be left out": true satisfies Assignable<{ query: "x" }, Input<"recall">>,
  "what must be given must be given": true satisfies Same<Assignable<Record<string, never>, Input<"learn">>, false>,
  "no input is needed where none is taken": true satisfies Assignable<
    [name: "status"],
    Parameters<typeof mind.run<"status">>
  >,
  "an input is needed where one must be given": true satisfies Same<
    Assignable<[name: "learn"], Parameters<typeof mind.run<"learn">>>,
    false
  >,
};

describe("the types of operations", () => {
  it.each(Object.entries(laws))("%s", (_law, holds) => {
    expect(holds).toBe(true);
  });

  it("names no operation twice for one surface", () => {
    const names = operations.flatMap((one) => one.surfaces.map((surface) => `${surface} ${one.name}`));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});
