import { describe, expect, it } from "vitest";
import type { Context } from "../../src/context.ts";
import { distil } from "../../src/distil/mining/distil.ts";
import { MAX_GROUP_CALLS } from "../../src/distil/mining/mine-failures.ts";
import { owner } from "../../src/domain/actor.ts";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { readCall } from "../../src/domain/cause/read-call.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { matchesSteps } from "../../src/domain/rule/matching/matcher.ts";
import type { Matcher, Rule } from "../../src/domain/rule/rule.ts";
import { parseSteps } from "../../src/domain/shell/step.ts";
import { DAY, fixedClock } from "../../src/lib/clock.ts";
import { listSayableRules } from "../../src/recall/calls/sayable-rules.ts";
import { digest } from "../../src/store/derived/digest.ts";
import type { Store } from "../../src/store/engine/db.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { applyChange } from "../../src/store/journal/journal.ts";
import { listRules, ruleNoun } from "../../src/store/nouns/rules.ts";
import { quiet } from "../context.ts";
import { anEvent, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const NOW = Date.UTC(2026, 5, 1);

interface Call {
  readonly run?: string;
  readonly tool?: string;
  readonly input?: object;
  /** The output if it failed. */
  readonly error?: string;
  /** The output if the host says that it succeeded. */
  readonly text?: string;
}

const run = (command: string, error?: string): Call => ({ run: command, ...(error === undefined ? {} : { error }) });

/** From failures to rules, by cause. */
describe.each(stores)("rules of one cause, on $name", (kind) => {
  let count = 0;

  async function session(store: Store, workspace: string, calls: readonly Call[], at = NOW - 5 * DAY): Promise<void> {
    const name = `s${count++}`;
    const events = calls.map((call, seq): NewEvent => {
      const raw = {
        ...anEvent(`${name}-${seq}`),
        session: name,
        seq,
        at: at + seq * 1_000,
        workspace,
        cwd: workspace,
        tool: call.tool ?? "Bash",
        input: call.input ?? { command: call.run },
        ok: call.error === undefined,
        error: call.error ?? null,
        text: call.text ?? null,
      };
      return { ...raw, ...readCall(raw) };
    });
    await appendEvents(store.db, events);
    await digest(store.db);
  }

  const worldOf = ({ db, store }: Store & { store?: never }): Context =>
    ({
      ...quiet,
      db,
      store,
      clock: fixedClock(NOW),
      config: { policy: defaultPolicy },
      actor: owner,
    }) as unknown as Context;

  const mined = async (store: Store) => {
    const { proposals } = await distil(worldOf(store), { write: true, only: ["failures"] });
    return proposals.map(({ level, text, scope }) => ({
      level,
      text,
      where: scope.kind === "global" ? "everywhere" : scope.workspace,
    }));
  };

  const said = async (store: Store, workspace: string) =>
    (await listSayableRules(worldOf(store), { workspace, session: null })).map((rule) => rule.text);

  const met = (matcher: Matcher | null | undefined, command: string) =>
    matchesSteps(
      matcher as Matcher,
      parseSteps({ tool: "Bash", input: { command }, cwd: "/w/shop", workspace: "/w/shop" }),
      new Set(),
    );

  const tooLarge = "File content (30000 tokens) exceeds maximum allowed tokens (25000).";
  const noModule = (python: string) => `/usr/bin/${python}: No module named pytest`;

  it.each(["mined", "twin"] as const)("leave no twin waiting once the %s one is decided on", (which) =>
    withStore(kind, async (store) => {
      const day = [run("sh tools/push.sh x", "error: the remote refused it"), run("sh tools/list.sh a")];
      for (let i = 0; i < 3; i++) await session(store, "/w/shop", day);
      await mined(store);
      const [rule] = await listRules(store.db);
      if (rule === undefined) throw new Error("nothing was mined");
      const matcher = { tool: "shell", head: "sh", has: ["arg tools/push.sh"] };
      const byLaw = { actor: owner, cause: { kind: "operation", id: "distil", note: null }, at: NOW } as const;
      await put(store.db, ruleNoun, { ...rule, id: "r_twin", matcher }, byLaw);
      const decided = which === "mined" ? rule : { ...rule, id: "r_twin", matcher };
      await put(store.db, ruleNoun, { ...decided, status: "retired" });
      await session(store, "/w/shop", day);
      await mined(store);
      const all = await listRules(store.db);
      expect(all.map(({ id, status }) => [id === decided.id, status]).toSorted()).toEqual([
        [false, "merged"],
        [true, "retired"],
      ]);
    }),
  );

  it("cover every spelling of a missing program, and say what ran the tests instead", () =>
    withStore(kind, async (store) => {
      await session(store, "/w/sym", [
        run("pytest sym/a.py", "bash: line 1: pytest: command not found"),
        run("bin/test sym/a.py"),
      ]);
      await session(store, "/w/sym", [run("python -m pytest sym/b.py", noModule("python")), run("bin/test sym/b.py")]);
      await session(store, "/w/sym", [
        run("python3 -m pytest sym/c.py", noModule("python3")),
        run("pytest sym/c.py", "bash: line 1: pytest: command not found"),
        run("bin/test sym/c.py"),
      ]);
      expect(await mined(store)).toEqual([
        {
          level: "nudge",
          text: "Use `bin/test` here: `pytest` is not installed, neither as `pytest` nor with `python -m pytest` (failed 4 of 4).",
          where: "/w/sym",
        },
      ]);
      const [rule] = await listRules(store.db);
      expect(rule?.evidence.remedy).toMatchObject({ origin: "correction" });
    }));

  it("are about the script that an interpreter is handed, however it is started", () =>
    withStore(kind, async (store) => {
      const refused = "usage: migrate.py [-h]\nmigrate.py: error: unrecognized arguments: --target 4";
      for (const start of ["python3 tools/migrate.py", "python3 -u tools/migrate.py", "./tools/migrate.py"])
        await session(store, "/w/shop", [
          run(`${start} up --target 4`, refused),
          run(`${start} up --targets 4`),
          run("python3 train.py --target price"),
        ]);
      expect(await mined(store)).toEqual([
        {
          level: "advise",
          text: "Use `tools/migrate.py up --targets` here: `migrate.py up` has no option `--target` (failed 3 of 3).",
          where: "/w/shop",
        },
      ]);
      const [rule] = await listSayableRules(worldOf(store), { workspace: "/w/shop", session: null });
      for (const start of ["python", "python3 -X dev", "uv run python", "uv run", ""])
        expect(met(rule?.matcher, `${start} tools/migrate.py --target 5 up`), start).toBe(true);
      expect(met(rule?.matcher, "python3 train.py --target price")).toBe(false);
      expect(met(rule?.matcher, "python3 tools/migrate.py up --targets 4")).toBe(false);
    }));

  it("are about the subcommand of a script that does not know an option, not about one that does", () =>
    withStore(kind, async (store) => {
      const refused = "usage: stock.py count [-h]\nstock.py: error: unrecognized arguments: --site x";
      for (const start of ["python3 tools/stock.py", "./tools/stock.py", "python3 tools/stock.py"])
        await session(store, "/w/shop", [
          run(`${start} count --site x`, refused),
          run(`${start} count --sites x`),
          run(`${start} list --site x`),
        ]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Use `python3 tools/stock.py count --sites` here: `stock.py count` has no option `--site` (failed 3 of 3).",
      ]);
      const [rule] = await listSayableRules(worldOf(store), { workspace: "/w/shop", session: null });
      expect(met(rule?.matcher, "python3 tools/stock.py count --site y")).toBe(true);
      expect(met(rule?.matcher, "python3 tools/stock.py list --site y")).toBe(false);
    }));

  it("are one for a script that fails alike whatever word it is given", () =>
    withStore(kind, async (store) => {
      const refused = "usage: runtests.py\nruntests.py: error: unrecognized arguments: --fast";
      for (const module of ["timezones", "admin", "forms"])
        await session(store, "/w/shop", [
          run(`tests/runtests.py ${module} --fast`, refused),
          run(`tests/runtests.py ${module}`),
          run(`tools/up.sh ${module}`, "connect ECONNREFUSED 127.0.0.1:5432"),
          run(`bin/seed.sh ${module}`, "zsh:1: no such file or directory: bin/seed.sh"),
        ]);
      const texts = (await mined(store)).map((one) => one.text);
      expect(texts.toSorted()).toEqual([
        "Before `up.sh`, start the service it connects to: nothing answered (failed 3 of 3).",
        "Look up what `runtests.py` has in place of `--fast`: it has no such option (failed 3 of 3).",
      ]);
      const rules = await listSayableRules(worldOf(store), { workspace: "/w/shop", session: null });
      for (const module of ["timezones", "admin", "forms"]) {
        const speaking = (command: string) => rules.filter((rule) => met(rule.matcher, command)).length;
        expect(speaking(`python3 tests/runtests.py ${module} --fast`)).toBe(1);
        expect(speaking(`tests/runtests.py ${module}`)).toBe(0);
        expect(speaking(`tools/up.sh ${module}`)).toBe(1);
        // A missing script is a fact, not a rule.
        expect(speaking(`bin/seed.sh ${module}`)).toBe(0);
      }
    }));

  it.each(["node scripts/seed.mjs", "bash bin/seed.sh", "bun run scripts/seed.ts"])(
    "say what the error offers for an option of a script: %s",
    (start) =>
      withStore(kind, async (store) => {
        for (const _ of [1, 2, 3])
          await session(store, "/w/shop", [
            run(`${start} --tint`, "error: unknown option '--tint' (did you mean --tone?)"),
            run(`${start} --tone`),
          ]);
        expect((await mined(store)).map((one) => one.text)).toEqual([
          `Use \`${start} --tone\` here: \`${start}\` has no option \`--tint\` (failed 3 of 3).`,
        ]);
      }),
  );

  it.each(["bundle", "packit"])("are one for a program and an option that it does not know: %s", (program) =>
    withStore(kind, async (store) => {
      const refused = "error: unknown option '--minify' (did you mean --compress?)";
      for (const words of ["--minify", "app --minify", "--minify --out x"])
        await session(store, "/w/shop", [run(`${program} ${words}`, refused), run(`${program} list`)]);
      const rules = await mined(store);
      expect(rules).toEqual([
        {
          level: "advise",
          text: `Use \`${program} --compress\` here: \`${program}\` has no option \`--minify\` (failed 3 of 3).`,
          where: "/w/shop",
        },
      ]);
      const [rule] = await listSayableRules(worldOf(store), { workspace: "/w/shop", session: null });
      expect(rule?.matcher).toEqual({
        tool: "shell",
        head: program,
        heads: [`${program} app`],
        has: ["flag --minify"],
      });
    }),
  );

  it("offer no option that failed as well, and none that only one session was offered", () =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3])
        await session(store, "/w/shop", [
          run("packit --minify", "error: unknown option '--minify' (did you mean --compress?)"),
          run("packit --compress", "error: the store is locked"),
          run("packit"),
        ]);
      const once = " (did you mean --short?)";
      for (const hint of [once, "", ""])
        await session(store, "/w/shop", [run("wrapit --brief", `error: unknown option '--brief'${hint}`)]);
      const texts = (await mined(store)).map((one) => one.text);
      expect(texts).toContain(
        "Look up what `packit` has in place of `--minify`: it has no such option (failed 3 of 3).",
      );
      expect(texts).toContain(
        "Look up what `wrapit` has in place of `--brief`: it has no such option (failed 3 of 3).",
      );
    }));

  it("learn that a command must be started through another, also where it looks like a test", () =>
    withStore(kind, async (store) => {
      const unset = "Exit code 3\nBAKERY_DB is not set; start me through ./tools/with-db";
      for (const _ of [1, 2, 3])
        await session(store, "/w/shop", [
          run("./tools/runtests", unset),
          run("shellcheck ./tools/runtests"),
          run("./tools/with-db ./tools/runtests"),
        ]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Use `./tools/with-db ./tools/runtests` here: `tools/runtests` does not work (failed 3 of 3).",
      ]);
    }));

  it("say what ran the tests soon after a test runner was missing", () =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3])
        await session(store, "/w/shop", [
          run("pytest", "bash: line 1: pytest: command not found"),
          run("ls tools"),
          run("./tools/with-db ./tools/runtests"),
        ]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Use `./tools/with-db ./tools/runtests` here: `pytest` is not installed (failed 3 of 3).",
      ]);
    }));

  it("tell a call by what happened to its tool before", () =>
    withStore(kind, async (store) => {
      const spawn = "ENOENT: no such file or directory, posix_spawn '/opt/agent/2.1'";
      const grep = (error?: string): Call => ({ tool: "Grep", input: { pattern: "x" }, ...(error ? { error } : {}) });
      await session(store, "/w/sym", [grep()]);
      for (const _ of [1, 2, 3]) await session(store, "/w/sym", [grep(spawn), grep(spawn)]);
      const texts = (await mined(store)).map((one) => one.text);
      expect(texts).toContain(
        "Use a shell command instead of Grep once it could not start: its program stays missing until the session is restarted (failed 3 of 3).",
      );
    }));

  it("name a folder that was taken for a file, but none outside the session's own", () =>
    withStore(kind, async (store) => {
      const read = (file_path: string): Call => ({
        tool: "Read",
        input: { file_path },
        error: `EISDIR: illegal operation on a directory, read '${file_path}'`,
      });
      for (const folder of ["/w/sym/web", "/w/sym/web/src", "/etc/ssl"]) await session(store, "/w/sym", [read(folder)]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "List a folder such as `web/src` with `ls` first, then read the files you need: Read cannot open a folder (failed 3 of 3).",
      ]);
    }));

  it("know the folder that a session is in, and so do calls about to run", () =>
    withStore(kind, async (store) => {
      const read = (file_path: string, error?: string): Call => ({
        tool: "Read",
        input: { file_path },
        ...(error ? { error } : {}),
      });
      await session(store, "/w/sym", [read("/w/sym/hooks/pre-commit")]);
      for (const _ of [1, 2, 3])
        await session(store, "/w/sym", [read("/w/sym", "EISDIR: illegal operation on a directory, read '/w/sym'")]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "List a folder with `ls` first, then read the files you need: Read cannot open a folder (failed 3 of 3).",
      ]);
    }));

  it("are not hidden by a workspace where the same tool is used far more", () =>
    withStore(kind, async (store) => {
      const read = (file_path: string, error?: string): Call => ({
        tool: "Read",
        input: { file_path },
        ...(error ? { error } : {}),
      });
      for (const _ of [1, 2, 3])
        await session(store, "/w/sym", [read("/w/sym", "EISDIR: illegal operation on a directory, read '/w/sym'")]);
      await session(
        store,
        "/w/busy",
        Array.from({ length: MAX_GROUP_CALLS }, () => read("/w/busy/a.ts")),
      );
      expect((await mined(store)).map((one) => one.where)).toEqual(["/w/sym"]);
    }));

  it("find the command without its first word, and the script of a like name", () =>
    withStore(kind, async (store) => {
      const unknown = "error: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>";
      const missing = 'npm error Missing script: "tests"';
      for (const _ of [1, 2, 3]) {
        await session(store, "/w/eval", [
          run("rtk bun run test 2>&1", unknown),
          run("git status"),
          run("bun run test"),
        ]);
        await session(store, "/w/shop", [run("npm run tests", missing), run("npm run test:unit")]);
      }
      expect((await mined(store)).map((one) => one.text).toSorted()).toEqual([
        "Use `bun run test` here: `rtk bun` is not a command (failed 3 of 3).",
        "Use `npm run test:unit` here: there is no script `tests` (failed 3 of 3).",
      ]);
    }));

  it.each([
    "error: unknown command 'build'\n\nDid you mean 'bake'?",
    "kiln: 'build' is not a kiln command. See 'kiln --help'.",
    "error: unrecognized subcommand 'build'\n\n  tip: a similar subcommand exists: 'bake'",
    "kiln: error: argument command: invalid choice: 'build' (choose from 'bake', 'fire')",
    'Error: unknown command "build" for "kiln"\nRun \'kiln --help\' for usage.',
  ])("name the subcommand that works, from any place it is called: %j", (error) =>
    withStore(kind, async (store) => {
      for (const tiles of ["red", "blue", "green"])
        await session(store, "/w/pots", [run(`./bin/kiln build ${tiles}`, error), run(`./bin/kiln bake ${tiles}`)]);
      const [rule, ...others] = await mined(store);
      expect(others).toEqual([]);
      // Only the error can say that the one is the other.
      const isOffered = /did you mean|similar/i.test(error);
      const said = /^Use `bin\/kiln bake` here: `kiln build` (?:is not a command|does not work)/;
      expect(rule?.text).toMatch(isOffered ? said : /^Do not run `kiln build` here: `kiln build` is not a command/);
    }),
  );

  it("say what to leave out where several commands worked without their first word", () =>
    withStore(kind, async (store) => {
      const unknown = "error: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>";
      for (const script of ["test", "test", "lint"])
        await session(store, "/w/eval", [run(`rtk bun run ${script}`, unknown), run(`bun run ${script}`)]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Run `bun` without `rtk` here, such as `bun run test`: `rtk bun` is not a command (failed 3 of 3).",
      ]);
    }));

  it.each([
    // What a Mac has in place of an option of GNU; else a letter in the place of a letter is no remedy.
    { flag: "-A", says: "Use `cat -et` here, not `cat -A`: this `cat` has no option `-A` (failed 4 of 4)." },
    { flag: "-Z", says: "Do not use `-Z` with `cat` here: it has no such option (failed 4 of 4)." },
  ])("count a failure of $flag that a pipe hid from its host", ({ flag, says }) =>
    withStore(kind, async (store) => {
      const text = `cat: illegal option -- ${flag.slice(1)}\nusage: cat [-belnstuv] [file ...]`;
      for (const file of ["a", "b", "c", "d"])
        await session(store, "/w/mac", [
          { run: `sed -n 1p ${file}.ts | cat ${flag} | head`, text },
          run(`sed -n 1p ${file}.ts | cat -v`),
        ]);
      expect(await mined(store)).toEqual([
        {
          level: "nudge",
          text: says,
          where: "/w/mac",
        },
      ]);
    }),
  );

  it("give the usage of a wrapper that runs in the program's place, also where most errors are cut short", () =>
    withStore(kind, async (store) => {
      const cut = "error: unexpected argument '-n' found\n\nUsage: rtk find [OPTIONS] <PATTERN> …";
      const whole = cut.replace("…", "[PATH]");
      for (const [file, text] of Object.entries({ a: cut, b: cut, c: whole, d: cut }))
        await session(store, "/w/wrapped", [run(`find src -name "${file}.ts"`, text)]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Call `find` as `rtk find [OPTIONS] <PATTERN> [PATH]` here: `rtk find` runs in its place and has no option `-name` (failed 4 of 4).",
      ]);
    }));

  it("offer nothing that worked only elsewhere; what is only missing is a fact, and no rule", () =>
    withStore(kind, async (store) => {
      for (const n of [1, 2, 3]) {
        await session(store, "/w/one", [run(`docker-compose up ${n}`, "zsh:1: command not found: docker-compose")]);
        await session(store, "/w/two", [run("docker compose up")]);
      }
      expect(await mined(store)).toEqual([]);
    }));

  it("speak at the start from three failures in two sessions, at the call from four, and not once it worked", () =>
    withStore(kind, async (store) => {
      const fails = run("rel push --env x", "error: unknown option '--env'");
      await session(store, "/w/a", [fails, fails]);
      expect(await mined(store)).toEqual([]);
      await session(store, "/w/a", [fails]);
      expect((await mined(store)).map((one) => one.level)).toEqual(["advise"]);
      for (const _ of [1, 2]) await session(store, "/w/b", [fails, fails]);
      await session(store, "/w/c", [fails, fails]);
      await session(store, "/w/c", [fails, run("rel push --env x")]);
      expect((await mined(store)).map(({ level, where }) => [where, level]).toSorted()).toEqual([
        ["/w/a", "advise"],
        ["/w/b", "nudge"],
        ["/w/c", "watch"],
      ]);
    }));

  it("hold everywhere from three workspaces on, and are silent at once where the call works", () =>
    withStore(kind, async (store) => {
      const fails = run("rel push --env x", "error: unknown option '--env'");
      for (const workspace of ["/w/a", "/w/b", "/w/c"]) await session(store, workspace, [fails, fails]);
      const text = "Look up what `rel push` has in place of `--env`: it has no such option (failed 6 of 6).";
      expect(await mined(store)).toEqual([{ level: "nudge", text, where: "everywhere" }]);
      expect(await said(store, "/w/new")).toEqual([text]);
      await session(store, "/w/new", [run("rel push --env x")]);
      expect(await said(store, "/w/new")).toEqual([]);
      expect(await said(store, "/w/a")).toEqual([text]);
    }));

  it("never contradict each other: who is told that an option is unknown is not told to use it", () =>
    withStore(kind, async (store) => {
      const unknown = (option: string) => run(`rel push ${option} x`, `error: unknown option '${option}'`);
      for (const workspace of ["/w/a", "/w/b", "/w/c"])
        for (const _ of [1, 2]) await session(store, workspace, [unknown("--env"), run("rel push --environment x")]);
      for (const _ of [1, 2, 3]) await session(store, "/w/old", [unknown("--env"), unknown("--environment")]);
      const everywhere = "Use `rel push --environment`: `rel push` has no option `--env` (failed 9 of 9).";
      const old = "Look up what `rel push` has in place of `--environment`: it has no such option (failed 3 of 3).";
      expect((await mined(store)).map(({ where, text }) => [where, text]).toSorted()).toEqual([
        ["/w/old", old],
        ["everywhere", everywhere],
      ]);
      expect(await said(store, "/w/old")).toEqual([old]);
      expect(await said(store, "/w/a")).toEqual([everywhere]);
    }));

  it("say of a module that is missing only where it is: another project has another environment", () =>
    withStore(kind, async (store) => {
      const fails = run("/usr/bin/python3 -m pytest a.py", noModule("python3"));
      for (const workspace of ["/w/a", "/w/b", "/w/c"])
        for (const _ of [1, 2, 3]) await session(store, workspace, [fails, run("pytest a.py"), run("pytest b.py")]);
      const text =
        "Run `pytest` directly here, not with `/usr/bin/python3 -m`: that Python has no `pytest` (failed 3 of 3).";
      expect((await mined(store)).map((one) => [one.where, one.text]).toSorted()).toEqual([
        ["/w/a", text],
        ["/w/b", text],
        ["/w/c", text],
      ]);
      expect(await said(store, "/w/d")).toEqual([]);
    }));

  it("blame the command that the error speaks of, not what happened to come before it", () =>
    withStore(kind, async (store) => {
      for (const file of ["a", "b", "c", "d"])
        await session(store, "/w/mac", [
          run(`sed -n 1p ${file}.ts && cat -A ${file}.ts`, "cat: illegal option -- A"),
          run(`sed -n 2p ${file}.ts`),
        ]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Do not use `-A` with `cat` here: it has no such option (failed 4 of 4).",
      ]);
    }));

  it("tell a path that names the folder the shell is in", () =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3, 4]) {
        await session(store, "/w/cli/cmd", [run("cd cmd && go test", "(eval):cd:1: no such file or directory: cmd")]);
        await session(store, "/w/cli/cmd", [run("go test ./x")]);
      }
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Use an absolute path, or `cd` to the project's root first: the shell stays in the folder of an earlier `cd` (failed 4 of 4).",
      ]);
    }));

  it("keep their subject: what fails of another path makes another candidate", () =>
    withStore(kind, async (store) => {
      const gone = (path: string) => run(`gh api ${path}`, "gh: Not Found (HTTP 404)");
      for (const _ of [1, 2, 3]) await session(store, "/w/shop", [gone("orders/old"), run("gh api shop/orders")]);
      await mined(store);
      const [first] = await listRules(store.db);
      for (const _ of [1, 2, 3]) await session(store, "/w/shop", [gone("stock/old"), gone("stock/old")]);
      await mined(store);
      const rules = await listRules(store.db);
      expect(rules.find((rule) => rule.id === first?.id)).toMatchObject({ text: first?.text, matcher: first?.matcher });
      expect(rules.map((rule) => rule.text)).toEqual([
        "Use `gh api shop/orders` here: the server does not know `orders/old` (failed 3 of 3).",
        "Do not call `gh api stock/old` here: the server does not know `stock/old` (failed 6 of 6).",
      ]);
    }));

  it("keep their subject: where the same call fails for another cause by now, another candidate takes the place of the first", () =>
    withStore(kind, async (store) => {
      const [busy, refused] = ["Error: listen EADDRINUSE: address already in use", "sh: 1: serve: Permission denied"];
      for (const _ of [1, 2, 3]) await session(store, "/w/shop", [run("npm start", busy)]);
      await mined(store);
      const [first] = await listRules(store.db);
      expect(first?.text).toBe(
        "Use another port for `npm start`, or find out who holds the port, and do not stop a process that you did not start: the port was in use (failed 3 of 3).",
      );
      for (const _ of [1, 2, 3])
        await session(store, "/w/shop", [run("npm start", refused), run("npm start", refused)]);
      await mined(store);
      const rules = await listRules(store.db);
      const [old, other] = [rules.find(({ id }) => id === first?.id), rules.find(({ id }) => id !== first?.id)];
      expect(old).toMatchObject({ text: first?.text, status: "merged", mergedInto: other?.id });
      expect(other).toMatchObject({
        text: "`npm start` fails here with ‘Permission denied’ (failed 6 of 9).",
        status: "candidate",
        evidence: { observations: 6 },
      });
    }));

  it("name a path with its digits where all failures had the same, and warn of that path alone", () =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3])
        await session(store, "/w/shop2", [
          run("gh api repos/shop/list"),
          run("gh api repos/v2/orders", "gh: Not Found (HTTP 404)"),
          { tool: "Read", input: { file_path: "/w/shop2/package.json" } },
          { tool: "Read", input: { file_path: "/w/shop2/data/2024-06.json" }, error: tooLarge },
        ]);
      await mined(store);
      const rules = await listRules(store.db);
      expect(rules.map((rule) => rule.text).toSorted()).toEqual([
        "Do not call `gh api repos/v2/orders` here: the server does not know `repos/v2/orders` (failed 3 of 3).",
        "Read `data/2024-06.json` in parts: the file is too large (failed 3 of 3).",
      ]);
      const matcher = rules.find((rule) => rule.matcher?.tool === "shell")?.matcher;
      expect([met(matcher, "gh api repos/v2/orders"), met(matcher, "gh api repos/v3/orders")]).toEqual([true, false]);
    }));

  it("give one real example where the digits differ", () =>
    withStore(kind, async (store) => {
      for (const n of [71, 82, 93])
        await session(store, "/w/shop", [
          { tool: "Read", input: { file_path: "/w/shop/package.json" } },
          { tool: "Read", input: { file_path: `/w/shop/2024-${n}.json` }, error: tooLarge },
        ]);
      await mined(store);
      const rules = await listRules(store.db);
      expect(rules.map((rule) => rule.text).toSorted()).toEqual([
        "Read a file such as `2024-93.json` in parts: the file is too large (failed 3 of 3).",
      ]);
    }));

  it("give a real example of what works instead, too", () =>
    withStore(kind, async (store) => {
      for (const n of [71, 82, 93])
        await session(store, "/w/shop", [
          run(`gh api pulls/comments/${n}/replies`, "gh: Not Found (HTTP 404)"),
          run(`gh api pulls/5/comments/${n}/replies`),
        ]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Use a call such as `gh api pulls/PULL_NUMBER/comments/COMMENT_NUMBER/replies` here: without `PULL_NUMBER`, the server does not know the path (failed 3 of 3).",
      ]);
    }));

  it("say in full what they showed with masked numbers, also where their owner approved them", () =>
    withStore(kind, async (store) => {
      const gone = [run("gh api repos/shop/list"), run("gh api repos/v2/orders", "gh: Not Found (HTTP 404)")];
      for (const _ of [1, 2, 3]) await session(store, "/w/shop", gone);
      await mined(store);
      const [rule] = await listRules(store.db);
      const because = { actor: owner, cause: { kind: "operation", id: "distil", note: null }, at: NOW } as const;
      const masked = {
        ...(rule as Rule),
        text: "Do not call `gh api repos/v#/orders` here: the server does not know `repos/v#/orders` (failed 3 of 3).",
        matcher: { ...rule?.matcher, tool: "shell", has: ["arg repos/v#/orders"] },
        status: "approved" as const,
      };
      await applyChange(store.db, { noun: ruleNoun, id: masked.id }, because, () => masked);
      await session(store, "/w/shop", gone);
      await mined(store);
      expect(await listRules(store.db)).toMatchObject([
        {
          id: rule?.id,
          status: "approved",
          matcher: masked.matcher,
          text: "Do not call `gh api repos/v2/orders` here: the server does not know `repos/v2/orders` (failed 4 of 4).",
        },
      ]);
    }));

  it("say to sign in where nobody is, of the script by its whole name, and offer no call that they warn of", () =>
    withStore(kind, async (store) => {
      const out = "error: not logged in";
      for (const start of ["python3 tools/graft.py", "sh tools/hoist.sh"])
        for (const n of [1, 2, 3, 4, 5])
          await session(store, "/w/graft", [
            run(`${start} plan`, out),
            run(`${start} apply`, out),
            ...(n > 1 ? [run(`${start} plan`)] : []),
          ]);
      expect((await mined(store)).map((one) => one.text).toSorted()).toEqual([
        "Sign in before `python3 tools/graft.py apply` or `python3 tools/graft.py plan`: it needs a signed-in user (failed 5 of 5).",
        "Sign in before `sh tools/hoist.sh apply` or `sh tools/hoist.sh plan`: it needs a signed-in user (failed 5 of 5).",
      ]);
    }));

  it("name the script that an interpreter is handed alone, never the interpreter by itself", () =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3])
        await session(store, "/w/graft", [
          run("python3 tools/graft.py", "error: not logged in"),
          run("python3 tools/sync.py", "error: not logged in"),
        ]);
      await mined(store);
      expect((await listRules(store.db)).map((rule) => [rule.text, rule.matcher?.has]).toSorted()).toEqual(
        ["arg tools/graft.py", "arg tools/sync.py"].map((script) => [
          `Sign in before \`python3 ${script.slice("arg ".length)}\`: it needs a signed-in user (failed 3 of 3).`,
          [script],
        ]),
      );
    }));

  it("offer no call that they warn of themselves", () =>
    withStore(kind, async (store) => {
      const refused = "forge: the anvil is cold";
      for (const n of [1, 2, 3, 4, 5, 6])
        await session(store, "/w/forge", [
          run(`forge nails -n ${n}`, refused),
          ...(n > 4 ? [run("forge nails --all -n 9")] : []),
        ]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Unknown cause: `forge nails` with an argument such as `-n 6` fails here (failed 6 of 8).",
      ]);
    }));

  it("count of the failures only those of their cause", () =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3, 4]) await session(store, "/w/ship", [run("gh pr create", "error: not logged in")]);
      await session(store, "/w/ship", [run("gh pr create", "panic: the moon is full")]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Sign in before `gh pr create`: it needs a signed-in user (failed 4 of 5).",
      ]);
    }));

  it("count a cause as one however the error words it", () =>
    withStore(kind, async (store) => {
      for (const error of ["cat: illegal option -- A", "cat: illegal option -- A", "cat: unknown option '-A'"])
        for (const _ of [1, 2]) await session(store, "/w/mac", [run("cat -A a.ts", error)]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Do not use `-A` with `cat` here: it has no such option (failed 6 of 6).",
      ]);
    }));

  it("take no other value for a remedy where the error does not speak of the value", () =>
    withStore(kind, async (store) => {
      const cases = [
        ["/w/push", "sh tools/push.sh reports/2024-0%/harbour.csv", "connect ECONNREFUSED 127.0.0.1:443"],
        ["/w/level", "tools/level --stage %", "Error: Command timed out after 120s"],
        ["/w/port", "npm start -- --port 300%", "Error: listen EADDRINUSE: address already in use"],
        ["/w/key", "gh repo clone acme/shop%", "Permission denied (publickey)"],
        ["/w/odd", "tools/odd --stage %", "odd: the kettle is cold"],
      ] as const;
      for (const [workspace, command, error] of cases)
        for (const _ of [1, 2, 3, 4, 5])
          await session(store, workspace, [run(command.replace("%", "7"), error), run(command.replace("%", "8"))]);
      const rules = await mined(store);
      expect(rules.map((one) => one.where).toSorted()).toEqual(cases.map(([workspace]) => workspace).toSorted());
      // Another port does the same work.
      expect(rules.filter((one) => one.text.includes("8")).map((one) => one.where)).toEqual(["/w/port"]);
    }));

  it("take another value or option for a remedy only where the error offers it", () =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3]) {
        await session(store, "/w/odd", [
          run("tools/odd --stage 7", "odd: Did you mean 8?"),
          run("tools/odd --stage 8"),
        ]);
        await session(store, "/w/level", [
          run("tools/level --stage 7", "connect ECONNREFUSED 127.0.0.1:443"),
          run("tools/level --stage 7 --offline"),
        ]);
      }
      expect((await mined(store)).map((one) => one.text).toSorted()).toEqual([
        "Before `level`, start the service it connects to: nothing answered (failed 3 of 3).",
        "Use `tools/odd --stage 8` here: `odd` with `--stage 7` does not work (failed 3 of 3).",
      ]);
    }));

  it.each([
    "npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/tidesync failed",
    "npm error code ENOTFOUND\nnpm error network request to https://registry.npmjs.org/tidesync failed",
    "npm error code E503\nnpm error 503 Service Unavailable - GET https://registry.npmjs.org/tidesync",
    "Error: connect ECONNREFUSED 10.2.0.4:443",
    "Error: read ECONNRESET",
    "Error: connect ETIMEDOUT 10.2.0.4:443",
    "HTTP 429: Too Many Requests",
    "curl: (6) Could not resolve host: registry.npmjs.org",
  ])("are not made of a network that failed: %j", (error) =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3, 4]) {
        await session(store, "/w/tide", [run("npx tidesync", error), run("git status && npx tidesync")]);
        await session(store, "/w/pull", [run("npx tidesync pull", error), run("npx tidesync pull")]);
        await session(store, "/w/near", [run("npx tidesync", error), run("npx tidesync --offline")]);
      }
      expect((await mined(store)).filter((one) => one.level !== "watch")).toEqual([]);
    }),
  );

  it("are made of what else is wrong with a call, also where the network failed more often", () =>
    withStore(kind, async (store) => {
      for (const _ of [1, 2, 3])
        await session(store, "/w/ship", [
          run("gh pr create", "error: not logged in"),
          run("gh pr create", "dial tcp: lookup api.github.com: no such host"),
          run("gh pr create", "dial tcp: lookup api.github.com: no such host"),
        ]);
      expect((await mined(store)).map((one) => one.text)).toEqual([
        "Sign in before `gh pr create`: it needs a signed-in user (failed 3 of 9).",
      ]);
    }));

  it("are not made of what is no call", () =>
    withStore(kind, async (store) => {
      const format = { tool: "(format)", input: {}, error: "Please always provide EXACTLY ONE action" };
      for (const _ of [1, 2, 3]) await session(store, "/w", [format, format]);
      expect(await mined(store)).toEqual([]);
    }));

  it("look back from the newest event of each workspace", () =>
    withStore(kind, async (store) => {
      const fails = run("rel push --env x", "error: unknown option '--env'");
      const long = NOW - 200 * DAY;
      for (const _ of [1, 2, 3]) await session(store, "/w/asleep", [fails], long);
      for (const _ of [1, 2, 3]) await session(store, "/w/awake", [fails], long);
      await session(store, "/w/awake", [run("git status")]);
      expect((await mined(store)).map((one) => one.where)).toEqual(["/w/asleep"]);
    }));
});
