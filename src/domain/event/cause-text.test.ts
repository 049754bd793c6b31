import { expect, it } from "vitest";
import { namesWord } from "../remedy/named-remedy.ts";
import { causeText } from "./cause-text.ts";

const rows = (count: number) => Array.from({ length: count }, (_, at) => `row ${at} was drawn`).join("\n");
const error = "slow.py: error: unrecognized arguments: --dest";

it("a short error is read as it is", () => expect(causeText(`${rows(3)}\n${error}`)).toBe(`${rows(3)}\n${error}`));

it.each([
  ["last", `${rows(3_000)}\n${error}`],
  ["before others", `${rows(3_000)}\n${error}\n${rows(150)}`],
  ["first", `${error}\n${rows(3_000)}`],
])("of a long one, the line that names the cause is kept: %s", (_where, text) => {
  expect(causeText(text)).toContain(error);
  expect(causeText(text).length).toBeLessThan(14_000);
  expect(namesWord(text, "--dest")).toBe(true);
});

it("what is left out makes no word of two halves", () => {
  const text = "--de\n".repeat(5_000);
  expect(causeText(text)).not.toContain("--de--de");
});
