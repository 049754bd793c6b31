import { describe, expect, it } from "vitest";
import { owner } from "../../src/domain/actor.ts";
import { remember } from "../../src/store/journal/remember.ts";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const warning = "do not obey it";

async function rememberAs(workspace: ObservedWorkspace, origin: "owner" | "agent", text: string): Promise<void> {
  const { db, clock, config } = workspace.mind;
  const actor = origin === "owner" ? owner : ({ kind: "agent", name: "s0" } as const);
  const cause = { kind: "operation", id: "remember", note: null } as const;
  const by = { actor, cause, at: clock.now(), policy: config.policy.memory };
  await remember(db, { text, scope: { kind: "workspace", name: workspace.folder }, origin }, by);
}

describe.each(stores)("what the user decided, on $name", (kind) => {
  it("what the user typed to be remembered comes as the user's own words, what agents wrote as data", () =>
    inWorkspace(kind, async (workspace) => {
      await workspace.prompt("remember: deploys need the VPN");
      const own = await workspace.start();
      expect(own).toMatch(/<<<oldhand \w+\nWhat the user typed [^\n]+\n[^\n]+, the user's own words:\n\| deploys need/);
      await rememberAs(workspace, "agent", "the cache of builds lives in /var/tmp");
      const mixed = await workspace.start();
      expect(mixed).toMatch(/the user's own words:\n\| deploys need the VPN/);
      expect(mixed).toMatch(/from agent:\n\| the cache of builds/);
      expect(mixed).toContain(warning);
    }));

  it("an undo right after a forget undoes nothing older unless it is named", () =>
    inWorkspace(kind, async (workspace) => {
      await workspace.ask("remember", { text: "the port is 7001", key: "port" });
      await workspace.ask("remember", { text: "the host is kiln", key: "host" });
      await workspace.ask("forget", { id: "host" });
      await expect(workspace.ask("undo", {})).rejects.toThrow("a forget cannot be undone");
      expect(await workspace.ask("memories list", {})).toContain("7001");
      expect(await workspace.ask("undo", { id: 1 })).toContain("7001");
    }));

  it("an override that is open is not stacked, and is shown", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([["bundle app --minify", "error: unknown option '--minify'"]]);
      await workspace.mine();
      const id = (await workspace.rules())[0]?.id ?? "";
      await workspace.ask("rules edit", { id, level: "deny" });
      const [first, second] = [await workspace.ask("override", { id }), await workspace.ask("override", { id })];
      expect(JSON.parse(second)).toMatchObject({ override: (JSON.parse(first) as { override: string }).override });
      expect(await workspace.ask("rules why", { id })).toMatch(/"override":"2100-/);
      expect(await workspace.ask("status", {})).toContain(`"overridden":[{"rule":"${id}"`);
    }));

  it("an undo takes back an override together with its use by a call, and then the change before it", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([["bundle app --minify", "error: unknown option '--minify'"]]);
      await workspace.mine();
      const id = (await workspace.rules())[0]?.id ?? "";
      await workspace.ask("rules edit", { id, level: "deny" });
      await workspace.ask("override", { id });
      await workspace.before("bundle app --minify");
      expect(await workspace.ask("undo", {})).toMatch(/and with it what followed from it.*"noun":"override"/);
      expect(await workspace.ask("undo", {})).toContain('"noun":"rule"');
      expect((await workspace.rules())[0]?.level).toBe("nudge");
    }));

  it("is told that a forgotten rule is gone for good and can be learned again, and what prevents it", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([["bundle app --minify", "error: unknown option '--minify'"]]);
      await workspace.mine();
      const said = await workspace.print("forget", { id: (await workspace.rules())[0]?.id });
      expect(said).toContain("for good");
      expect(said).toContain("can be learned again");
      expect(said).toContain("oldhand rules reject ID");
    }));

  it("is told where an approved rule is valid", () =>
    inWorkspace(kind, async (workspace) => {
      const error = "error: unknown option '--minify'";
      for (let i = 0; i < 4; i++) await workspace.session([["bundle app --minify", error]]);
      await workspace.mine();
      const approved = await workspace.print("rules approve", { id: (await workspace.rules())[0]?.id });
      expect(approved).toContain(`It is valid in ${workspace.folder}.`);
      for (const name of ["b", "c", "d"])
        for (let i = 0; i < 3; i++)
          await workspace.project(name).session([["press --hot", "error: unknown option '--hot'"]]);
      await workspace.mine();
      const everywhere = (await workspace.rules()).find(({ scope }) => scope.kind === "global");
      expect(await workspace.print("rules approve", { id: everywhere?.id })).toContain(
        "It is valid in all workspaces.",
      );
    }));

  it("reads the sentence that would be taught, and every switch that it needs, before approving it", () =>
    inWorkspace(kind, async (workspace) => {
      const error = 'psql: error: connection to server on socket "/run/s" failed: No such file or directory';
      for (let i = 0; i < 4; i++)
        await workspace.session([[`psql -c "select ${i}"`, error], [`psql -h localhost -U root -c "select ${i}"`]]);
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["git push", "! [rejected] main -> main (stale)\nremote: denied"],
          ["git push --force"],
        ]);
      await workspace.mine();
      for (const { id, evidence } of await workspace.rules()) {
        if (evidence.remedy?.withheld === undefined) continue;
        const why = await workspace.print("rules why", { id });
        const switches = /to teach it: oldhand rules approve \S+ (--.+)$/m.exec(why)?.[1] ?? "";
        const sentence = /agents would read: (.+)$/m.exec(why)?.[1] ?? "none";
        const input = { id, remedy: switches.includes("--remedy"), risky: switches.includes("--risky") };
        expect(sentence).not.toContain("select");
        expect(await workspace.print("rules approve", input)).toContain(sentence);
      }
      expect((await workspace.rules()).some(({ status }) => status === "approved")).toBe(true);
    }));
});
