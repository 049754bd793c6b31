import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { noteKeptRule } from "../../src/store/nouns/kept-rules.ts";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const noFile = (program: string, path: string) => `${program}: ${path}: No such file or directory`;

/** From observed calls through the miners to every place where a rule is shown. */
describe.each(stores)("what a mined rule says, and where, on $name", (kind) => {
  const everywhere = async (workspace: ObservedWorkspace, command: string, prompt: string) => ({
    start: await workspace.start(),
    subAgent: await workspace.startOfSubAgent(),
    prompt: await workspace.prompt(prompt),
    call: await workspace.before(command),
    match: await workspace.match(command),
    advice: await workspace.ask("advice", { prompt, workspace: workspace.folder }),
    export: await workspace.ask("export", { workspace: workspace.folder }),
  });

  it("every place that says a rule asks the disk: what was missing and is there now is said nowhere", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("v2/recipes/rye.txt");
      for (let i = 0; i < 5; i++)
        await workspace.session([
          ["cat v2/recipies/rye.txt", noFile("cat", "v2/recipies/rye.txt")],
          ["cat v2/recipes/rye.txt"],
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: Use `cat v2/recipes/rye.txt` here: there is no `v2/recipies/rye.txt` (failed 5 of 5).",
      ]);
      const [command, prompt] = ["cat v2/recipies/rye.txt", "print the recipes of rye from v2/recipies/rye.txt"];
      for (const [place, text] of Object.entries(await everywhere(workspace, command, prompt)))
        expect.soft(text, place).toContain("there is no `v2/recipies/rye.txt`");
      workspace.write("v2/recipies/rye.txt");
      for (const [place, text] of Object.entries(await everywhere(workspace, command, prompt)))
        expect.soft(text, place).not.toContain("there is no");
      rmSync(join(workspace.folder, "v2/recipies/rye.txt"));
      expect(await workspace.prompt(prompt)).toContain("there is no `v2/recipies/rye.txt`");
    }));

  it("of several missing paths one is named, and a call is warned only where its own path is missing", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("logs/archive/a.log");
      for (const month of ["2024-01", "2024-02", "2024-03", "2024-04"])
        await workspace.session([
          [`cat logs/${month}/a.log`, noFile("cat", `logs/${month}/a.log`)],
          ["cat logs/archive/a.log"],
        ]);
      expect(await workspace.mine()).toEqual([
        "nudge: Use `cat logs/archive/a.log` here: there is no `logs/2024-04/a.log`, nor others like it (failed 4 of 4).",
      ]);
      workspace.write("logs/2024-06/a.log");
      expect(await workspace.before("cat logs/2024-06/a.log")).toBe("");
      expect(await workspace.match("cat logs/2024-06/a.log")).not.toContain("logs/archive");
      expect(await workspace.before("cat logs/2024-07/a.log")).toContain("Use `cat logs/archive/a.log` here");
    }));

  it("comes with the result of a call that failed by its exit code, though nobody has digested it and the host calls it a success", () =>
    inWorkspace(kind, async (workspace) => {
      const [wrong, error] = ["lantern publish --channel beta", "lantern: error: unrecognized arguments: --channel"];
      for (let i = 0; i < 4; i++) await workspace.session([[wrong, error], ["lantern publish --track beta"]]);
      await workspace.mine();
      expect(await workspace.turnOfOpencode("publish", wrong, { output: error, exit: 2 })).toContain(
        "in place of `--channel`",
      );
    }));

  it("the same call with another number or date is no remedy", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["cat data/night-13/stars.csv", noFile("cat", "data/night-13/stars.csv")],
          ["cat data/night-12/stars.csv"],
          ["wc -l data/2024-09-01.csv", noFile("wc", "data/2024-09-01.csv")],
          ["wc -l data/2024-08-31.csv"],
        ]);
      const rules = await workspace.mine();
      expect(rules.join("\n")).not.toContain("night-12");
      expect(rules.join("\n")).not.toContain("2024-08-31");
    }));

  it("a remedy is the command as it was typed", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["bin/gate runn", "error: unknown command 'runn'"],
          ["bin/gate run"],
          ["tools/mix.py --kneed", "usage: mix.py [-h]\nmix.py: error: unrecognized arguments: --kneed"],
          ["tools/mix.py --knead"],
          ["bin/expose", "expose: the dome is closed"],
          ["bin/expose --long"],
        ]);
      const rules = (await workspace.mine()).join("\n");
      expect(rules).toContain("`bin/gate run`");
      expect(rules).toContain("`tools/mix.py --knead`");
      expect(rules).not.toMatch(/(?:Use|Run) `(?:gate|mix\.py|expose)/);
    }));

  it.each(["tools/lift --stage 7", "tools/lift --stage=7"])("a value keeps its option: %s", (failing) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          [failing, "lift: the load is too heavy"],
          ["tools/lift --stage 3 --weight 7"],
          ["tools/lift --stage 4"],
        ]);
      const rules = (await workspace.mine()).join("\n");
      expect(rules).toMatch(/--stage[ =]7/);
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id, remedy: true, risky: true });
      for (const same of ["tools/lift --stage 7", "tools/lift --stage=7", "tools/lift --fast --stage 7"])
        expect.soft(await workspace.match(same), same).toContain("--stage 7");
      for (const other of ["tools/lift --weight 7", "tools/lift 7", "tools/lift --stage 8", "tools/lift --month=7"])
        expect.soft(await workspace.match(other), other).not.toContain("--stage 7");
    }),
  );

  it("a service that does not answer is about its address, not about the program", () =>
    inWorkspace(kind, async (workspace) => {
      const refused = (port: number) =>
        `curl: (7) Failed to connect to 127.0.0.1 port ${port} after 0 ms: Couldn't connect to server`;
      for (const path of ["health", "a", "b", "c"])
        await workspace.session([[`curl -s http://127.0.0.1:4000/${path}`, refused(4000)]]);
      expect(await workspace.mine()).toEqual([
        "nudge: Before `curl` to `localhost:4000`, start the service there: nothing answered (failed 4 of 4).",
      ]);
      for (const same of ["curl http://127.0.0.1:4000/x", "curl -X POST localhost:4000/y"])
        expect.soft(await workspace.match(same), same).toContain("start the service");
      for (const other of ["curl https://example.test/x", "curl http://127.0.0.1:4001/health", "curl --version"])
        expect.soft(await workspace.match(other), other).not.toContain("start the service");
      // The service answered and refused the path, so "the service is down" was wrong in these calls.
      for (let i = 0; i < 2; i++)
        await workspace.session([
          ["curl -f http://127.0.0.1:4000/x", "curl: (22) The requested URL returned error: 404"],
          ["curl https://example.test/x", "curl: (6) Could not resolve host: example.test"],
        ]);
      expect((await workspace.mine()).join("\n")).toContain("(failed 4 of 6)");
    }));

  it("a missing module is over once its file is there, or once the call worked", () =>
    inWorkspace(kind, async (workspace) => {
      const missing = "/usr/bin/python3: No module named starfit";
      for (let i = 0; i < 4; i++) await workspace.session([["python3 -m starfit data.csv", missing]]);
      expect((await workspace.mine()).join("\n")).toContain("`python3` has no module `starfit`");
      expect(await workspace.before("python3 -m starfit data.csv")).toContain("has no module `starfit`");
      workspace.write("starfit.py");
      expect(await workspace.before("python3 -m starfit data.csv")).toBe("");
      expect(await workspace.start()).not.toContain("has no module");
      rmSync(join(workspace.folder, "starfit.py"));
      expect(await workspace.start()).toContain("has no module `starfit`");
      await workspace.session([["python3 -m starfit data.csv"]]);
      await workspace.endTurn();
      expect(await workspace.before("python3 -m starfit data.csv")).toBe("");
      expect(await workspace.start()).not.toContain("has no module");
    }));

  it("a rule speaks before a call only if its own cause is likely among all calls that it matches", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 3; i++) await workspace.session([["bin/sail", "bin/sail: Permission denied"]]);
      for (let i = 0; i < 8; i++) await workspace.session([["bin/sail", `sail: no wind ${"abcdefgh"[i]}`]]);
      const rules = (await workspace.mine()).filter((rule) => rule.includes("not permitted"));
      expect(rules.filter((rule) => !rule.startsWith("watch"))).toEqual([]);
    }));

  it("a path is the same with and without a dot before it", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("docs/api.txt");
      for (const path of ["v2/api.txt", "./v2/api.txt", "v2/api.txt", "./v2/api.txt"])
        await workspace.session([[`cat ${path}`, noFile("cat", path)], ["cat docs/api.txt"]]);
      expect((await workspace.mine()).join("\n")).toContain("there is no `v2/api.txt` (failed 4 of 4)");
      for (const path of ["v2/api.txt", "./v2/api.txt"])
        expect(await workspace.match(`cat ${path}`)).toContain("there is no `v2/api.txt`");
    }));

  it("a rule in force that is mostly wrong is said nowhere until its owner answers", () =>
    inWorkspace(kind, async (workspace) => {
      const command = "bin/dough --rise";
      for (let i = 0; i < 4; i++)
        await workspace.session([[command, "dough: the oven is cold, use --rest"], ["bin/dough --rest"]]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id, remedy: true, risky: true });
      expect(await workspace.before(command)).toContain("--rise`");
      for (let i = 0; i < 9; i++) await workspace.session([[command]]);
      await workspace.mine();
      expect(await workspace.ask("rules show", { id: rule?.id })).toContain(
        "9 of 13 calls that it warns against worked",
      );
      const prompt = "let the dough rise with bin/dough --rise";
      for (const [place, text] of Object.entries(await everywhere(workspace, command, prompt)))
        expect.soft(text, place).not.toContain("Use `bin/dough --rest`");
      await noteKeptRule(workspace.mind.db, rule?.id ?? "", workspace.mind.clock.now());
      expect(await workspace.before(command)).toContain("Use `bin/dough --rest`");
    }));

  it("an approved rule that something is unknown is over once the call works, and back once it fails again", () =>
    inWorkspace(kind, async (workspace) => {
      const command = "bin/loom weave --plaid";
      const unknown = "loom: error: unrecognized arguments: --plaid";
      for (let i = 0; i < 4; i++) await workspace.session([[command, unknown], ["bin/loom weave --tartan"]]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id });
      expect(await workspace.before(command)).toContain("in place of `--plaid`");
      await workspace.session([[command]]);
      await workspace.endTurn();
      for (const [place, text] of Object.entries(
        await everywhere(workspace, command, "weave with --plaid on the loom"),
      ))
        expect.soft(text, place).not.toContain("no such option");
      expect(await workspace.ask("rules why", { id: rule?.id })).toContain(
        '"silence":"it no longer holds here; it is shown again after the next such failure"',
      );
      await workspace.session([[command, unknown]]);
      await workspace.endTurn();
      expect(await workspace.before(command)).toContain("in place of `--plaid`");
    }));

  it("a rule that a success disproved stays silent, however many sessions do not make the call", () =>
    inWorkspace(kind, async (workspace) => {
      const [command, error] = ["weave b --plaid 3", "weave: unrecognized option '--plaid'"];
      for (let i = 0; i < 12; i++) await workspace.session([[command, error], ["weave b --pattern 3"]]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id });
      await workspace.session([[command]]);
      for (let i = 0; i < 55; i++) await workspace.session([["ls"]]);
      await workspace.mine();
      expect(await workspace.before(command)).toBe("");
      await workspace.session([[command, error]]);
      await workspace.mine();
      expect(await workspace.before(command)).toContain("in place of `--plaid`");
    }));

  it("what worked instead is no advice once the call itself works", () =>
    inWorkspace(kind, async (workspace) => {
      const missing =
        "/usr/bin/python3: Error while finding module specification for 'carve.run' (No module named 'carve')";
      for (let i = 0; i < 4; i++)
        await workspace.session([["python3 -m carve.run", missing], [".venv/bin/python -m carve.run"]]);
      await workspace.mine();
      expect(await workspace.before("python3 -m carve.run")).toContain(".venv/bin/python -m carve.run");
      await workspace.session([["python3 -m carve.run"]]);
      await workspace.endTurn();
      expect(await workspace.before("python3 -m carve.run")).toBe("");
      expect(await workspace.start()).not.toContain("`.venv/bin/python");
    }));

  it("an undone decision leaves a mostly wrong rule as silent as before, and one story everywhere", () =>
    inWorkspace(kind, async (workspace) => {
      const command = "bin/kiln --glaze";
      for (let i = 0; i < 4; i++)
        await workspace.session([[command, "kiln: the shelf is full, use --bisque"], ["bin/kiln --bisque"]]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id, remedy: true, risky: true });
      for (let i = 0; i < 9; i++) await workspace.session([[command]]);
      await workspace.mine();
      const silence = '"silence":"9 of 13 calls that it warns against worked; decide with: oldhand review"';
      expect(await workspace.ask("rules why", { id: rule?.id })).toContain(silence);
      expect(await workspace.ask("status", {})).toContain('"failed":4,"calls":13');
      await workspace.ask("rules retire", { id: rule?.id });
      await workspace.ask("undo", {});
      expect(await workspace.before(command)).toBe("");
      expect(await workspace.ask("rules show", { id: rule?.id })).toContain(silence);
      expect(await workspace.ask("status", {})).toContain('"failed":4,"calls":13');
    }));

  it("sentence, backtest and list count the same calls", () =>
    inWorkspace(kind, async (workspace) => {
      const refused = "curl: (7) Failed to connect to 127.0.0.1 port 4000: Connection refused";
      for (let i = 0; i < 5; i++) await workspace.session([["curl -s http://127.0.0.1:4000/a", refused]]);
      await workspace.session([
        ["curl -f http://127.0.0.1:4000/a", "curl: (22) The requested URL returned error: 404"],
      ]);
      await workspace.session([["curl -s http://127.0.0.1:4000/a"]]);
      expect((await workspace.mine()).join("\n")).toContain("(failed 5 of 7)");
      const [rule] = await workspace.rules();
      const counted = '"fired":7,"hits":5,"falseAlarms":2';
      expect(await workspace.ask("rules backtest", { id: rule?.id })).toContain(counted);
      expect(await workspace.ask("rules list", {})).toContain(counted);
    }));
});
