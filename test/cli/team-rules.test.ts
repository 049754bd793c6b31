import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

interface Rule {
  readonly id: string;
  readonly text: string;
  readonly status: string;
  readonly level: string;
  readonly origin: string;
  readonly scope: unknown;
  readonly matcher: unknown;
}

interface Line {
  readonly id: string;
  readonly text: string;
  readonly status: string;
}

interface Taken {
  readonly made: readonly Line[];
  readonly changed: readonly (Line & { readonly was: string })[];
  readonly approved: readonly Line[];
  readonly retired: readonly Line[];
  readonly gone: readonly Line[];
  readonly kept: readonly Line[];
  readonly same: number;
  readonly unclear: readonly { readonly file: string; readonly parts: readonly string[] }[];
  readonly problems: readonly { readonly file: string; readonly why: string }[];
}

/** One machine: a mind and a clone of the repository, in a differently named folder. */
class Machine {
  readonly place: Place = newPlace();
  readonly clone = join(this.place.dir, "clone");
  readonly folder = join(this.clone, ".oldhand", "rules");

  constructor() {
    mkdirSync(join(this.clone, ".git"), { recursive: true });
  }

  async learn(text: string, ...words: readonly string[]): Promise<string> {
    const { rule } = await this.place.json<{ rule: Rule }>(["learn", text, "--workspace", this.clone, ...words]);
    return rule.id;
  }

  rules = () => this.place.json<Rule[]>(["rules", "list"]);
  rule = (id: string) => this.place.json<Rule>(["rules", "show", id]);
  export = (...words: readonly string[]) =>
    this.place.json<{ files: { path: string; change: string; why: string | null }[] }>([
      ...["export", "--team", "--workspace", this.clone, "--write"],
      ...words,
    ]);
  import = (words: readonly string[] = [], code = 0) =>
    this.place.json<Taken>(["import-rules", this.clone, ...words], { code });

  files(): Readonly<Record<string, string>> {
    if (!existsSync(this.folder)) return {};
    const names = readdirSync(this.folder).toSorted();
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.folder, name), "utf8")]));
  }

  edit(name: string, from: string, to: string): void {
    const path = join(this.folder, name);
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  }

  /** Leaves the folder as a merge would. */
  pull(other: Machine): void {
    rmSync(this.folder, { recursive: true, force: true });
    if (existsSync(other.folder)) cpSync(other.folder, this.folder, { recursive: true });
  }
}

let ada: Machine;
let bob: Machine;
beforeEach(() => {
  ada = new Machine();
  bob = new Machine();
});
afterEach(() => {
  ada.place.remove();
  bob.place.remove();
});

describe("rules of a team", () => {
  it("are files that a person can review, the same bytes every time", async () => {
    const id = await ada.learn("Push with `git push`: there is no psuh.", "--command", "git psuh", "--level", "deny");
    await ada.export();
    const [[name = "", text = ""] = []] = Object.entries(ada.files());
    expect(name).toMatch(/^push-with-git-push-there-is-no-psuh-\w{7}\.md$/);
    expect(text).toMatch(
      new RegExp(
        `^---\nid: ${id}\nstatus: approved\nlevel: deny\nscope: workspace\norigin: owner\nmatcher: {"runs":"git psuh","tool":"shell"}\ncreated: \\S+\nobservations: 0\nsessions: 0\n---\n\nPush with .git push.: there is no psuh.\n$`,
      ),
    );
    expect((await ada.export()).files.map((file) => file.change)).toEqual(["none"]);
    expect(ada.files()).toEqual({ [name]: text });
  });

  it("shows first: without --write there is no file", async () => {
    await ada.learn("Test with pnpm.");
    const { stdout } = await ada.place.run(["export", "--team", "--workspace", ada.clone]);
    expect(stdout).toMatch(/would make .*test-with-pnpm-\w{7}\.md\nNothing was written/);
    expect(existsSync(join(ada.clone, ".oldhand"))).toBe(false);
  });

  it("arrive as candidates that say nothing until the owner approves, and are not passed on before", async () => {
    const id = await ada.learn("Push with git push.", "--command", "git psuh", "--level", "deny");
    await ada.export();
    bob.pull(ada);
    const ran = await bob.place.run(["import-rules", bob.clone]);
    expect(ran.stdout).toContain(`new       ${id}  Push with git push.`);
    expect(ran.stdout).toContain("They say nothing until you approve them: oldhand rules approve ID");
    expect(await bob.rule(id)).toMatchObject({
      id,
      status: "candidate",
      level: "watch",
      origin: "external",
      scope: { kind: "workspace", workspace: bob.clone },
      matcher: { tool: "shell", runs: "git psuh" },
    });
    const ask = ["match", "git psuh", "--cwd", bob.clone];
    expect((await bob.place.run(ask)).code).toBe(1);
    await bob.place.json(["export", "--workspace", bob.clone, "--host", "codex", "--write"]);
    expect(existsSync(join(bob.clone, "AGENTS.md"))).toBe(false);
    await bob.place.json(["rules", "approve", id]);
    expect((await bob.place.run(ask)).code).toBe(0);
    await bob.place.json(["export", "--workspace", bob.clone, "--host", "codex", "--write"]);
    expect(readFileSync(join(bob.clone, "AGENTS.md"), "utf8")).toContain("Push with git push.");
  });

  it("change nothing when they are taken in again", async () => {
    await ada.learn("Test with pnpm.");
    await ada.export();
    bob.pull(ada);
    await bob.import();
    const history = await bob.place.json(["history"]);
    expect(await bob.import()).toMatchObject({ made: [], changed: [], kept: [], gone: [], same: 1, problems: [] });
    expect(await bob.place.json(["history"])).toEqual(history);
    expect(await ada.import()).toMatchObject({ made: [], changed: [], same: 1 });
  });

  it("are equal on two machines that export and take in, whatever their order", async () => {
    await ada.learn("Test with pnpm.", "--level", "ask");
    await bob.learn("Never commit on main.");
    await ada.export();
    bob.pull(ada);
    await bob.import(["--approve"]);
    await bob.export();
    ada.pull(bob);
    await ada.import(["--approve"]);
    await ada.export();
    expect(ada.files()).toEqual(bob.files());
    const shared = async (machine: Machine) =>
      (await machine.rules()).map(({ id, text, status, level, matcher }) => ({ id, text, status, level, matcher }));
    const byId = (rules: Awaited<ReturnType<typeof shared>>) => rules.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(await shared(ada))).toEqual(byId(await shared(bob)));
    expect((await bob.export()).files.map((file) => file.change)).toEqual(["none", "none"]);
  });

  it("take an edited sentence in, which needs the owner's word again", async () => {
    const id = await ada.learn("Test with npm.");
    await ada.export();
    const [name = ""] = Object.keys(ada.files());
    ada.edit(name, "Test with npm.", "Test with pnpm.");
    expect((await ada.import()).changed).toMatchObject([{ id, text: "Test with pnpm.", was: "Test with npm." }]);
    expect(await ada.rule(id)).toMatchObject({ text: "Test with pnpm.", status: "candidate", level: "watch" });
    ada.edit(name, "Test with pnpm.", "Test with npm.");
    expect((await ada.import(["--approve"])).changed).toMatchObject([
      { id, text: "Test with npm.", status: "approved" },
    ]);
  });

  it("keep what was changed here since, and bring it to the file", async () => {
    const id = await ada.learn("Test with npm.");
    await ada.export();
    await ada.place.json(["rules", "edit", id, "--text", "Test with pnpm."]);
    expect((await ada.import()).kept).toMatchObject([{ id }]);
    expect((await ada.rule(id)).text).toBe("Test with pnpm.");
    expect((await ada.export()).files.map((file) => file.change)).toEqual(["change"]);
    expect(Object.values(ada.files())[0]).toContain("Test with pnpm.");
  });

  it("never write over what others changed in the folder", async () => {
    const id = await ada.learn("Test with npm.");
    await ada.export();
    const [name = ""] = Object.keys(ada.files());
    ada.edit(name, "Test with npm.", "Test with yarn.");
    await ada.place.json(["rules", "edit", id, "--text", "Test with pnpm."]);
    const { files } = await ada.place.json<{ files: { change: string; why: string }[] }>(
      ["export", "--team", "--workspace", ada.clone, "--write"],
      { code: 1 },
    );
    expect(files).toMatchObject([{ change: "refused", why: expect.stringContaining("import-rules") }]);
    expect(ada.files()[name]).toContain("Test with yarn.");
  });

  it("retire with their file only where --prune says so", async () => {
    const id = await ada.learn("Test with pnpm.");
    const own = await ada.learn("Mine alone.");
    await ada.export();
    bob.pull(ada);
    await bob.import(["--approve"]);
    const mine = await bob.learn("Never shared.");
    rmSync(bob.folder, { recursive: true });
    mkdirSync(bob.folder);
    expect((await bob.import()).gone.map((one) => one.id).toSorted()).toEqual([id, own].toSorted());
    expect((await bob.rule(id)).status).toBe("approved");
    expect((await bob.import(["--prune"])).retired).toHaveLength(2);
    expect((await bob.rule(id)).status).toBe("retired");
    expect((await bob.rule(mine)).status).toBe("approved");
  });

  it("go with the rule that their owner retires, not with one that was only taken in", async () => {
    const id = await ada.learn("Test with pnpm.");
    await ada.export();
    bob.pull(ada);
    await bob.import(["--approve"]);
    await bob.place.json(["rules", "retire", id]);
    await bob.export();
    expect(Object.keys(bob.files())).toHaveLength(1);
    await ada.place.json(["rules", "retire", id]);
    await ada.export();
    expect(ada.files()).toEqual({});
    expect(existsSync(join(ada.clone, ".oldhand"))).toBe(false);
  });

  it("stay forgotten where they were forgotten, and rejected where they were rejected", async () => {
    const first = await ada.learn("Test with pnpm.");
    const second = await ada.learn("Never commit on main.");
    await ada.export();
    bob.pull(ada);
    await bob.import();
    await bob.place.json(["rules", "forget", first]);
    await bob.place.json(["rules", "reject", second]);
    expect((await bob.import(["--approve"])).kept).toMatchObject([{ id: first }]);
    expect((await bob.rules()).map(({ id, status }) => ({ id, status }))).toEqual([{ id: second, status: "rejected" }]);
  });

  it.each([
    ["no head", "Just a sentence.\n", "does not begin with a header"],
    ["a head without an end", "---\nid: r_1\n", "does not begin with a header"],
    ["no id", "---\nlevel: nudge\n---\n\nA sentence.\n", "has no id"],
    ["an id that is none", "---\nid: ../../etc\n---\n\nA sentence.\n", "is not an id"],
    ["a level nobody knows", "---\nid: r_1\nlevel: shout\n---\n\nA sentence.\n", "its level must be one of"],
    ["a matcher that is no object", "---\nid: r_1\nmatcher: [1]\n---\n\nA sentence.\n", "its matcher"],
    ["no sentence", "---\nid: r_1\n---\n\n\n", "has no sentence"],
    ["a line that is none", "---\nid: r_1\nwhat is this\n---\n\nA sentence.\n", "name: value"],
  ])("with %s are left out with a reason, and keep none of the others out", async (_what, text, why) => {
    await ada.learn("Test with pnpm.");
    await ada.export();
    writeFileSync(join(ada.folder, "broken.md"), text);
    bob.pull(ada);
    const taken = await bob.import([], 1);
    expect(taken.problems).toEqual([{ file: "broken.md", why: expect.stringContaining(why) }]);
    expect(taken.made).toHaveLength(1);
    expect((await bob.place.run(["import-rules", bob.clone, "--prune"])).code).toBe(2);
  });

  it("of a newer oldhand match no call; import-rules and doctor say so", async () => {
    mkdirSync(bob.folder, { recursive: true });
    const matcher = '{"tool":"shell","callsPerHour":5}';
    const head = `id: r_newer\nlevel: deny\nmatcher: ${matcher}`;
    writeFileSync(join(bob.folder, "newer.md"), `---\n${head}\n---\n\nNot so often.\n`);
    const taken = await bob.import(["--approve"]);
    expect(taken).toMatchObject({ approved: [], unclear: [{ file: "newer.md", parts: ["callsPerHour"] }] });
    expect(taken.made).toMatchObject([{ id: "r_newer", status: "approved" }]);
    expect(await bob.place.json(["match", "ls -la", "--cwd", bob.clone], { code: 1 })).toMatchObject({ rules: [] });
    const why =
      'its matcher contains "callsPerHour", which this version of oldhand does not know, so it matches no call';
    expect((await bob.place.run(["import-rules", bob.clone])).stdout).toContain(`unclear   newer.md: ${why}`);
    expect((await bob.place.run(["doctor"])).stdout).toContain(`rule r_newer: ${why}`);
  });

  it("are read from plain files only, with any line ends, and one id has one file", async () => {
    await ada.learn("Test with pnpm.");
    await ada.export();
    const [name = "", text = ""] = Object.entries(ada.files())[0] ?? [];
    writeFileSync(join(ada.folder, name), text.replaceAll("\n", "\r\n"));
    expect(await ada.import()).toMatchObject({ changed: [], same: 1 });
    writeFileSync(join(ada.folder, "z-copy.md"), text);
    symlinkSync("/etc/hostname", join(ada.folder, "a-link.md"));
    expect((await ada.import([], 1)).problems).toEqual([
      { file: "a-link.md", why: "it is not a regular file" },
      { file: "z-copy.md", why: `${name} has the same id` },
    ]);
  });

  it("bring no secret in, and settle with one in the file", async () => {
    await ada.learn("Test with pnpm.");
    await ada.export();
    const [name = ""] = Object.keys(ada.files());
    ada.edit(name, "Test with pnpm.", "Use the key AKIAIOSFODNN7EXAMPLQ to test.");
    bob.pull(ada);
    const [made] = (await bob.import()).made;
    expect(made?.text).not.toContain("AKIAIOSFODNN7EXAMPLQ");
    expect(await bob.import()).toMatchObject({ changed: [], same: 1 });
  });

  it("are taken out again with --remove, and what others wrote stays", async () => {
    await ada.learn("Test with pnpm.");
    await ada.export();
    const [[name = "", text = ""] = []] = Object.entries(ada.files());
    writeFileSync(join(ada.folder, "theirs.md"), text.replace(/id: \S+/, "id: r_1abc").replace("pnpm", "care"));
    await ada.export("--remove");
    expect(Object.keys(ada.files())).toEqual(["theirs.md"]);
    await ada.export();
    expect(ada.files()[name]).toBe(text);
  });

  it("are missed in words where there is no folder", async () => {
    const { code, stderr } = await ada.place.run(["import-rules", ada.clone]);
    expect(code).toBe(2);
    expect(stderr).toContain("there is no folder");
  });
});
