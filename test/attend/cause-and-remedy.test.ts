import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const traceback = (file: string, error: string) =>
  `Traceback (most recent call last):\n  File "/w/${file}", line 3, in <module>\n    main()\n${error}`;

/** Real sessions of a tester: what a rule may say, and what it must not. */
describe.each(stores)("a rule is true to its cause and its remedy, on $name", (kind) => {
  it("a remedy runs the same script, and an exception of a script is no misuse of it", () =>
    inWorkspace(kind, async (workspace) => {
      for (const day of ["01", "02", "03", "04", "05"]) {
        await workspace.session([
          [`python3 etl.py --day 2026-11-${day}`, traceback("etl.py", "ValueError: bad row")],
          ["python3 gen.py", traceback("gen.py", "ModuleNotFoundError: No module named 'yaml'")],
          ["uv run python gen.py"],
        ]);
        await workspace.mine();
      }
      expect(await workspace.mine()).toEqual([
        "nudge: Use `uv run python gen.py` here: `python3` has no module `yaml` (failed 5 of 5).",
      ]);
      for (const other of ["python3 other.py", "python3 etl.py --day 2026-11-06"])
        expect(await workspace.match(other)).not.toContain("uv run");
    }));

  it("counts a recovery once, however many failures came before it", () =>
    inWorkspace(kind, async (workspace) => {
      const failed = ["python3 tide.py", traceback("tide.py", "RuntimeError: low tide")] as const;
      for (let i = 0; i < 2; i++) await workspace.session([failed, failed, ["uv run python tide.py"]]);
      expect(await workspace.mine()).toEqual([
        "nudge: Run `uv run python tide.py`, not `python3 tide.py`: it worked where `python3 tide.py` had failed, 2 times in 2 sessions.",
      ]);
    }));

  it("another file that was read next is no remedy for a missing one", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["cat notes/plan.md", "cat: notes/plan.md: No such file or directory"],
          ["cat README"],
        ]);
      expect(await workspace.mine()).toEqual([]);
    }));

  it.each([
    ["head -3 conf/smtp.conf", "head: cannot open 'conf/smtp.conf' for reading: No such file or directory"],
    ["tail -n 3 conf/smtp.conf", "tail: cannot open 'conf/smtp.conf' for reading: No such file or directory"],
    ["grep -n a conf/smtp.conf", "ugrep: warning: conf/smtp.conf: No such file or directory"],
    [
      "rg a conf/smtp.conf",
      "rg: conf/smtp.conf: IO error for operation on conf/smtp.conf: No such file or directory (os error 2)",
    ],
    ["awk 1 conf/smtp.conf", "awk: fatal: cannot open file `conf/smtp.conf' for reading: No such file or directory"],
    ["jq . conf/smtp.conf", "jq: error: Could not open file conf/smtp.conf: No such file or directory"],
    ["wc -l conf/smtp.conf", "wc: conf/smtp.conf: No such file or directory"],
  ])("every way of saying that a path is missing asks the disk: %s", (command, error) =>
    inWorkspace(kind, async (workspace) => {
      const instead = command.replace("conf/", "lib/mail/");
      workspace.write("lib/mail/smtp.conf");
      for (let i = 0; i < 4; i++) await workspace.session([[command, error], [instead]]);
      const [rule = ""] = await workspace.mine();
      expect(rule).toContain("there is no `conf/smtp.conf` (failed 4 of 4)");
      expect(await workspace.match(command)).toContain("there is no `conf/smtp.conf`");
      workspace.write("conf/smtp.conf");
      for (const text of [
        await workspace.match(command),
        await workspace.start(),
        await workspace.ask("export", { workspace: workspace.folder }),
      ])
        expect.soft(text).not.toContain("there is no");
    }),
  );

  it("a lock, a missing permission and an unknown cause are no ban on the project's own commands", () =>
    inWorkspace(kind, async (workspace) => {
      const locked =
        "╷\n│ Error: Error acquiring the state lock\n│ \n│ Error message: the conditional request failed\n│ Lock Info:\n│   ID: 9db590f1\n╵";
      const forbidden =
        'Error from server (Forbidden): pods is forbidden: User "ci-bot" cannot list resource "pods" in API group "" in the namespace "pay"';
      for (let i = 1; i < 6; i++)
        await workspace.session([
          ["terraform apply -auto-approve", locked],
          ["kubectl get pods -n pay", forbidden],
          [`./reconcile acct-${i}`, "something went wrong"],
        ]);
      const rules = await workspace.mine();
      expect(rules.join("\n")).not.toContain("Do not run");
      expect(rules).toEqual([
        "advise: Check who holds the lock before `terraform apply`: it found the state locked (failed 5 of 5).",
        "nudge: Ask for the permission before `kubectl get pods -n pay`: `ci-bot` may not list `pods` in `pay` (failed 5 of 5).",
        "watch: Unknown cause: `./reconcile` with an argument such as `acct-5` fails here (failed 5 of 5).",
      ]);
    }));

  it.each(["gh: API rate limit exceeded for user ID 7.", "An error occurred (ThrottlingException): slow down"])(
    "a rate limit makes no rule: %s",
    (error) =>
      inWorkspace(kind, async (workspace) => {
        for (let i = 0; i < 5; i++) await workspace.session([["gh api user", error]]);
        expect(await workspace.mine()).toEqual([]);
      }),
  );

  it("a rule from failures is silent with the result of a call that worked, and the success counts against it", () =>
    inWorkspace(kind, async (workspace) => {
      const unknown = "error: unexpected argument '--dev-only' found";
      for (let i = 0; i < 4; i++) await workspace.session([["uv sync --dev-only", unknown, 2], ["uv sync --dev"]]);
      expect((await workspace.mine()).join("\n")).toContain(
        "in place of `--dev-only`: it has no such option (failed 4 of 4)",
      );
      // A version that is shown text only with the result of a call.
      const send = (command: string, name: string, end: object) =>
        workspace.sendHook(
          { permission_mode: "default", tool_name: "Bash", tool_input: { command }, tool_use_id: name, ...end },
          `late-${name}`,
        );
      const failed = { hook_event_name: "PostToolUseFailure", error: `Exit code 2\n${unknown}` };
      const worked = { hook_event_name: "PostToolUse", tool_response: { stdout: "ok" } };
      expect(await send("uv sync --dev-only", "fails", failed)).toContain("in place of `--dev-only`");
      expect(await send("uv sync --dev-only", "works", worked)).toBe("");
      expect((await workspace.mine()).join("\n")).toContain("(failed 5 of 6)");
      // What a person does not want may work, and is still shown.
      await workspace.ask("learn", { text: "Never publish by hand.", command: "uv publish", level: "nudge" });
      expect(await send("uv publish", "unwanted", worked)).toContain("Never publish by hand.");
    }));

  it("a failure of another cause neither weakens a rule nor is its success", () =>
    inWorkspace(kind, async (workspace) => {
      const command = "go test -parallelism 4 ./...";
      for (let i = 0; i < 4; i++)
        await workspace.session([[command, "flag provided but not defined: -parallelism"], ["go test ./..."]]);
      const rule =
        "nudge: Look up what `go test` has in place of `-parallelism`: it has no such option (failed 4 of 4).";
      expect(await workspace.mine()).toEqual([rule]);
      await workspace.session([[command, "bash: line 1: go: command not found", 127]]);
      expect(await workspace.mine()).toEqual([rule]);
      expect(await workspace.before(command)).toContain("in place of `-parallelism`");
    }));

  it("one moved file is one rule for all programs that read it, with the path as its remedy", () =>
    inWorkspace(kind, async (workspace) => {
      const [old, now] = ["handlers/refund.go", "internal/handlers/refund.go"];
      workspace.write(now);
      for (let i = 1; i < 5; i++) {
        await workspace.session([
          [`cat ${old}`, `cat: ${old}: No such file or directory`],
          [`cat ${now}`],
          [`head -${i} ${old}`, `head: cannot open '${old}' for reading: No such file or directory`],
          [`head -${i} ${now}`],
          [`grep -n a${i} ${old}`, `grep: ${old}: No such file or directory`, 2],
          [`grep -n a ${now}`],
        ]);
        await workspace.mine();
      }
      const sentence = `Use \`${now}\` here: there is no \`${old}\` (failed 12 of 12).`;
      expect(await workspace.mine()).toEqual([`nudge: ${sentence}`]);
      for (const command of [`cat ${old}`, `head -9 ${old}`, `grep x ${old}`])
        expect.soft(await workspace.match(command)).toContain(`there is no \`${old}\``);
      expect(await workspace.match(`grep -n a4 ${now}`)).not.toContain("there is no");
    }));

  it("a variable is named without its value, also where it was always the same: the error does not give it", () =>
    inWorkspace(kind, async (workspace) => {
      const missing = "E   KeyError: 'TIDE_DSN'\ntests/conftest.py:11: KeyError";
      for (let i = 0; i < 4; i++)
        await workspace.session([["uv run pytest", missing, 4], ["TIDE_DSN=sqlite:///t.db uv run pytest"]]);
      expect(await workspace.mine()).toEqual([
        "nudge: `uv run pytest` asks for the variable `TIDE_DSN` here; whether and how to set it is the user's decision (failed 4 of 4).",
      ]);
    }));
});
