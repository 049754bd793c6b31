import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

/** The error asks for an option, and the working call has it in place of another one, with the same value. */
describe.each(stores)("the remedy is the option, whatever its value, on $name", (kind) => {
  const error = "skiff: required option --env is missing";
  it.each([
    ["bin/skiff ship --environment dev", "bin/skiff ship --env dev", ["dev"]],
    ["bin/skiff ship --environment dev", "bin/skiff ship --env dev", ["dev", "qa", "eu", "us"]],
    ["bin/skiff ship --environment=dev", "bin/skiff ship --env=dev", ["dev"]],
    ["bin/skiff ship web --environment dev", "bin/skiff ship web --env dev", ["dev"]],
  ] as const)("%s", (failed, worked, values) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++) {
        const value = values[i % values.length] ?? "";
        await workspace.session([[failed.replace("dev", value), error], [worked.replace("dev", value)]]);
      }
      const rules = await workspace.mine();
      expect(rules).toEqual([
        "nudge: Use `bin/skiff ship --env` here: `skiff ship` with `--environment` does not work (failed 4 of 4).",
      ]);
      expect(await workspace.match("bin/skiff ship --environment ap")).toContain("ship --env` here");
      expect(await workspace.match("bin/skiff ship --env ap")).not.toContain("does not work");
    }),
  );
});
