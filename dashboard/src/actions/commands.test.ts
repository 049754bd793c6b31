import { describe, expect, it } from "vitest";
import type { Subject } from "./action.ts";
import { needsConfirmation, needsDialog } from "./action.ts";
import { listActions } from "./applicable.ts";
import { commandsFor } from "./commands.ts";
import { declaredActions } from "./declared.ts";
import { fieldLabel, readForm } from "./form-values.ts";
import { listUndoableChanges } from "./run-action.ts";
import { newSubject } from "./subjects.ts";

const rule = (status: string, over: object = {}): Subject => ({
  on: "rule",
  id: "r_1",
  title: "use pnpm",
  state: { status, level: "nudge", pinned: false, ...over },
});
const labels = (subject: Subject) => listActions(subject).map(({ label }) => label);

describe("the actions of a thing", () => {
  it("are those that have something to decide, as it stands", () => {
    expect(labels(rule("candidate"))).toEqual(["Approve", "Reject", "Mute", "Pin", "Edit", "Merge others into it"]);
    expect(labels(rule("approved", { level: "deny", pinned: true }))).toEqual([
      "Reject",
      "Mute",
      "Unpin",
      "Retire",
      "Edit",
      "Merge others into it",
      "Let it be passed once",
    ]);
  });

  it("are other ones where nothing is named: what makes something new", () => {
    expect(labels(newSubject("ledger"))).toEqual(["Write a mistake", "Write a win"]);
    expect(labels(newSubject("rule"))).toEqual(["Write a rule"]);
  });

  it("ask once more where there is no single way back", () => {
    const asking = declaredActions.filter(needsConfirmation).map(({ route }) => route);
    expect(asking).toContain("working/clear");
    expect(asking).toContain("distil");
    expect(asking).not.toContain("rules/reject");
  });

  it("run at once where they only have flags that may be left out", () => {
    const withDialog = declaredActions.filter(needsDialog).map(({ route }) => route);
    expect(withDialog).not.toContain("rules/approve");
    expect(withDialog).toContain("rules/edit");
    expect(withDialog).toContain("maintain");
  });
});

describe("the commands of a place", () => {
  it("name what is on the page first, then what can be done anywhere", () => {
    const names = commandsFor(rule("candidate")).map(({ label }) => label);
    expect(names[0]).toBe("Approve (this rule)");
    expect(names).toContain("Write a memory");
    expect(names).toContain("Look for new rules");
    expect(commandsFor(null).map(({ label }) => label)).not.toContain("Approve (this rule)");
  });
});

describe("a form", () => {
  const edit = declaredActions.find(({ route }) => route === "rules/edit");
  const read = (fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return readForm(edit?.inputs ?? [], { ...rule("candidate"), state: { text: "old", level: "nudge" } }, form);
  };

  it("says only what was changed, and nothing that is empty", () => {
    expect(read({ text: "old", level: "deny", command: "" })).toEqual({ level: "deny" });
    expect(read({ text: " new ", level: "nudge" })).toEqual({ text: "new" });
    expect(read({ text: "two\nlines\n", level: "nudge", exact: "yes" })).toEqual({ text: "two\nlines\n", exact: true });
  });

  it("of something new says also what it was filled with", () => {
    const form = new FormData();
    for (const [name, value] of [
      ["text", "use pnpm"],
      ["command", "npm ci"],
    ] as const)
      form.set(name, value);
    const learn = declaredActions.find(({ route }) => route === "learn");
    const subject = newSubject("rule", { state: { command: "npm ci" } });
    expect(readForm(learn?.inputs ?? [], subject, form)).toEqual({ text: "use pnpm", command: "npm ci" });
  });

  it("calls its inputs by readable names", () => {
    expect(fieldLabel("shouldHave")).toBe("Should have");
  });
});

describe("the changes that an answer names", () => {
  const action = (undo: "change" | "changes" | null) => ({ ...declaredActions[0]!, undo });

  it("are numbers or whole changes, one or many, or none", () => {
    expect(listUndoableChanges(action("change"), { change: 7 })).toEqual([7]);
    expect(listUndoableChanges(action("change"), { change: { id: 8 } })).toEqual([8]);
    expect(listUndoableChanges(action("changes"), { changes: [{ id: 8 }, { id: 9 }] })).toEqual([8, 9]);
    expect(listUndoableChanges(action("change"), { change: null })).toEqual([]);
    expect(listUndoableChanges(action(null), { change: 7 })).toEqual([]);
  });
});
