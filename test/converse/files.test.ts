import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  existsSync,
  truncateSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decideToolCall } from "../../src/converse/approvals/decide-call.ts";
import { editTool } from "../../src/converse/tools/files/edit.ts";
import { grepTool } from "../../src/converse/tools/files/grep.ts";
import { listTool } from "../../src/converse/tools/files/list.ts";
import { locatePath } from "../../src/converse/tools/files/locate-path.ts";
import { readFileInside, writeFileInside } from "../../src/converse/tools/files/open-file.ts";
import { readTool } from "../../src/converse/tools/files/read.ts";
import { findRipgrep } from "../../src/converse/tools/files/ripgrep.ts";
import { searchByWalking } from "../../src/converse/tools/files/walk-search.ts";
import { writeTool } from "../../src/converse/tools/files/write.ts";
import type { ToolContext } from "../../src/converse/tools/tool.ts";
import { detectCause } from "../../src/domain/cause/cause.ts";
import { findCallNeeds } from "../../src/domain/fact/call-needs.ts";
import { isEditTool } from "../../src/domain/text/edit-text.ts";
import { findNamedFile } from "../../src/domain/text/named-file.ts";
import { isShellTool } from "../../src/domain/shell/command.ts";
import { newToolPlace, type ToolPlace } from "./tool-context.ts";

let place: ToolPlace;
beforeEach(async () => {
  place = await newToolPlace();
});
afterEach(() => place.remove());
const put = (name: string, text: string | Buffer) => {
  mkdirSync(join(place.workspace, name, ".."), { recursive: true });
  writeFileSync(join(place.workspace, name), text);
};
const get = (name: string) => readFileSync(join(place.workspace, name), "utf8");
const read = (file_path: string, over: { offset?: number; limit?: number } = {}, tools: Partial<ToolContext> = {}) =>
  readTool.run(place.tools(tools), { file_path, ...over });
const edit = (file_path: string, old_string: string, new_string: string, replace_all = false) =>
  editTool.run(place.tools(), { file_path, old_string, new_string, replace_all });

describe.runIf(existsSync("/dev/shm"))("a workspace below /dev", () => {
  it("is a workspace like others; devices stay refused", async () => {
    const workspace = mkdtempSync("/dev/shm/oldhand-shop-");
    try {
      writeFileSync(join(workspace, "a.txt"), "one\n");
      symlinkSync("/dev/null", join(workspace, "device"));
      const here = { workspace, cwd: workspace };
      expect(await read("a.txt", {}, here)).toMatchObject({ ok: true, text: "1\tone" });
      for (const path of ["device", "/dev/null", "/dev/fd/0", "/dev/shm/other.txt"])
        expect(await read(path, {}, here)).toMatchObject({ ok: false });
    } finally {
      rmSync(workspace, { recursive: true });
    }
  });
});

describe("read", () => {
  it("returns numbered lines, a part of them, and how to go on", async () => {
    put("a.txt", "one\ntwo\nthree\n");
    expect((await read("a.txt")).text).toBe("1\tone\n2\ttwo\n3\tthree");
    expect((await read("a.txt", { offset: 2, limit: 1 })).text).toBe(
      "2\ttwo\n… [1 more lines; continue with offset 3]",
    );
    expect(await read("a.txt", { offset: 9 })).toMatchObject({ ok: false, text: "The file has only 3 lines." });
    put("empty", "");
    expect((await read("empty")).text).toBe("(the file is empty)");
  });

  it("stays below its limit for any file", async () => {
    put("long.txt", `${"x".repeat(100_000)}\n`.repeat(90));
    const { text } = await read("long.txt");
    expect(text.length).toBeLessThan(65_000);
    expect(text).toContain("… [line cut]");
  });

  it("refuses images, binary files, folders and what is too large, and says so", async () => {
    put("a.png", Buffer.from("\x89PNG\r\n", "latin1"));
    put("a.bin", Buffer.from([1, 0, 2]));
    put("latin", Buffer.from([0xe9, 0x20]));
    put("big", "");
    truncateSync(join(place.workspace, "big"), 11_000_000);
    expect((await read("a.png")).text).toBe("a.png is an image (PNG). Images cannot be read.");
    expect((await read("a.bin")).text).toBe("a.bin is a binary file of 3 bytes.");
    expect((await read("latin")).text).toBe("latin is a binary file of 2 bytes.");
    for (const [name, kind] of [
      ["big", "too-large"],
      [".", "is-folder"],
      ["none.ts", "missing-path"],
    ] as const) {
      const { ok, text } = await read(name);
      expect(ok).toBe(false);
      expect(detectCause({ tool: "read", input: { file_path: name } }, text)?.kind).toBe(kind);
    }
  });

  it("does not wait for a pipe", async () => {
    spawnSync("mkfifo", [join(place.workspace, "pipe")]);
    expect(await read("pipe")).toMatchObject({ ok: false, text: expect.stringContaining("not a regular file") });
  });
});

describe("write and edit", () => {
  it("write creates folders, reports a diff, and notes the file before and after", async () => {
    const made = await writeTool.run(place.tools(), { file_path: "src/new.ts", content: "a\nb\n" });
    expect(made).toMatchObject({ ok: true, text: "Created src/new.ts (2 lines added, 0 removed)." });
    expect(made.diff).toBe("--- src/new.ts\n+++ src/new.ts\n@@ -0,0 +1,2 @@\n+a\n+b");
    const path = join(place.workspace, "src/new.ts");
    expect(place.changed).toEqual({ before: [path], after: [path] });
    await writeTool.run(place.tools(), { file_path: "src/new.ts", content: "a\n" });
    expect(get("src/new.ts")).toBe("a\n");
  });

  it("edit replaces an exact text that is there once, or everywhere if told so", async () => {
    put("a.ts", "let a = 1;\nlet b = $& + 1;\nlet c = 1;\n");
    expect(await edit("a.ts", "let b = $&", "let b = $1$&")).toMatchObject({ ok: true });
    expect(get("a.ts")).toContain("let b = $1$& + 1;");
    const twice = await edit("a.ts", "1;", "2;");
    expect(twice).toMatchObject({ ok: false, text: expect.stringMatching(/^Found 3 matches .* at lines 1, 2, 3\./) });
    expect(await edit("a.ts", "1;", "2;", true)).toMatchObject({ ok: true });
    expect(get("a.ts")).toBe("let a = 2;\nlet b = $1$& + 2;\nlet c = 2;\n");
  });

  it("edit names the nearest lines if the text is not there", async () => {
    put("a.ts", "function total(items) {\n\tlet sum = 0;\n}\n");
    const missed = await edit("a.ts", "function total(items) {\n  let sum = 0;", "x");
    expect(missed.text).toBe(
      "String to replace not found in file. The nearest lines are: Only indentation differs.\n1\tfunction total(items) {\n2\t\tlet sum = 0;",
    );
    expect((await edit("a.ts", "x", "x")).text).toMatch(/^No changes to make/);
    const call = { tool: "edit", input: { file_path: "a.ts" } };
    expect(detectCause(call, missed.text)?.kind).toBe("text-not-found");
  });

  it("edit keeps the line ends of Windows", async () => {
    put("a.txt", "one\r\ntwo\r\n");
    await edit("a.txt", "one\ntwo", "1\n2");
    expect(get("a.txt")).toBe("1\r\n2\r\n");
  });

  it("show the diff before the yes", async () => {
    put("a.ts", "one\n");
    const ctx = { db: place.db, config: place.config, clock: { now: () => 0 } };
    const input = { file_path: "a.ts", old_string: "one", new_string: "two" };
    const decision = await decideToolCall(ctx, { tool: editTool, input, tools: place.tools(), hasPerson: true });
    expect(decision).toMatchObject({
      kind: "ask",
      approval: {
        summary: "edit a.ts",
        detail: "--- a.ts\n+++ a.ts\n@@ -1,1 +1,1 @@\n-one\n+two",
        reason: "It changes a.ts.",
      },
    });
  });
});

describe("a redaction mark in what the model writes", () => {
  const key = `AKIA${"Q7ZTP2LM4XKD9VWB"}`;
  const mark = "[redacted:aws-key]";
  const env = `REGION=eu\nAWS_ACCESS_KEY_ID=${key}\nPORT=80\n`;
  const write = (content: string, name = "settings.txt") => writeTool.run(place.tools(), { file_path: name, content });

  it("does not replace the secret that it stands for, and the model learns what to do", async () => {
    put("settings.txt", env);
    const whole = await write(env.replace(key, mark).replace("80", "81"));
    expect(whole).toMatchObject({ ok: false, text: expect.stringContaining(mark) });
    expect(whole.text).toMatch(/would replace the secret.*Use edit for the lines without the secret/);
    expect(whole.forPerson).toMatch(/where settings.txt has a secret, which would be lost/);
    const part = await edit("settings.txt", "eu\n", `us\nAWS_ACCESS_KEY_ID=${mark}\n`);
    expect(part.ok).toBe(true);
    put("settings.txt", env);
    expect(await edit("settings.txt", key, mark)).toMatchObject({ ok: false });
    expect(get("settings.txt")).toBe(env);
    expect(place.changed.before).toHaveLength(1);
  });

  it("nor a value that only its place tells", async () => {
    put("notes.txt", "the door opens with lantern-hill\n");
    expect(await write("the door opens with [redacted:password]\n", "notes.txt")).toMatchObject({ ok: false });
  });

  it("fails without a question, and a question about a protected file says so first", async () => {
    put("settings.txt", env);
    const input = { file_path: "settings.txt", content: env.replace(key, mark) };
    expect(await writeTool.checkAhead?.(place.tools(), input)).toMatchObject({ ok: false });
    put(".env", env);
    const given = { file_path: ".env", old_string: key, new_string: mark };
    expect(await editTool.preview?.(place.tools(), given)).toMatch(/^The new text has a redaction mark where/);
  });

  it("may stand where no secret was, and is said to be the mark", async () => {
    const made = await write(`a key is shown as ${mark}\n`, "README.md");
    expect(made.ok).toBe(true);
    expect(made.text).toContain(`It now has ${mark}: the mark itself`);
    const again = await write(`a key is shown as ${mark}, always\n`, "README.md");
    expect(again.text).toBe("Changed README.md (1 line added, 1 removed).");
  });

  it("is named if the text to be replaced has one", async () => {
    put("settings.txt", env);
    const missed = await edit("settings.txt", `AWS_ACCESS_KEY_ID=${mark}`, "AWS_ACCESS_KEY_ID=");
    expect(missed.text).toContain("The text has a redaction mark. The file has the secret there instead");
  });
});

describe("list and grep", () => {
  beforeEach(() => {
    spawnSync("git", ["init", "-q", place.workspace]);
    put("src/a.ts", "const needle = 1;\nother\n");
    put("src/b.md", "a Needle here\n");
    put("dist/c.ts", "needle\n");
    put(".gitignore", "dist\n");
    put("server.pem", "needle\n");
    put(".env", "needle=1\n");
  });

  it("list shows folders, levels and links", async () => {
    symlinkSync("/etc", join(place.workspace, "way"));
    expect((await listTool.run(place.tools(), { depth: 2 })).text).toBe(
      ".env\n.git/\n.gitignore\ndist/\n  c.ts\nserver.pem\nsrc/\n  a.ts\n  b.md\nway@",
    );
    expect(await listTool.run(place.tools(), { path: "way" })).toMatchObject({ ok: false });
  });

  it("grep finds lines in what git does not ignore, and never in files with secrets", async () => {
    expect(await findRipgrep()).not.toBeNull();
    expect((await grepTool.run(place.tools(), { pattern: "needle" })).text).toBe("src/a.ts:1:const needle = 1;");
    const anyCase = await grepTool.run(place.tools(), { pattern: "NEEDLE", ignore_case: true, files_only: true });
    expect(anyCase.text.split("\n").toSorted()).toEqual(["src/a.ts", "src/b.md"]);
    expect((await grepTool.run(place.tools(), { pattern: "needle", glob: "*.md", ignore_case: true })).text).toBe(
      "src/b.md:1:a Needle here",
    );
    expect((await grepTool.run(place.tools(), { pattern: "needle", glob: ".env" })).text).toBe("No matches found.");
    expect(await grepTool.run(place.tools(), { pattern: "needle", path: ".env" })).toMatchObject({ ok: false });
    expect((await grepTool.run(place.tools({ approval: "once" }), { pattern: "needle", path: ".env" })).text).toContain(
      ".env:1:",
    );
    expect(await grepTool.run(place.tools(), { pattern: "(" })).toMatchObject({
      ok: false,
      text: expect.stringContaining("unclosed group"),
    });
    expect(await grepTool.run(place.tools(), { pattern: "--pre=sh" })).toMatchObject({
      ok: true,
      text: "No matches found.",
    });
  });

  it("grep is capped", async () => {
    put("many.txt", "needle\n".repeat(1_000));
    put("more.txt", "needle\n".repeat(1_000));
    const { text } = await grepTool.run(place.tools(), { pattern: "needle" });
    expect(text.split("\n")).toHaveLength(201);
    expect(text).toMatch(/… \[more matches; narrow the search\]$/);
  });

  it("finds the same without ripgrep", () => {
    const search = (over: object) => {
      const request = {
        pattern: "needle",
        root: place.workspace,
        most: 100,
        signal: new AbortController().signal,
        ...over,
      };
      const found = searchByWalking(request);
      return found.kind === "found"
        ? found.lines.map(({ file, line }) => `${file.slice(place.workspace.length + 1)}:${line}`)
        : found.why;
    };
    expect(search({})).toEqual(["src/a.ts:1"]);
    expect(search({ ignore_case: true, glob: "src/**/*.md" })).toEqual(["src/b.md:1"]);
    expect(search({ pattern: "(a+)+\\1" })).toMatch(/^The pattern cannot be used/);
  });
});

describe("the boundary of the workspace", () => {
  beforeEach(() => {
    writeFileSync(join(place.outside, "secret.txt"), "outside");
    writeFileSync(join(place.home, "SOUL.md"), "soul");
    writeFileSync(join(place.home, "config.json"), "{}");
    put("a.txt", "inside");
  });
  const attempts = (): readonly string[] => [
    "../bank/secret.txt",
    "src/../../bank/secret.txt",
    join(place.outside, "secret.txt"),
    "/etc/passwd",
    "~/.ssh/id_rsa",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    `/proc/self/cwd/../..${place.outside}/secret.txt`,
    "/dev/fd/0",
    "link/secret.txt",
    "file-link",
    "chain",
    "a.txt/../../bank/secret.txt",
    "dangling",
    "circle",
    "\0/etc/passwd",
    `${place.workspace.toUpperCase()}/a.txt`,
    `${place.workspace}-other/a.txt`,
    `${place.home}/SOUL.md`,
    `../home/SOUL.md`,
    `../HOME/soul.md`,
    "hard",
    ".oldhand/rules/a.md",
    ".OLDHAND/rules/a.md",
    "link-home/new.md",
  ];

  it("holds against every way that a path can lead out", async () => {
    symlinkSync(place.outside, join(place.workspace, "link"));
    symlinkSync(join(place.outside, "secret.txt"), join(place.workspace, "file-link"));
    symlinkSync("file-link", join(place.workspace, "chain"));
    symlinkSync(join(place.outside, "new.txt"), join(place.workspace, "dangling"));
    symlinkSync("circle", join(place.workspace, "circle"));
    symlinkSync(place.home, join(place.workspace, "link-home"));
    linkSync(join(place.home, "config.json"), join(place.workspace, "hard"));
    const ctx = { db: place.db, config: place.config, clock: { now: () => 0 } };
    for (const file_path of attempts()) {
      for (const mode of ["ask", "edit", "unattended"] as const) {
        const tools = place.tools({ mode, approval: "always" });
        const shown = JSON.stringify(file_path);
        expect(
          (await decideToolCall(ctx, { tool: readTool, input: { file_path }, tools, hasPerson: true })).kind,
          shown,
        ).toBe("refuse");
        expect(
          (await decideToolCall(ctx, { tool: writeTool, input: { file_path, content: "x" }, tools, hasPerson: true }))
            .kind,
          shown,
        ).toBe("refuse");
        expect(await readTool.run(tools, { file_path }), shown).toMatchObject({ ok: false });
        expect(await writeTool.run(tools, { file_path, content: "evil" }), shown).toMatchObject({ ok: false });
        expect(await grepTool.run(tools, { pattern: ".", path: file_path }), shown).toMatchObject({ ok: false });
        expect(await listTool.run(tools, { path: file_path }), shown).toMatchObject({ ok: false });
      }
    }
    expect(readFileSync(join(place.outside, "secret.txt"), "utf8")).toBe("outside");
    expect(existsSync(join(place.outside, "new.txt"))).toBe(false);
    expect(readFileSync(join(place.home, "SOUL.md"), "utf8")).toBe("soul");
    expect(readFileSync(join(place.home, "config.json"), "utf8")).toBe("{}");
    expect(existsSync(join(place.home, "new.md"))).toBe(false);
    expect(place.changed.after).toEqual([]);
  });

  it("lets links inside the workspace be", async () => {
    symlinkSync("a.txt", join(place.workspace, "inner"));
    expect((await read("inner")).text).toBe("1\tinside");
    await writeTool.run(place.tools(), { file_path: "inner", content: "new" });
    expect(get("a.txt")).toBe("new");
  });

  it("holds if a link appears between the check and the use", () => {
    mkdirSync(join(place.workspace, "src"));
    put("src/secret.txt", "inside");
    const tools = place.tools();
    const located = locatePath(tools, "src/secret.txt");
    const fresh = locatePath(tools, "src/fresh.txt");
    expect(readFileInside(tools, located, 100).kind).toBe("bytes");
    renameSync(join(place.workspace, "src"), join(place.workspace, "old"));
    symlinkSync(place.outside, join(place.workspace, "src"));
    expect(readFileInside(tools, located, 100).kind).toBe("refused");
    expect(writeFileInside(tools, located, "evil").kind).toBe("refused");
    expect(writeFileInside(tools, fresh, "evil").kind).toBe("refused");
    expect(readFileSync(join(place.outside, "secret.txt"), "utf8")).toBe("outside");
    expect(existsSync(join(place.outside, "fresh.txt"))).toBe(false);
    rmSync(join(place.workspace, "src"));
    mkdirSync(join(place.workspace, "src"));
    symlinkSync(join(place.outside, "secret.txt"), join(place.workspace, "src/secret.txt"));
    expect(readFileInside(tools, located, 100).kind).toBe("refused");
  });

  it("changes no file that has another name elsewhere", async () => {
    linkSync(join(place.outside, "secret.txt"), join(place.workspace, "twin"));
    expect(await writeTool.run(place.tools(), { file_path: "twin", content: "evil" })).toMatchObject({
      ...{ ok: false, text: expect.stringContaining("2 hard links") },
    });
    expect(readFileSync(join(place.outside, "secret.txt"), "utf8")).toBe("outside");
  });

  it("opens files with secrets, and changes settings of other programs, with a yes only", async () => {
    put(".env", "A=1");
    put(".git/config", "[core]");
    expect(await read(".env")).toMatchObject({ ok: false });
    expect(await read(".env", {}, { approval: "once" })).toMatchObject({ ok: true, text: "1\tA=1" });
    expect(await read(".git/config")).toMatchObject({ ok: true });
    const content = "[core]\n\tfsmonitor = evil";
    expect(await writeTool.run(place.tools(), { file_path: ".git/config", content })).toMatchObject({ ok: false });
    expect(await writeTool.run(place.tools({ approval: "once" }), { file_path: ".git/config", content })).toMatchObject(
      { ok: true },
    );
  });
});

describe("the calls of these tools", () => {
  it("are understood by facts, matchers and miners like those of other hosts", () => {
    const needs = (tool: string, input: object) => findCallNeeds({ tool, input, cwd: "/w" });
    expect(needs("read", { file_path: "a.ts" }).needs).toMatchObject([
      { is: "file", subject: "/w/a.ts", surely: true, whole: true },
    ]);
    expect(needs("edit", { file_path: "a.ts", old_string: "x", new_string: "y" }).needs).toMatchObject([
      { subject: "/w/a.ts" },
    ]);
    expect(needs("write", { file_path: "a.ts", content: "" }).makes).toMatchObject([{ subject: "/w/a.ts" }]);
    expect(needs("grep", { pattern: "x", path: "src" }).needs).toMatchObject([{ is: "path", subject: "/w/src" }]);
    expect(needs("list", { path: "src" }).needs).toMatchObject([{ is: "path", subject: "/w/src" }]);
    expect([editTool.name, writeTool.name].every(isEditTool)).toBe(true);
    expect(isShellTool("shell")).toBe(true);
    expect(findNamedFile({ file_path: "a.ts" })).toBe("a.ts");
  });
});
