import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Actor, parseActor, formatActor, isOwner } from "./actor.ts";
import { originOf } from "./trust/trust.ts";

const kinds = ["owner", "hook", "maintenance", "import", "distil", "tool", "external"] as const;
const aName = fc.oneof(
  fc.string(),
  fc.constantFrom("", "owner", "agent", "hook", "agent owner", "worker 1", "agent agent owner", "owner on ada"),
);
const anActor: fc.Arbitrary<Actor> = fc.oneof(
  fc.constantFrom(...kinds).map((kind): Actor => ({ kind })),
  aName.map((name): Actor => ({ kind: "agent", name })),
  aName.map((id): Actor => ({ kind: "worker", id })),
  aName.map((machine): Actor => ({ kind: "owner", machine })),
);

describe("an actor", () => {
  it("is the same again when it is read from the journal's text", () => {
    fc.assert(
      fc.property(anActor, (actor) => {
        expect(parseActor(formatActor(actor))).toEqual(actor);
      }),
    );
  });

  it("has the text that older journals hold", () => {
    for (const text of [...kinds, "agent", "ci-bot"]) expect(formatActor(parseActor(text))).toBe(text);
  });

  it("is the owner by its kind alone, whatever an agent calls itself", () => {
    fc.assert(
      fc.property(anActor, (actor) => {
        expect(isOwner(actor)).toBe(actor.kind === "owner");
        expect(/^owner(?: on |$)/.test(formatActor(actor))).toBe(actor.kind === "owner");
      }),
    );
  });

  it("gives its origin to what it writes; only the owner's is the owner's", () => {
    expect(originOf({ kind: "owner" })).toBe("owner");
    expect(originOf({ kind: "agent", name: "owner" })).toBe("agent");
    expect(originOf({ kind: "tool" })).toBe("tool");
    expect(originOf({ kind: "import" })).toBe("external");
    expect(originOf({ kind: "worker", id: "w1" })).toBe("agent");
  });
});
