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

function fitting(prompt: string, past: readonly PastPrompt[] = pastOf(everyday), among = memories): readonly string[] {
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
    expect(fitting("connect to the staging database and count the users")).toEqual(["db"]);
    expect(fitting("the invoice has the wrong font")).toEqual(["bill"]);
  });

  it("is asked for by a name, also inside a longer one", () => {
    expect(fitting("how many rows are in legacy_orders?")).toEqual(["table"]);
  });

  it("is asked for less by a word that stands later in it: in a new workspace that is not enough", () => {
    const among = [
      { id: "alert", text: "Alerts about the turbine go to the channel of Marlene, with a harpoon and a lantern" },
    ];
    for (const past of [pastOf(everyday), []]) {
      expect(fitting("make an alert for the queue", past, among)).toEqual(["alert"]);
      expect(fitting("ask marlene for a date", past, among)).toEqual(["alert"]);
    }
    expect(fitting("draw a lantern", [], among)).toEqual([]);
  });

  it("is not asked for by everyday words", () => {
    expect(fitting("run the tests on the new code and fix what is on the page")).toEqual([]);
    expect(fitting("rename the variable a")).toEqual([]);
  });

  it("is no longer asked for by a word that the workspace keeps saying", () => {
    const often = pastOf(Array.from({ length: 10 }, (_, n) => `add the invoice field ${n}`));
    expect(fitting("sort the invoice list", often)).toEqual([]);
  });

  it("is asked for by one rare word also where nothing was asked before", () => {
    const orchard = [
      { id: "quince", text: "Quince trees are cut only after the first frost" },
      { id: "bins", text: "Bins are counted in units of 380 kg" },
      { id: "seed", text: "Run `make seed` before the end to end tests" },
    ];
    expect(fitting("can I prune the quince rows today?", [], orchard)).toEqual(["quince"]);
    expect(fitting("the invoice has the wrong font", [])).toEqual(["bill"]);
    expect(fitting("how many rows are in legacy_orders?", [])).toEqual(["table"]);
  });

  it("is not asked for by a word of the trade, though nothing was asked before", () => {
    const among = [
      { id: "api", text: "Header X-Harbour-Version gives the version of the api" },
      { id: "cron", text: "Cron drains the nodes on Wednesday" },
      { id: "unit", text: "Units of the sensor are hundredths of a degree" },
    ];
    expect(fitting("the header is hidden behind the menu", [], among)).toEqual([]);
    expect(fitting("sort the units in the select box", [], among)).toEqual([]);
    expect(fitting("write a cron expression for every 15 minutes", [], among)).toEqual([]);
  });

  it("is asked for less by a prompt that is about what any project has", () => {
    const among = [{ id: "harvest", text: "The print shop gets harvest labels" }];
    expect(fitting("when does the harvest begin at the creek?", [], among)).toEqual(["harvest"]);
    expect(fitting("change the colour of the harvest button to green", [], among)).toEqual([]);
  });

  it("is asked for by a name written together or apart", () => {
    const among = [
      { id: "argo", text: "Argo CD undoes manual edits" },
      { id: "rows", text: "The table harbour_rows is read only" },
      { id: "fill", text: "Backfills run after 20:00" },
    ];
    expect(fitting("argocd puts them back", [], among)).toEqual(["argo"]);
    expect(
      fitting("where is harbourRows written?", pastOf(Array.from({ length: 9 }, () => "a harbour row")), among),
    ).toEqual(["rows"]);
    expect(fitting("start a back-fill for the creek", [], among)).toEqual(["fill"]);
  });

  it("takes no name that begins with a word for a long form of it", () => {
    const among = [{ id: "pro", text: "Pro licences are in the vault" }];
    expect(fitting("change the interface of ProviderOverwrite", [], among)).toEqual([]);
  });

  it("is asked for again by the word that brought it up before", () => {
    const twice = pastOf(["which port is staging on?", "connect to staging"], ["db"]);
    expect(fitting("dump the staging users", [...twice, ...pastOf(everyday)])).toEqual(["db"]);
    const oftenGiven = pastOf(
      Array.from({ length: 3 }, () => "the invoice has the wrong font"),
      ["bill"],
    );
    expect(fitting("sort the invoice list", [...oftenGiven, ...pastOf(everyday)])).toEqual(["bill"]);
  });

  it("takes a short form for the long one only beside another word", () => {
    expect(fitting("which env does the runner have?")).toEqual(["env"]);
    expect(fitting("env")).toEqual([]);
  });

  it("is not asked for by a letter or a small number", () => {
    const among = [{ id: "board", text: "Board revision C has 16 drivers" }];
    expect(fitting("how do I set a bit in c", pastOf(everyday), among)).toEqual([]);
    expect(fitting("wait 16 ms", pastOf(everyday), among)).toEqual([]);
  });

  it("is not asked for by a word that is in many memories", () => {
    const many = Array.from({ length: 30 }, (_, n) => ({ id: `m${n}`, text: `Gearbox ${n} has ${n} teeth` }));
    expect(fitting("draw the gearbox", pastOf(everyday), many)).toEqual([]);
  });

  it("asks for more of a long prompt: one of its many words is shared by chance", () => {
    const long = `${Array.from({ length: 60 }, (_, n) => `word${String.fromCharCode(97 + (n % 26))}${n}x`).join(" ")} staging`;
    expect(fitting(long)).toEqual([]);
  });
});
