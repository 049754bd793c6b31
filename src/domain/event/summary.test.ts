import { describe, expect, it } from "vitest";
import { anEvent } from "../../../test/store/samples.ts";
import { summarise } from "./summary.ts";

describe("the summary of a session", () => {
  it("takes no decision from quoted lines, code or tagged blocks", () => {
    const text = [
      "> we decided to paint the boats red",
      "```",
      "always use the old mast",
      "```",
      "<mail>we agreed on Tuesday</mail>",
      "We decided to paint the boats blue.",
    ].join("\n");
    expect(summarise([prompt(text)])?.decisions).toEqual(["We decided to paint the boats blue."]);
  });
});

function prompt(text: string) {
  return { ...anEvent("p1", { kind: "prompt", text }), id: 1, seq: 1 };
}
