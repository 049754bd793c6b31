import { expect, it } from "vitest";
import { explainFailures } from "./explain-failures.ts";

const model = { provider: "beta", model: "deep" };
const failure = { kind: "rate-limited", status: 429, retryAfterMs: 26_400 } as const;

it("says how long a provider asks to wait only of a provider that was asked", () => {
  expect(explainFailures([{ model, failure: { ...failure, message: "answers 429" } }])).toBe(
    "beta/deep: answers 429 (asks to wait 27 s)",
  );
  const message = "beta failed 6 times in a row (rate-limited), so it is not called until 11:36:47 UTC";
  expect(explainFailures([{ model, failure: { ...failure, message }, isHeldBack: true }])).toBe(
    `beta/deep: ${message} (27 s from now)`,
  );
});
