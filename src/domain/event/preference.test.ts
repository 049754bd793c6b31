import { describe, expect, it } from "vitest";
import { computePreferenceKey, intersectPreferenceKeys, type Preference, findPreferences } from "./preference.ts";

const correcting = { corrects: true };
const asking = { corrects: false };

describe("a preference", () => {
  it.each([
    ["use pnpm, not npm", "use pnpm / npm"],
    ["No, use pnpm, not npm", "use pnpm / npm"],
    ["I told you: use pnpm, not npm!", "use pnpm / npm"],
    ["please use rg instead of grep", "use rg / grep"],
    ["Use `bun test` rather than `npm test`.", "use bun test / npm test"],
    ["instead of sed, use the Edit tool", "use Edit tool / sed"],
    ["Don't use npm here, use pnpm.", "use pnpm / npm"],
    ["Stop using npm. Use pnpm instead.", "use pnpm / npm"],
    ["we use pnpm, not npm", "use pnpm / npm"],
    ["you should use tabs and not spaces in this repo", "use tabs / spaces"],
    ["we don't use npm here", "use - / npm"],
    ["I'd prefer rg over grep", "use rg / grep"],
    ["prefer composition over inheritance", "use composition / inheritance"],
    ["don't use any in TypeScript", "use - / any in TypeScript"],
    ["don't use any comments", "use - / comments"],
    ["don't use --no-verify", "use - / --no-verify"],
    ["never run npm publish", "use - / npm publish"],
    ["do not commit", "avoid commit"],
    ["no, don't commit anything", "avoid commit anything"],
    ["never push to main", "avoid push to main"],
    ["Stop adding comments to the code", "avoid add comments to the code"],
    ["please don't add comments", "avoid add comments"],
    ["always run the tests before you commit", "always use the tests before you commit"],
    ["From now on always write a changelog entry", "always add a changelog entry"],
  ])("is stated, whoever hears it: %s", (text, expected) => {
    expect(findPreferences(text, asking).map(inShort)).toEqual([expected]);
  });

  it.each([
    ["no, use pnpm", "use pnpm / -"],
    ["no, we use pnpm for this", "use pnpm / -"],
    ["use mkdir instead", "use mkdir / -"],
    ["this repo uses pnpm", "use pnpm / -"],
    ["our project only uses yarn.", "use yarn / -"],
    ["no, pnpm instead of npm", "use pnpm / npm"],
    ["As I said, use the staging database", "use staging database / -"],
  ])("is stated only where something is corrected: %s", (text, expected) => {
    expect(findPreferences(text, correcting).map(inShort)).toEqual([expected]);
    expect(
      findPreferences(text, asking)
        .map(inShort)
        .filter((one) => one.endsWith("/ -")),
    ).toEqual([]);
  });

  it.each([
    // Questions.
    "can we use pnpm instead of npm?",
    "use pnpm, not npm?",
    "never push to main?",
    "But why do you think session logs shouldn't be overwritten?",
    "should we never commit to main?",
    "what are you doing?",
    "can we talk about what we're doing first?",
    // Requests for the current task.
    "can you remove the checkpoint_tests again",
    "don't fix anything, but just validate it works",
    "don't change anything",
    "don't do that",
    "don't check this in",
    "don't commit this yet",
    "let's not do the nuclear thing",
    "use the reviewer superpower on this",
    "no, use the other one",
    "use that instead",
    "no, revert those changes",
    "fix the test, the code is right",
    "respond directly to each pr review comment please",
    "use option 2, not option 1",
    "stop",
    "stop for a second",
    "never mind",
    "don't worry about the tests",
    "don't forget the changelog",
    // Statements.
    "we don't use the cache when the file is gone, right",
    "we use git add but don't change the local folder tree",
    "The function is defined in testenv.go but never called anywhere in the codebase.",
    "I don't think we need suffixes but instead we just use one branch",
    "the hook always fails on the second run",
    "it should never try to create a branch without a commit",
    "that is not correct, we don't gitignore the whole folder",
    "Operation stopped by hook: don't use npm, use pnpm",
    "<system-reminder>use pnpm, not npm</system-reminder>",
  ])("is not imagined: %s", (text) => {
    expect(findPreferences(text, correcting).map(inShort)).toEqual([]);
  });

  it("is not looked for in descriptions and pasted texts", () => {
    expect(findPreferences(`${"Build the importer. ".repeat(40)} Use pnpm, not npm.`, correcting)).toEqual([]);
  });

  it("keeps the user's own wording of it", () => {
    expect(findPreferences("No, please never push to main, ever!", correcting)).toMatchObject([
      { said: "never push to main" },
    ]);
  });

  it("takes no more than linear time on texts made to annoy", () => {
    for (const piece of ["no ", "use a not ", "don't use ", "instead of ", ", use ", " and never "])
      expect(() => findPreferences(piece.repeat(Math.floor(400 / piece.length)), correcting)).not.toThrow();
  });
});

describe("two preferences", () => {
  it.each([
    ["use pnpm, not npm", "don't use npm"],
    ["no, use pnpm", "we use pnpm, not npm"],
    ["do not commit", "please don't commit anything"],
    ["stop adding comments", "don't write comments in the code"],
    ["never push to main", "don't push to main"],
    ["always run the tests before committing", "always run all tests before committing"],
    ["always run ruff format before you commit", "you should always run ruff format before committing"],
    ["never push to main directly", "stop pushing to main"],
    ["never push straight to main", "you must never push to main"],
  ])("ask for the same: %s / %s", (a, b) => {
    expect(both(a, b)).not.toBeNull();
  });

  it.each([
    ["use pnpm, not npm", "use npm, not pnpm"],
    ["use pnpm, not npm", "use pnpm, not yarn"],
    ["don't add comments", "always add comments"],
    ["don't push to main", "don't push to the fork"],
    ["don't commit", "don't push"],
    ["don't run tests in parallel", "don't run tests on Windows"],
    ["always run the tests before committing", "always run the linter after editing"],
  ])("ask for two things: %s / %s", (a, b) => {
    expect(both(a, b)).toBeNull();
  });

  function both(a: string, b: string) {
    const [one, other] = [a, b].map((text) => findPreferences(text, correcting)[0]);
    return one === undefined || other === undefined
      ? expect.unreachable(`${a} / ${b}`)
      : intersectPreferenceKeys(computePreferenceKey(one), computePreferenceKey(other));
  }
});

function inShort(one: Preference): string {
  if (one.kind === "use") return `use ${one.use ?? "-"} / ${one.not ?? "-"}`;
  return `${one.kind} ${one.verb}${one.about === "" ? "" : ` ${one.about}`}`;
}
