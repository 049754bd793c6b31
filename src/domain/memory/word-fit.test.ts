import { describe, expect, it } from "vitest";
import { scoreNeed } from "./meaning-fit.ts";
import { type PastPrompt, extractPromptWords, scoreWordFits } from "./word-fit.ts";

const memories = [
  { id: "db", text: "The staging DB is on port 5433" },
  { id: "bill", text: "Invoices are rendered with Typst" },
  { id: "env", text: "Secrets come from the environment of the runner" },
  { id: "table", text: "The table legacy_orders is read-only" },
];
const everyday = Array.from({ length: 8 }, () => [
  "run the tests",
  "fix the build",
  "rename the variable",
  "add a button",
  "why does this fail",
]).flat();

function asked(prompt: string, past: readonly PastPrompt[] = pastOf(everyday), among = memories): readonly string[] {
  return [...scoreWordFits(prompt, among, past)]
    .filter(
      ([, fit]) =>
        scoreNeed({ words: fit, out: null, here: null, anywhere: false, ofAnywhere: false, past: past.length }) >= 1,
    )
    .map(([id]) => id);
}

function pastOf(prompts: readonly string[], given: readonly string[] = []): readonly PastPrompt[] {
  return prompts.map((text) => ({ words: extractPromptWords(text), given: new Set(given) }));
}

describe("which memories the words of a prompt ask for", () => {
  it("is asked for by one rare word, in whatever form", () => {
    expect(asked("connect to the staging database and count the users")).toEqual(["db"]);
    expect(asked("the invoice has the wrong font")).toEqual(["bill"]);
  });

  it("is asked for by a name, also inside a longer one", () => {
    expect(asked("how many rows are in legacy_orders?")).toEqual(["table"]);
  });

  it("is asked for by its subject and by a name, not by a word that stands beside them", () => {
    const among = [
      { id: "alert", text: "Alerts about the turbine go to the channel of Marlene, with a harpoon and a lantern" },
    ];
    expect(asked("make an alert for the queue", pastOf(everyday), among)).toEqual(["alert"]);
    expect(asked("ask marlene for a date", pastOf(everyday), among)).toEqual(["alert"]);
    expect(asked("draw a lantern", pastOf(everyday), among)).toEqual([]);
  });

  it("is not asked for by everyday words", () => {
    expect(asked("run the tests on the new code and fix what is on the page")).toEqual([]);
    expect(asked("rename the variable a")).toEqual([]);
  });

  it("is no longer asked for by a word that the workspace keeps saying", () => {
    const often = pastOf(Array.from({ length: 10 }, (_, n) => `add the invoice field ${n}`));
    expect(asked("sort the invoice list", often)).toEqual([]);
  });

  it("takes more than one word where little was asked: nobody knows yet what is said every day here", () => {
    expect(asked("the invoice has the wrong font", [])).toEqual([]);
    expect(asked("connect to the staging database on the port", [])).toEqual(["db"]);
    expect(asked("how many rows are in legacy_orders?", [])).toEqual(["table"]);
  });

  it("is asked for again by the word that brought it up before", () => {
    const twice = pastOf(["which port is staging on?", "connect to staging"], ["db"]);
    expect(asked("dump the staging users", [...twice, ...pastOf(everyday)])).toEqual(["db"]);
    const oftenGiven = pastOf(
      Array.from({ length: 3 }, () => "the invoice has the wrong font"),
      ["bill"],
    );
    expect(asked("sort the invoice list", [...oftenGiven, ...pastOf(everyday)])).toEqual(["bill"]);
  });

  it("takes a short form for the long one only beside another word", () => {
    expect(asked("which env does the runner have?")).toEqual(["env"]);
    expect(asked("env")).toEqual([]);
  });

  it("is not asked for by a letter or a small number", () => {
    const among = [{ id: "board", text: "Board revision C has 16 drivers" }];
    expect(asked("how do I set a bit in c", pastOf(everyday), among)).toEqual([]);
    expect(asked("wait 16 ms", pastOf(everyday), among)).toEqual([]);
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
