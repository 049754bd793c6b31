import { expect, it } from "vitest";
import { computePreferenceKey, findPreferences, intersectPreferenceKeys } from "../../event/preference.ts";
import { preferenceSentence } from "./preference-sentence.ts";

const sentenceOf = (text: string) => preferenceSentence(findPreferences(text, { corrects: true }));

it("says what to avoid with the user's own verb", () => {
  expect(sentenceOf("don't run the e2e tests")).toBe("Do not run e2e tests");
  expect(sentenceOf("please do not run the e2e tests again")).toBe("Do not run e2e tests");
  expect(sentenceOf("stop running prettier")).toBe("Do not run prettier");
  expect(sentenceOf("don't use npm")).toBe("Do not use npm");
});

it("hears a wish without its comma, and one that is meant everywhere", () => {
  expect(sentenceOf("use pnpm not npm!! I told you")).toBe("Use pnpm, not npm");
  const [a, b] = ["stop adding comments everywhere", "stop adding comments"].map((text) =>
    findPreferences(text, { corrects: true }).map(computePreferenceKey).at(0),
  );
  expect(a !== undefined && b !== undefined ? intersectPreferenceKeys(a, b) : null).not.toBeNull();
});
