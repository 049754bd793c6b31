import { describe, expect, it } from "vitest";
import { type PastPrompt, spokenWords, wordFits } from "./word-fit.ts";

const memories = [
  { id: "db", text: "The staging DB is on port 5433" },
  { id: "bill", text: "Invoices are rendered with Typst" },
  { id: "env", text: "Secrets come from the environment of the runner" },
  { id: "table", text: "The table legacy_orders is read-only" },
];
const everyday = ["run the tests", "fix the build", "rename the variable", "add a button", "why does this fail"];

function asked(prompt: string, past: readonly PastPrompt[] = pastOf(everyday), among = memories): readonly string[] {
  return [...wordFits(prompt, among, past)].filter(([, fit]) => fit >= 1).map(([id]) => id);
}

function pastOf(prompts: readonly string[], given: readonly string[] = []): readonly PastPrompt[] {
  return prompts.map((text) => ({ words: spokenWords(text), given: new Set(given) }));
}

describe("which memories the words of a prompt ask for", () => {
  it("is asked for by one rare word, in whatever form", () => {
    expect(asked("connect to the staging database and count the users")).toEqual(["db"]);
    expect(asked("the invoice has the wrong font")).toEqual(["bill"]);
  });

  it("is asked for by a name, also inside a longer one", () => {
    expect(asked("how many rows are in legacy_orders?")).toEqual(["table"]);
  });

  it("is not asked for by everyday words", () => {
    expect(asked("run the tests on the new code and fix what is on the page")).toEqual([]);
    expect(asked("rename the variable a")).toEqual([]);
  });

  it("is no longer asked for by a word that the workspace keeps saying", () => {
    const often = pastOf(Array.from({ length: 10 }, (_, n) => `add the invoice field ${n}`));
    expect(asked("sort the invoice list", often)).toEqual([]);
  });

  it("is asked for again by the word that brought it up before", () => {
    const twice = pastOf(["which port is staging on?", "connect to staging"], ["db"]);
    expect(asked("dump the staging users", [...twice, ...pastOf(everyday)])).toEqual(["db"]);
  });

  it("takes a short form for the long one only beside another word", () => {
    expect(asked("which env does the runner have?")).toEqual(["env"]);
    expect(asked("env")).toEqual([]);
  });

  it("is not asked for by a word that is in many memories", () => {
    const many = Array.from({ length: 30 }, (_, n) => ({ id: `m${n}`, text: `Gearbox ${n} has ${n} teeth` }));
    expect(asked("draw the gearbox", pastOf(everyday), many)).toEqual([]);
  });

  it("asks for more of a long prompt: one of its many words is shared by chance", () => {
    const long = `${Array.from({ length: 60 }, (_, n) => `word${String.fromCharCode(97 + (n % 26))}${n}x`).join(" ")} staging`;
    expect(asked(long)).toEqual([]);
  });
});
