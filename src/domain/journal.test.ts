import { describe, expect, it } from "vitest";
import { type Change, rebuildStates, isSameState, effectiveChanges, type State, planUndo } from "./journal.ts";

const change = (id: number, before: State | null, after: State | null, over: Partial<Change> = {}): Change => ({
  id,
  at: id,
  actor: "owner",
  cause: { kind: "person", id: null, note: null },
  noun: "rule",
  subject: "r1",
  before,
  after,
  undoes: null,
  undoneBy: null,
  scrubbed: false,
  ...over,
});
const made = change(1, null, { text: "a", level: "nudge" });
const edited = change(2, { text: "a", level: "nudge" }, { text: "b", level: "nudge" });
const raised = change(3, { text: "b", level: "nudge" }, { text: "b", level: "ask" });
const always = () => true;

describe("undoing a change", () => {
  it("puts back what was before, where nothing came after", () => {
    expect(planUndo(edited, [], [])).toEqual({ kind: "allowed", to: edited.before, over: [] });
    expect(planUndo(made, [], [])).toEqual({ kind: "allowed", to: null, over: [] });
  });

  it("is refused of what was forgotten, and of what is undone", () => {
    const final = { kind: "refused", why: "its contents were forgotten and cannot be restored", because: [] };
    expect(planUndo({ ...edited, scrubbed: true, undoneBy: 9 }, [], [])).toEqual(final);
    expect(planUndo({ ...edited, undoneBy: 9 }, [], [])).toEqual({
      kind: "refused",
      why: "it is already undone",
      because: ["change 9"],
      isDone: true,
    });
  });

  it("is refused where a later change stands, which is named, unless all of them give way", () => {
    const refused = { kind: "refused", why: "later changes depend on it", because: ["change 3", "change 4"] };
    const later = [raised, change(4, raised.after, { text: "b", level: "deny" })];
    expect(planUndo(edited, later, [])).toEqual(refused);
    expect(planUndo(edited, later, [], (one) => one.id === 3)).toEqual(refused);
    expect(planUndo(edited, later, [], (one, to) => one.id > to.id)).toEqual({
      kind: "allowed",
      to: { text: "a", level: "deny" },
      over: later,
    });
  });

  it("is refused where the subject is gone by now, also if what removed it gives way", () => {
    const removed = change(3, edited.after, null);
    expect(planUndo(edited, [removed], [], always)).toMatchObject({ kind: "refused", because: ["change 3"] });
  });

  it("does not mind later changes that were undone", () => {
    const back = change(4, raised.after, raised.before, { undoes: 3 });
    expect(planUndo(edited, [raised, back], [])).toEqual({ kind: "allowed", to: edited.before, over: [] });
  });

  it("is refused where the subject would vanish and others name it, and only then", () => {
    expect(planUndo(made, [], ["rule r2"])).toEqual({
      kind: "refused",
      why: "others refer to it",
      because: ["rule r2"],
    });
    expect(planUndo(edited, [], ["rule r2"]).kind).toBe("allowed");
  });

  it("takes what was made away with all that gave way since", () => {
    expect(planUndo(made, [raised], [], always)).toEqual({ kind: "allowed", to: null, over: [raised] });
  });

  it("brings back what was removed as it was, whatever gave way since", () => {
    const removed = change(2, { text: "a", level: "nudge" }, null);
    const again = change(3, null, { text: "c", level: "ask" });
    expect(planUndo(removed, [again], [], always)).toEqual({ kind: "allowed", to: removed.before, over: [again] });
  });

  it("puts back a field that it had taken away, and takes away one that it had added", () => {
    const swapped = change(2, { text: "a", doubt: 1 }, { text: "a", note: 2 });
    const later = change(3, swapped.after, { text: "z", note: 2 });
    expect(planUndo(swapped, [later], [], always)).toMatchObject({ to: { text: "z", doubt: 1 } });
    const { to } = planUndo(swapped, [later], [], always) as { readonly to: State };
    expect(Object.keys(to).toSorted()).toEqual(["doubt", "text"]);
  });
});

describe("the changes that stand", () => {
  it("are those that no standing change undid", () => {
    const undo = change(3, null, null, { undoes: 2 });
    const redo = change(4, null, null, { undoes: 3 });
    expect(effectiveChanges([made, edited, undo])).toEqual([made]);
    expect(effectiveChanges([made, edited, undo, redo])).toEqual([made, edited]);
  });

  it("hold an undo whose change came before them", () => {
    const undo = change(3, null, null, { undoes: 2 });
    expect(effectiveChanges([undo])).toEqual([undo]);
    expect(effectiveChanges([])).toEqual([]);
  });
});

describe("the mind as its journal tells it", () => {
  it("is what the last change left of each subject, by noun and id", () => {
    const other = change(4, null, { text: "m" }, { noun: "memory" });
    expect([...rebuildStates([made, edited, other])]).toEqual([
      ["rule r1", edited.after],
      ["memory r1", other.after],
    ]);
    expect([...rebuildStates([made, other, change(5, made.after, null)])]).toEqual([["memory r1", other.after]]);
  });

  it("is the same state in any order of its fields", () => {
    expect(isSameState({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(isSameState({ a: 1 }, { a: 2 })).toBe(false);
    expect(isSameState(null, null)).toBe(true);
    expect(isSameState({}, null)).toBe(false);
  });
});
