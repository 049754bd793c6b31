import { expect, it } from "vitest";
import { commandExamples } from "./command-examples.ts";

const examplesOf = (runs: string) => {
  const all = commandExamples({ tool: "shell", runs });
  const of = (matches: boolean) => all.filter((one) => one.matches === matches).map((one) => one.command);
  return { matched: of(true), others: of(false) };
};

it("an option is shown with the value that stands behind it", () => {
  expect(examplesOf("bin/skiff ship --env prod")).toEqual({
    matched: [
      "bin/skiff ship --env prod",
      "bin/skiff ship --env prod x",
      "skiff ship x --env=prod",
      "skiff ship --env=prod",
      "sudo bin/skiff ship --env prod",
      "cd x && bin/skiff ship --env prod",
      "bash -c 'bin/skiff ship --env prod'",
    ],
    others: ["skiff ship", "skiff ship --env x prod", "echo bin/skiff ship --env prod"],
  });
});

it("and so is one of a program whose options are known", () => {
  const { matched, others } = examplesOf("kubectl delete -n prod");
  expect(matched).toContain("kubectl delete x -n prod");
  expect(others).toContain("kubectl delete");
});
