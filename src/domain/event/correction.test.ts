import { describe, expect, it } from "vitest";
import { findCorrection, mayBeCorrection, findRefusalWords } from "./correction.ts";

const afterWork = { lastOutcome: "ok", agentActed: true } as const;

describe("a user's correction", () => {
  it.each([
    "no, use pnpm",
    "always run the linter before you commit",
    "you should always run ruff format before committing",
    "you must never push to main",
    "From now on, always write a changelog entry",
    "No - the config lives in settings.json, not in package.json",
    "nope, the port should stay as it was",
    "hmm, no, I want the list sorted by date",
    "that's wrong, the branch is called trunk",
    "That is not correct. We do write the trailer.",
    "the second half is not correct, hooks run before the commit",
    "this isn't what I asked for",
    "not what I asked",
    "not as a comment, but as an attachment",
    "stop",
    "stop! read the file first",
    "please stop adding comments",
    "wait, why are the logs in two folders?",
    "don't commit anything",
    "do not stash, read what you need",
    "let's not rewrite all of it",
    "can we not check that folder in?",
    "revert that",
    "actually revert the commit, only open the ticket",
    "ok but undo your change to the header",
    "please change it back to the old author",
    "I've reverted your changes, do the first part only",
    "I said the staging server",
    "as I said, the tests run in CI",
    "I didn't ask for a new file",
    "I meant the left column",
    "I was talking about the footer",
    "you forgot the migration",
    "you missed one call site",
    "also, you marked 12 as done but it is still open",
    "you should have asked first",
    "why did you delete the fixture?",
    "why are you running it with sudo",
    "what are you doing?",
    "are you sure? look at the page again",
    "use rg instead of grep",
    "use the helper in text.ts instead",
    "it should not be in the header but below it",
    'the label should read "Save all", not "Save"',
    "i thought we no longer use that flag",
  ])("is recognised: %s", (prompt) => {
    expect(findCorrection(prompt, afterWork)).toEqual({ words: prompt });
  });

  it.each([
    "no",
    "no, that's fine",
    "no problem, go on",
    "no, let's continue",
    "no need to hurry",
    "commit and push",
    "yes please",
    "can you explain why the second test fails?",
    "add a login page. Don't use a UI library, and use tabs instead of spaces.",
    "let's do option 2",
    "what happens if the hook does not answer?",
    "stop hook prints an error, can you look into it?",
    "wait for CI, then merge",
    "don't forget the changelog",
    "do you think we should use a map instead?",
    "could we use the shared type here?",
    "I told them that we would ship on Monday, draft a mail to them",
    "not sure, what do you suggest?",
    "is this correct?",
    "Operation stopped by hook: no, you cannot",
    "<task-notification>no, use pnpm</task-notification>",
  ])("is not imagined: %s", (prompt) => {
    expect(findCorrection(prompt, afterWork)).toBeNull();
  });

  it("needs an agent that has acted: a first request corrects nothing", () => {
    expect(findCorrection("don't use npm here, use pnpm", { lastOutcome: null, agentActed: false })).toBeNull();
  });

  it("opens a long prompt, or is not looked for in it", () => {
    const plan = "Build the importer. ".repeat(40);
    expect(findCorrection(`no, start with the reader. ${plan}`, afterWork)).not.toBeNull();
    expect(findCorrection(`${plan} The old format is not correct for this.`, afterWork)).toBeNull();
  });

  it("is read more freely after a call was refused or interrupted", () => {
    const refused = { lastOutcome: "rejected", agentActed: true } as const;
    for (const prompt of ["let's cut a branch first", "fix the test, the code is right", "reply to each comment"]) {
      expect(findCorrection(prompt, afterWork), prompt).toBeNull();
      expect(findCorrection(prompt, refused), prompt).toEqual({ words: prompt });
      expect(mayBeCorrection(prompt), prompt).toBe(true);
    }
    expect(findCorrection("sorry, continue", refused)).toBeNull();
    expect(findCorrection("how do we know which one is active?", refused)).toBeNull();
  });

  it("reads to the end of texts made to annoy", () => {
    // Long enough for a quadratic algorithm to time out.
    const found = (piece: string) => findCorrection(piece.repeat(50_000), afterWork) !== null;
    const pieces = ["no ", "but ", "should be , not ", "you put ", "use ", "hm "];
    expect(pieces.filter(found)).toEqual(["no "]);
  }, 10_000);
});

describe("a refusal", () => {
  it("speaks with the user's words", () => {
    const call = { kind: "call", outcome: "rejected", text: " use the other script " } as const;
    expect(findRefusalWords(call)).toEqual({ words: "use the other script" });
  });

  it("may be silent, or carry only the host's words", () => {
    expect(findRefusalWords({ kind: "call", outcome: "rejected", text: null })).toBeNull();
    expect(
      findRefusalWords({ kind: "call", outcome: "rejected", text: "The user wants to clarify these questions." }),
    ).toBeNull();
    expect(findRefusalWords({ kind: "call", outcome: "failed", text: "use the other script" })).toBeNull();
  });
});
