import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answerApproval, decideToolCall } from "../../src/converse/approvals/decide-call.ts";
import { captureOutput } from "../../src/converse/tools/shell/capture-output.ts";
import { composeShellEnvironment } from "../../src/converse/tools/shell/shell-environment.ts";
import { listLeftMountPoints, recordMountPoints } from "../../src/converse/tools/shell/mount-points.ts";
import { currentProcess, formatProcessRef } from "../../src/lib/process-ref.ts";
import { composeSeatbeltProfile } from "../../src/converse/tools/shell/seatbelt.ts";
import type { SandboxProfile } from "../../src/converse/tools/sandbox.ts";
import { shellTool } from "../../src/converse/tools/shell/shell.ts";
import type { ToolContext } from "../../src/converse/tools/tool.ts";
import { owner } from "../../src/domain/actor.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { sandbox, skipWithoutSandbox } from "./sandbox.ts";
import { newToolPlace, type ToolPlace } from "./tool-context.ts";

let place: ToolPlace;
beforeEach(async () => {
  place = await newToolPlace();
});
afterEach(() => place.remove());

/** As after a person's yes to this very command. */
const run = (command: string, over: Partial<ToolContext> = {}, timeout?: number) =>
  shellTool.run(place.tools({ approval: "once", sandbox: null, ...over }), { command, ...(timeout && { timeout }) });

/** Where nothing reaps it, an ended process stays as a zombie. */
async function expectEnded(): Promise<void> {
  const pid = readFileSync(join(place.workspace, "pid"), "utf8").trim();
  await expect
    .poll(() => spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout)
    .toMatch(/^(?:Z.*)?\s*$/);
}

describe("a command", () => {
  it("returns its output and its exit code", async () => {
    expect(await run("echo one; echo two >&2")).toMatchObject({
      ok: true,
      exitCode: 0,
      text: expect.stringContaining("one"),
    });
    expect(await run("echo bad; exit 3")).toMatchObject({ ok: false, exitCode: 3, text: "Exit code 3\nbad" });
    expect(await run("true")).toMatchObject({ ok: true, text: "(no output)" });
  });

  it("has no input to wait for", async () => {
    expect(await run("cat; read x; echo end")).toMatchObject({ text: "end" });
  });

  it("leaves the session in the folder it ended in, as long as that is in the workspace", async () => {
    mkdirSync(join(place.workspace, "src"));
    await run("cd src");
    expect((await run("pwd")).text).toBe(join(place.workspace, "src"));
    expect((await run("pwd", { session: "s2" })).text).toBe(place.workspace);
    expect((await run("cd /")).text).toContain("/ is outside the workspace");
    expect((await run("pwd")).text).toBe(join(place.workspace, "src"));
  });

  it("is ended with everything it started when its time is over", async () => {
    const ran = await run("sleep 60 & echo $! > pid; wait", {}, 1);
    expect(ran).toMatchObject({ ok: false, text: expect.stringContaining("timed out after 1 s") });
    await expectEnded();
  });

  it("is ended with everything it started when the turn is stopped", async () => {
    const stop = new AbortController();
    const ending = run("sleep 60 & echo $! > pid; echo started; wait", {
      signal: stop.signal,
      report: (text) => text.includes("started") && stop.abort(),
    });
    expect(await ending).toMatchObject({ ok: false, text: expect.stringContaining("Stopped.") });
    await expectEnded();
  });

  it("leaves nothing running in the background", async () => {
    expect(await run("sleep 60 & echo $! > pid; echo done")).toMatchObject({ ok: true, text: "done" });
    await expectEnded();
  });

  it("keeps the beginning and the end of a long output", async () => {
    const { text } = await run("echo first; seq 1 100000; echo last");
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/^first\n1\n[^]*… \[\d+ characters cut\] …[^]*100000\nlast$/);
  });

  it("runs without approval in no mode that asks", async () => {
    for (const mode of ["ask", "read-only"] as const)
      expect(await run("touch made", { approval: null, mode, sandbox })).toMatchObject({ ok: false });
    for (const mode of ["edit", "unattended"] as const)
      expect(await run("touch made", { approval: null, mode })).toMatchObject({
        ...{ ok: false, text: expect.stringContaining("Install bubblewrap") },
      });
    expect(existsSync(join(place.workspace, "made"))).toBe(false);
    expect(await run("ls", { approval: null, mode: "edit" })).toMatchObject({ ok: true });
  });
});

describe("the output that is kept", () => {
  it("is whole if it is short, whatever its pieces", () => {
    const capture = captureOutput(100);
    for (const part of ["a", "b".repeat(50), "c"]) capture.add(part);
    expect(capture.text()).toBe(`a${"b".repeat(50)}c`);
  });

  it("never grows far over its limit", () => {
    const capture = captureOutput(1_000);
    capture.add("begin ");
    for (let at = 0; at < 10_000; at++) capture.add(`line ${at}\n`);
    expect(capture.text().length).toBeLessThan(1_100);
    expect(capture.text()).toMatch(/^begin [^]*line 9999\n$/);
  });
});

describe("the environment of a command", () => {
  const env = {
    ...{ PATH: "/bin", HOME: "/home/ada", EDITOR: "vi", GOFLAGS: "-v" },
    ...{ ANTHROPIC_API_KEY: "x", GH_TOKEN: "x", DB_PASSWORD: "x", OLDHAND_DATABASE: "postgres://a:b@c/d", MY_PAT: "x" },
    REMOTE: "https://ada:Tr1ckyPass9@example.org",
    ACME: "x",
  };
  const endpoint = { name: "acme", kind: "openai", url: null, keyEnv: ["ACME"], isLoopback: false } as const;
  const providers = { ...noProviders, endpoints: [endpoint] };

  it("has no keys, tokens and passwords, and is marked as the agent's", () => {
    const made = composeShellEnvironment({ env, providers, session: "s1", isClosed: false });
    expect(made).toMatchObject({ PATH: "/bin", EDITOR: "vi", OLDHAND_AGENT_SESSION: "s1" });
    for (const name of ["ANTHROPIC_API_KEY", "GH_TOKEN", "DB_PASSWORD", "OLDHAND_DATABASE", "MY_PAT", "REMOTE", "ACME"])
      expect(made, name).not.toHaveProperty(name);
  });

  it("has only what programs need to start in a closed sandbox", () => {
    const made = composeShellEnvironment({ env, providers, session: "s1", isClosed: true });
    expect(made).toMatchObject({ PATH: "/bin", HOME: "/home/ada" });
    expect(made).not.toHaveProperty("GOFLAGS");
  });
});

describe.skipIf(skipWithoutSandbox)("a command in the sandbox", () => {
  const closed = (command: string, over: Partial<ToolContext> = {}) =>
    shellTool.run(place.tools({ mode: "unattended", sandbox, ...over }), { command });

  it("writes in the workspace and nowhere else", async () => {
    expect(await closed("echo x > made && mkdir -p a/b && echo ok")).toMatchObject({ ok: true, text: "ok" });
    expect(readFileSync(join(place.workspace, "made"), "utf8")).toBe("x\n");
    for (const target of [join(place.outside, "x"), join(homedir(), "x-oldhand"), "/etc/x-oldhand"])
      expect(await closed(`echo x > ${target}`), target).toMatchObject({ ok: false });
    expect(existsSync(join(place.outside, "x"))).toBe(false);
    // Its folder for temporary files is its own.
    await closed("echo x > /tmp/oldhand-x");
    expect(existsSync("/tmp/oldhand-x")).toBe(false);
  });

  it("sees nothing of oldhand's home and database, by whichever way", async () => {
    writeFileSync(join(place.home, "SOUL.md"), "the soul");
    const pid = process.pid;
    for (const command of [
      `cat ${place.home}/SOUL.md`,
      `cat $(echo ${place.home} | rev | rev)/SOUL.md`,
      `cat /proc/${pid}/root${place.home}/SOUL.md`,
      `cat /proc/1/root${place.home}/SOUL.md`,
      `umount ${place.home}; cat ${place.home}/SOUL.md`,
      `unshare -rm sh -c 'umount ${place.home}; cat ${place.home}/SOUL.md'`,
      `ln ${place.home}/SOUL.md soul; cat soul`,
      `head -c 15 ${place.config.database} | grep SQLite`,
    ]) {
      const { ok, text } = await closed(command);
      expect({ command, ok, text: /the soul|SQLite format/.test(text) }).toEqual({ command, ok: false, text: false });
    }
    expect(await closed(`echo evil > ${place.home}/SOUL.md`)).toMatchObject({ ok: false });
    expect(readFileSync(join(place.home, "SOUL.md"), "utf8")).toBe("the soul");
  });

  it("has no network unless the owner allows it", async () => {
    const command = "cat /proc/net/dev | grep -c :";
    expect((await closed(command)).text).toBe("1");
    const { chat } = defaultPolicy;
    const open = await newToolPlace({ policy: { chat: { ...chat, sandboxNetwork: true } } });
    const tools = open.tools({ mode: "unattended", sandbox });
    const links = readFileSync("/proc/net/dev", "utf8").match(/:/g)?.length;
    expect((await shellTool.run(tools, { command })).text).toBe(String(links));
    await open.remove();
  });

  it("does not see files with secrets in the workspace, except those that git tracks", async () => {
    writeFileSync(join(place.workspace, ".env"), "PASSWORD=x1");
    writeFileSync(join(place.workspace, "fixture.pem"), "y2");
    await run("git init -q . && git add fixture.pem");
    const { text } = await closed("cat .env fixture.pem");
    expect(text).toContain("y2");
    expect(text).not.toContain("PASSWORD");
  });

  it("cannot plant what other programs run", async () => {
    writeFileSync(join(place.workspace, ".mcp.json"), "{}");
    await run("git init -q .");
    const config = readFileSync(join(place.workspace, ".git", "config"), "utf8");
    for (const command of [
      "mkdir -p .claude && echo '{}' > .claude/settings.json",
      "echo evil > .mcp.json",
      "echo evil > .git/hooks/pre-commit",
      "git config core.fsmonitor evil",
      "mv .git .git2",
      "mkdir .oldhand/rules",
    ])
      expect(await closed(command), command).toMatchObject({ ok: false });
    expect(await closed("echo evil > .envrc")).toMatchObject({ text: expect.stringContaining(".envrc.not-allowed") });
    expect(existsSync(join(place.workspace, ".envrc"))).toBe(false);
    for (const name of [".claude", ".oldhand"]) expect(existsSync(join(place.workspace, name))).toBe(false);
    expect(readFileSync(join(place.workspace, ".git", "config"), "utf8")).toBe(config);
    expect(readFileSync(join(place.workspace, ".mcp.json"), "utf8")).toBe("{}");
    const told: string[] = [];
    const planted = await closed("echo /evil > .git/commondir", { notify: (text) => told.push(text) });
    const taken = "A command made .git/commondir, which may run programs. It was taken away again.";
    expect(planted.text).toContain(taken);
    expect(told).toEqual([taken]);
    expect(readdirSync(join(place.workspace, ".git")).filter((name) => name.startsWith("commondir"))).toEqual([]);
    // Git itself works.
    const commit = "git -c user.name=a -c user.email=a@b commit -qm x --allow-empty && git log --oneline";
    expect(await closed(commit)).toMatchObject({ ok: true });
  });

  it("cannot plant what a shell or a desktop runs, with the user's home as workspace", async () => {
    vi.stubEnv("HOME", place.workspace);
    try {
      writeFileSync(join(place.workspace, ".bashrc"), "true");
      mkdirSync(join(place.workspace, ".config"));
      for (const command of [
        "echo evil >> .bashrc",
        "mkdir -p .config/autostart && echo evil > .config/autostart/x.desktop",
        "mkdir -p .local/bin && echo evil > .local/bin/ls",
      ])
        expect(await closed(command), command).toMatchObject({ ok: false });
      expect((await closed("echo evil > .zshenv; echo x > .config/app")).text).toContain(".zshenv.not-allowed");
      expect(readdirSync(place.workspace, { recursive: true }).toSorted()).toEqual(
        [".bashrc", ".config", ".config/app", ".zshenv.not-allowed"].toSorted(),
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("works with the user's home as workspace, and still hides oldhand's home and what is secret there", async () => {
    const own = join(place.workspace, ".oldhand");
    mkdirSync(own);
    for (const name of ["model-token", "token", "SOUL.md"]) writeFileSync(join(own, name), "t0ken");
    const config = { ...place.config, home: own };
    const { mind } = place.tools();
    const ran = await closed("echo ran; ls -A .oldhand; cat .oldhand/SOUL.md", { mind: { ...mind, config } });
    expect(ran.text).toMatch(/^Exit code 1\nran\ncat: .*No such file/);
    expect(readFileSync(join(own, "SOUL.md"), "utf8")).toBe("t0ken");
  });

  it("leaves no folder behind, also not those of an oldhand that was killed", async () => {
    const left = [".claude", ".codex", ".cursor"].map((name) => join(place.workspace, name));
    for (const path of left) mkdirSync(path);
    writeFileSync(join(place.workspace, ".cursor", "mine"), "");
    const byUser = join(place.workspace, ".amp");
    mkdirSync(byUser);
    recordMountPoints(place.outside, { workspace: place.workspace, folders: left });
    expect(listLeftMountPoints(place.outside)).toEqual([]);
    const gone = formatProcessRef({ ...currentProcess(), pid: spawnSync("true").pid });
    recordMountPoints(place.home, { workspace: place.workspace, folders: left, by: gone });
    expect(listLeftMountPoints(place.home)).toEqual(left.slice(0, 2));
    await closed("echo ran");
    // Neither what has content nor what another made is removed.
    expect(readdirSync(place.workspace).toSorted()).toEqual([".amp", ".cursor"]);
    expect(listLeftMountPoints(place.home)).toEqual([]);
  });

  it("does what the user can with a standing yes for calls outside, but not with oldhand's own files", async () => {
    writeFileSync(join(place.home, "token"), "t0ken");
    const standing = { approval: "always", sandbox } as const;
    const open = (command: string) => shellTool.run(place.tools({ ...standing, leavesSandbox: true }), { command });
    const inside = await shellTool.run(place.tools(standing), { command: `echo x > ${place.outside}/made` });
    expect(inside).toMatchObject({ ok: false, text: expect.stringContaining("It ran in a sandbox") });
    expect(await open(`echo x > ${place.outside}/made`)).toMatchObject({ ok: true });
    expect(existsSync(join(place.outside, "made"))).toBe(true);
    expect(await open(`cat ${place.home}/token`)).toMatchObject({ ok: false });
    expect(await open(`cat /proc/${process.pid}/root${place.home}/token`)).toMatchObject({ ok: false });
  });

  it("is ended with everything it started when the turn is stopped", async () => {
    const stop = new AbortController();
    const mark = `oldhand-${process.pid}-${String(Math.trunc(performance.now()))}`;
    const ending = closed(`(exec -a ${mark} sleep 60) & echo started; wait`, {
      signal: stop.signal,
      report: (text) => text.includes("started") && stop.abort(),
    });
    expect(await ending).toMatchObject({ ok: false });
    expect((await run(`ps -eo args | grep -c '^${mark}'`)).text).toContain("0");
  });
});

describe("which commands run", () => {
  const decide = async (command: string, over: Partial<ToolContext> = {}) => {
    const ctx = { db: place.db, config: place.config, clock: { now: () => 0 } };
    return decideToolCall(ctx, { tool: shellTool, input: { command }, tools: place.tools(over), hasPerson: true });
  };
  const fake = { name: "bubblewrap", plan: () => ({ program: "false", args: [] }) } as const;

  it("unattended: none without a sandbox", async () => {
    expect(await decide("ls", { mode: "unattended", sandbox: null })).toMatchObject({
      ...{ kind: "refuse", reason: expect.stringContaining("apt install bubblewrap") },
    });
    expect(await decide("npm test", { mode: "unattended", sandbox: fake })).toEqual({ kind: "run", approval: null });
  });

  it("a command that can reach the home asks with that reason", async () => {
    const reason =
      "This command could touch oldhand's own files, so it asks every time. It runs outside the sandbox, with your files and network.";
    for (const command of [`cat ${place.home}/token`, "oldhand approvals approve x", `ls ${place.dir}`]) {
      expect(await decide(command, { mode: "edit", sandbox: fake }), command).toMatchObject({
        kind: "ask",
        approval: { reason },
      });
      expect(await decide(command, { mode: "unattended", sandbox: fake }), command).toMatchObject({ kind: "refuse" });
    }
  });

  it("a command asks with a reason that is true: where links lead, what a pattern stands for, what is a word to look for", async () => {
    const inside = (name: string) => join(place.workspace, name);
    mkdirSync(join(place.outside, ".ssh"));
    writeFileSync(join(place.outside, ".ssh", "id_rsa"), "key");
    writeFileSync(join(place.outside, "plan"), "x");
    writeFileSync(inside(".env"), "A=1");
    writeFileSync(inside("a.txt"), "a");
    symlinkSync(join(place.outside, ".ssh", "id_rsa"), inside("notes.txt"));
    symlinkSync(join(place.outside, "plan"), inside("plan.txt"));
    symlinkSync(inside(".env"), inside("b.txt"));
    const reasonOf = async (command: string, over: Partial<ToolContext> = {}) => {
      const decided = await decide(command, { sandbox: fake, ...over });
      return decided.kind === "ask"
        ? decided.approval.reason.replace(/ (?:With a yes for once it|It) runs outside the sandbox.*/, "")
        : decided.kind;
    };
    const key = join(place.outside, ".ssh", "id_rsa");
    expect(await reasonOf("cat notes.txt")).toBe(`notes.txt leads to ${key}, outside the workspace.`);
    expect(await reasonOf("cat plan.txt")).toBe(
      `plan.txt leads to ${join(place.outside, "plan")}, outside the workspace.`,
    );
    expect(await reasonOf("cat b.txt")).toBe("b.txt leads to .env, which may hold passwords or keys.");
    expect(await reasonOf("cat .e*")).toBe(".env may hold passwords or keys.");
    expect(await reasonOf("cat a.txt")).toBe("It runs a program.");
    expect(await reasonOf("grep -rn PASS .")).toBe("It runs a program.");
    expect(await reasonOf("curl http://169.254.169.254/latest")).toBe(
      "It may contact 169.254.169.254, an address of this machine or its network.",
    );
    // A yes for all of `cat` says nothing about where a link leads.
    const asked = await decide("cat a.txt", { sandbox: fake });
    if (asked.kind !== "ask") throw new Error(asked.kind);
    expect(asked.approval.action).toBe("shell cat");
    const ctx = { db: place.db, clock: { now: () => 0 } };
    await answerApproval(ctx, asked.approval.id, { yes: true, reach: "session", by: owner });
    expect(await reasonOf("cat a.txt")).toBe("run");
    expect(await reasonOf("cat notes.txt")).toContain("outside the workspace");
    expect(await reasonOf("cat b.txt")).toContain("leads to .env");
    expect(await reasonOf("cat .env")).toContain(".env may hold");
  });

  it("shows the whole command and its folder before the yes", async () => {
    expect(await decide("rm -rf dist &&\n npm run build")).toMatchObject({
      kind: "ask",
      approval: {
        summary: "run rm -rf dist && npm run build",
        detail: `rm -rf dist &&\n npm run build\n(in ${place.workspace})`,
      },
    });
  });
});

describe("the profile for macOS", () => {
  it("is as reviewed (not run here)", async () => {
    const profile: SandboxProfile = {
      ...{ workspace: "/Users/ada/shop", cwd: "/Users/ada/shop", hasNetwork: false },
      kind: "closed",
      hidden: [{ path: "/Users/ada/.oldhand", isFolder: true }],
      ...{ pinned: [], readOnly: ["/Users/ada/shop/.git/hooks"], absent: ["/Users/ada/shop/.claude"] },
    };
    await expect(composeSeatbeltProfile(profile)).toMatchFileSnapshot("seatbelt.sb");
  });
});

describe.skipIf(skipWithoutSandbox)(
  "a sandboxed command with the mind's database in oldhand's home, where it is by default",
  () => {
    it.each([
      ["of a mode that needs no yes", { mode: "edit", approval: null }],
      ["after a yes for the session", { approval: "session" }],
    ] as const)("starts, and sees neither: %s", async (_, over) => {
      const database = join(place.home, "mind.db");
      writeFileSync(database, "kept");
      const { mind, ...tools } = place.tools({ sandbox, ...over });
      const config = { ...mind.config, database };
      const ran = await shellTool.run(
        { ...tools, mind: { ...mind, config } },
        { command: `cat ${database}; echo began` },
      );
      expect(ran.text).toContain("began");
      expect(ran.text).not.toContain("kept");
    });
  },
);
