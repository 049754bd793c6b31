import { expect, it } from "vitest";
import { findOnlyOffer } from "./only-offer.ts";

it.each([
  ["error: unknown command. Did you mean 'bake'?", "bake"],
  ["error: unexpected argument '--feature' found\n\n  tip: a similar argument exists: '--features'", "--features"],
  ["git: 'psuh' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tpush", "push"],
  ["ERROR: BuildKit is enabled. Use `docker buildx build` instead", "docker buildx build"],
  ["unknown option --to; did you mean --target=X?", "--target=X"],
  ["option '--pkg' was renamed to '--package'", "--package"],
])("the one thing that an error offers: %s", (error, offer) => {
  expect(findOnlyOffer(error)).toBe(offer);
});

it.each([
  "unknown option --strict",
  "Did you mean '--report' or '--summary'?",
  "Did you mean one of these?\n    npm run test:unit\n    npm run test:all",
  "The most similar commands are\n\tpush\n\tpull",
  "Did you mean '--report'? usage: gate [--permiss…",
  "Did you mean '--report'?\n[... 12 lines truncated ...]",
  "usage: gate [--permissive] [--report]",
  "Some candidates are: 'testA', 'testB'.",
])("it offers none, several, or was cut: %s", (error) => {
  expect(findOnlyOffer(error)).toBeNull();
});
