import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

/** What a rule may say of calls whose failure does not explain itself. */
describe.each(stores)("a rule says no more than was seen, on $name", (kind) => {
  it.each([
    ["curl -s http://localhost:5080/beans", "", 7],
    ['curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1:5080/beans', "000", 7],
    ["cd shop && curl -s localhost:5080/beans && echo up", "", 7],
    ["wget -q http://localhost:5080/beans", "", 4],
  ])("a client that fails without a word says that nothing answered: %s", (command, said, code) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++) await workspace.session([[command, said, code]]);
      const program = command.includes("wget") ? "wget" : "curl";
      expect(await workspace.mine()).toEqual([
        `nudge: Before \`${program}\` to \`localhost:5080\`, start the service there: nothing answered (failed 4 of 4).`,
      ]);
      for (const other of [`${program} https://example.test/`, `${program} http://localhost:5081/beans`])
        expect.soft(await workspace.match(other), other).not.toContain("start the service");
    }),
  );

  it("a silent failure repeats the failure that was told in words", () =>
    inWorkspace(kind, async (workspace) => {
      const refused = "curl: (7) Failed to connect to localhost port 5080 after 0 ms: Couldn't connect to server";
      for (let i = 0; i < 4; i++) await workspace.session([["curl -sS http://localhost:5080/beans", refused, 7]]);
      await workspace.mine();
      for (let i = 0; i < 2; i++) await workspace.session([["curl -s http://localhost:5080/beans", "", 7]]);
      expect(await workspace.mine()).toEqual([
        "nudge: Before `curl` to `localhost:5080`, start the service there: nothing answered (failed 6 of 6).",
      ]);
    }));

  it("another exit code, another machine or a line whose exit code is not the client's says nothing of the kind", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["curl -s https://beans.example.test/menu", "", 7],
          ["curl -s menu.example.test", "", 6],
          ["curl -sf http://localhost:5082/menu", "", 22],
          ["curl -s http://localhost:5083/menu | ./parse", "", 7],
        ]);
      const rules = (await workspace.mine()).join("\n");
      expect(rules).not.toContain("start the service");
      expect(rules).not.toContain("example.test");
    }));

  it("to ask whether a port answers is no mistake", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++) await workspace.session([["nc -z localhost 5080", ""]]);
      expect(await workspace.mine()).toEqual([]);
      const refused = "nc: connect to localhost port 5090 (tcp) failed: Connection refused";
      for (let i = 0; i < 4; i++) await workspace.session([["nc localhost 5090", refused]]);
      expect((await workspace.mine()).join("\n")).toContain("`localhost:5090`, start the service there");
    }));

  it.each([
    [
      "bin/loom weave --pattern 5",
      "loom: pattern 5: the thread is torn",
      ["bin/loom weave --pattern 6", "bin/loom weave"],
    ],
    ['psql -c "select * from wools"', 'ERROR:  relation "wools" does not exist', ['psql -c "select 1"', "psql"]],
    [
      "python3 tools/dye.py mix indigo",
      "dye: no such colour: indigo",
      ["python3 tools/dye.py mix red", "tools/dye.py"],
    ],
    ["bin/spin --wool merino", "", ["bin/spin --help", "bin/spin --wool angora", "spin"]],
    ["bin/card", "card: the drum is stuck", ["bin/card --help", "bin/card drum", "card"]],
    ["cp b.txt a.txt", "cp: a.txt: the disk is full", ["cp a.txt b.txt", "cp b.txt c.txt"]],
  ])("one call that failed each time is all that its rule is about: %s", (command, error, others) =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++) await workspace.session([[command, error]]);
      const rule = `Unknown cause: \`${command}\` fails here (failed 4 of 4).`;
      expect(await workspace.mine()).toEqual([`watch: ${rule}`]);
      const [mined] = await workspace.rules();
      // An agent has nothing to gain from it, so no agent reads it, and it cannot be approved as it is.
      expect(JSON.parse(await workspace.ask("today", {}))).toMatchObject({ waiting: { approvals: 0, rules: 0 } });
      expect(JSON.parse(await workspace.ask("status", {}))).toMatchObject({ learned: [], waiting: 0, unexplained: 1 });
      await expect(workspace.ask("rules approve", { id: mined?.id })).rejects.toThrow(
        "it only says that calls fail, not what to do",
      );
      expect(await workspace.before(command)).toBe("");
      expect(await workspace.match(command)).not.toContain("Unknown cause");
      await workspace.ask("rules edit", { id: mined?.id, text: "Ask the smith first." });
      expect(await workspace.match(command)).not.toContain("Ask the smith");
      await workspace.ask("rules approve", { id: mined?.id });
      expect(await workspace.match(command)).toContain("Ask the smith first.");
      for (const other of others) expect.soft(await workspace.match(other), other).not.toContain("Ask the smith");
    }),
  );

  it("what all failing calls share is what their rule is about", () =>
    inWorkspace(kind, async (workspace) => {
      for (const row of ["edge", "cuff", "heel", "toe"])
        await workspace.session([[`bin/knit ${row}.txt --yarn silk`, "knit: the needle is bent"]]);
      expect(await workspace.mine()).toEqual([
        "watch: Unknown cause: `bin/knit` with `--yarn silk` fails here (failed 4 of 4).",
      ]);
      expect(await workspace.match("bin/knit edge.txt --yarn wool")).not.toContain("Unknown cause");
    }));

  it("a command as a whole is warned of only if its calls differed in all else", () =>
    inWorkspace(kind, async (workspace) => {
      for (const row of ["edge", "cuff", "edge", "cuff"])
        await workspace.session([[`bin/knit ${row}.txt`, "knit: the needle is bent"]]);
      expect(await workspace.mine()).toEqual([]);
      for (const row of ["heel", "toe"]) await workspace.session([[`bin/knit ${row}.txt`, "knit: the needle is bent"]]);
      expect(await workspace.mine()).toEqual(["watch: Unknown cause: `bin/knit` fails here (failed 6 of 6)."]);
    }));

  it("what is not permitted is the call, not its program", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([["cat /srv/loom.key", "cat: /srv/loom.key: Permission denied"]]);
      expect(await workspace.mine()).toEqual([
        "nudge: `cat /srv/loom.key` fails here with ‘Permission denied’ (failed 4 of 4).",
      ]);
    }));
});
