import { expect, it } from "vitest";
import { detectCause } from "./cause.ts";
import { excerptOf } from "./rule-cause.ts";

const rows = Array.from({ length: 400 }, (_, at) => `row ${at} of the table was drawn`).join("\n");
const error = "slow.py: error: unrecognized arguments: --dest";

it("an excerpt names the cause, however much was printed before it", () => {
  const excerpt = excerptOf(`Exit code 2\n${rows}\nusage: slow.py [-h]\n${error}`);
  expect(excerpt.length).toBeLessThanOrEqual(200);
  expect(detectCause({ tool: "bash", input: null }, excerpt)?.thing).toBe("--dest");
});

it.each(["", "boom", `${error}\n${rows}`, `usage: slow.py [-h]\n${error}\n${rows}`])(
  "and is the beginning where that has it: %j",
  (text) => expect(excerptOf(text).startsWith(text.split("\n")[0] ?? "")).toBe(true),
);
