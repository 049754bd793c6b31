import { describe, expect, it } from "vitest";
import { listChangesOf } from "../../src/store/journal/journal.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

describe.each(stores)("one mistake is one rule, on $name", (kind) => {
  const invalid = (value: string) => `Error: Invalid value for '--form': '${value}' is not one of 'csv', 'json'.`;
  const session = (workspace: ObservedWorkspace, value: string) =>
    workspace.session([[`mix --form ${value}`, invalid(value)], ["mix --kind json"]]);

  it("what worked instead is merged into the rules of the causes, which together speak before the same calls", () =>
    inWorkspace(kind, async (workspace) => {
      for (const value of ["xml", "yaml"]) await session(workspace, value);
      expect(await workspace.mine()).toEqual([expect.stringContaining("Run `mix --kind`, not `mix --form`")]);
      for (const value of ["xml", "yaml", "xml", "yaml"]) await session(workspace, value);
      expect(await workspace.mine()).toEqual([
        expect.stringContaining("`mix` does not take `--form xml`"),
        expect.stringContaining("`mix` does not take `--form yaml`"),
      ]);
      // It is not made again.
      for (const value of ["xml", "yaml"]) await session(workspace, value);
      expect((await workspace.mine()).filter((rule) => rule.includes("not `mix --form`"))).toEqual([]);
      expect(await workspace.before("mix --form xml")).not.toContain("not `mix --form`");
    }));

  it("what the owner approved stays beside them", () =>
    inWorkspace(kind, async (workspace) => {
      for (const value of ["xml", "yaml"]) await session(workspace, value);
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id, risky: true });
      for (const value of ["xml", "yaml", "xml", "yaml"]) await session(workspace, value);
      await workspace.mine();
      expect((await workspace.rules()).find(({ id }) => id === rule?.id)).toMatchObject({ status: "approved" });
    }));

  const matchersOf = async (workspace: ObservedWorkspace) => {
    const [rule] = (await workspace.rules()).filter(({ status }) => status !== "merged");
    const changes = await listChangesOf(workspace.mind.db, ruleNoun, rule?.id ?? "");
    return new Set(changes.map(({ after }) => JSON.stringify(after?.matcher)));
  };

  it("its matcher stays the same whichever spelling of the command is the most frequent", () =>
    inWorkspace(kind, async (workspace) => {
      const unknown = "render: unrecognized option '--dest'";
      const spelled = (command: string) =>
        workspace.session([[`${command} --dest o`, unknown], [`${command} --output o`]]);
      const [module, program] = ["python3 -m render", "render"];
      for (const command of [module, program, module, program, program, program, module, module, module, program]) {
        await spelled(command);
        await workspace.mine();
      }
      expect((await matchersOf(workspace)).size).toBe(1);
    }));
});
