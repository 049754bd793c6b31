import { expect, it } from "vitest";
import { describeMatcher } from "./rule-sentence.ts";

it("writes several options whose values differ into the command", () => {
  const has = ["arg --month #-#", "arg --tenant t#"];
  const examples = new Map([
    ["arg --month #-#", "arg --month 2026-05"],
    ["arg --tenant t#", "arg --tenant t5"],
  ]);
  const matcher = { tool: "shell", head: "invoice-render", has: [...has, "program ./invoice-render"] };
  expect(describeMatcher(matcher, examples)).toBe("`./invoice-render --month … --tenant …`");
  expect(describeMatcher({ ...matcher, has: has.slice(0, 1) }, examples)).toBe(
    "`invoice-render` with an argument such as `--month 2026-05`",
  );
});
