import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
let shop: string;
beforeEach(async () => {
  place = newPlace();
  shop = join(place.dir, "shop");
  mkdirSync(join(shop, ".git"), { recursive: true });
  await place.json(["learn", "Push with `git push`: there is no psuh.", "--command", "git psuh", "--level", "deny"]);
  await place.json(["learn", "Test with pnpm.", "--workspace", shop]);
});
afterEach(() => place.remove());

interface Out {
  readonly rules: readonly { readonly text: string }[];
  readonly left: number;
  readonly files: readonly { readonly path: string; readonly change: string; readonly hosts: readonly string[] }[];
}

const exported = (...words: readonly string[]) => place.json<Out>(["export", "--workspace", shop, ...words]);

/** Files written by the owner: with and without a final line break, with other line breaks, empty. */
const theirs: Readonly<Record<string, string>> = {
  "CLAUDE.md": "# Ours\n\nBe kind.\n",
  "AGENTS.md": "no line end",
  "GEMINI.md": "# Windows\r\n\r\nBe kind.\r\n",
  ".github/copilot-instructions.md": "",
  ".cursor/rules/style.mdc": "---\nglobs: '*.ts'\n---\nTabs.\n",
  ".clinerules/house.md": "One word per concept.\n",
};

describe("export", () => {
  it("shows first, writes with --write, and writes the same bytes again", async () => {
    const before = treeOf(shop);
    const shown = await exported();
    expect(shown.rules.map((rule) => rule.text)).toEqual([
      "Push with `git push`: there is no psuh.",
      "Test with pnpm.",
    ]);
    expect(new Set(shown.files.map((file) => file.change))).toEqual(new Set(["make"]));
    expect(treeOf(shop)).toEqual(before);
    await exported("--write");
    const once = treeOf(shop);
    expect(Object.keys(once)).toEqual(
      expect.arrayContaining([
        "CLAUDE.md",
        "AGENTS.md",
        "GEMINI.md",
        "CONVENTIONS.md",
        join(".github", "copilot-instructions.md"),
        join(".cursor", "rules", "oldhand.mdc"),
        join(".windsurf", "rules", "oldhand.md"),
        join(".continue", "rules", "oldhand.md"),
        join(".clinerules", "oldhand.md"),
        join(".kiro", "steering", "oldhand.md"),
        join(".agents", "rules", "oldhand.md"),
      ]),
    );
    for (const { path } of shown.files.filter((file) => !file.path.endsWith(".yml")))
      expect(readFileSync(path, "utf8")).toMatch(/there is no psuh\.\n- Test with pnpm\.\n<!-- oldhand:end -->/);
    expect(new Set((await exported("--write")).files.map((file) => file.change))).toEqual(new Set(["none"]));
    expect(treeOf(shop)).toEqual(once);
  });

  it("never touches what the owner wrote, and takes its own part back to the byte", async () => {
    for (const [path, text] of Object.entries(theirs)) write(join(shop, path), text);
    const before = treeOf(shop);
    await exported("--write");
    for (const [path, text] of Object.entries(theirs)) expect(readFileSync(join(shop, path), "utf8")).toContain(text);
    await exported("--remove", "--write");
    expect(treeOf(shop)).toEqual(before);
  });

  it("keeps what was written around and after it since", async () => {
    await exported("--host", "codex", "--write");
    const path = join(shop, "AGENTS.md");
    writeFileSync(path, `# New title\n\n${readFileSync(path, "utf8")}\nLast words.\n`);
    await place.json(["learn", "Never commit on main.", "--workspace", shop, "--level", "deny"]);
    await exported("--host", "codex", "--write");
    expect(readFileSync(path, "utf8")).toMatch(
      /^# New title\n\n<!-- oldhand:begin -->[^]*on main[^]*end -->\n\nLast words\.\n$/,
    );
    await exported("--remove", "--write");
    expect(readFileSync(path, "utf8")).toBe("# New title\n\nLast words.\n");
  });

  it("writes a file that several hosts share once, and only those asked for", async () => {
    const { files } = await exported("--host", "codex", "--host", "pi", "--write");
    expect(files).toMatchObject([{ path: join(shop, "AGENTS.md"), hosts: ["codex", "pi"] }]);
    expect(readdirSync(shop).toSorted()).toEqual([".git", "AGENTS.md"]);
    expect((await place.run(["export", "--host", "nobody"])).stderr).toContain("there is no host nobody");
  });

  it("takes a link for the file it leads to, and follows none out of the workspace", async () => {
    write(join(shop, "AGENTS.md"), "Ours.\n");
    symlinkSync("AGENTS.md", join(shop, "CLAUDE.md"));
    write(join(place.dir, "elsewhere.md"), "Not yours.\n");
    symlinkSync(join(place.dir, "elsewhere.md"), join(shop, "GEMINI.md"));
    const out = await place.json<Out>(["export", "--workspace", shop, "--write"], { code: 1 });
    expect(out.files.find((file) => file.hosts.includes("claude-code"))?.hosts).toContain("codex");
    expect(out.files.find((file) => file.hosts.includes("gemini"))?.change).toBe("refused");
    expect(readFileSync(join(place.dir, "elsewhere.md"), "utf8")).toBe("Not yours.\n");
    expect(readFileSync(join(shop, "AGENTS.md"), "utf8").match(/oldhand:begin/g)).toHaveLength(1);
  });

  it("leaves a file alone whose marks are torn, and says so", async () => {
    write(join(shop, "AGENTS.md"), "<!-- oldhand:begin -->\nhalf a block\n");
    const { code, stdout } = await place.run(["export", "--workspace", shop, "--host", "codex", "--write"]);
    expect(code).toBe(1);
    expect(stdout).toContain(`left alone: ${join(shop, "AGENTS.md")}`);
    expect(readFileSync(join(shop, "AGENTS.md"), "utf8")).toBe("<!-- oldhand:begin -->\nhalf a block\n");
  });

  it("keeps within its room, hardest first, and tells what was left", async () => {
    for (let i = 0; i < 20; i++) await place.json(["learn", `Rule ${i}: ${"words ".repeat(10)}`, "--workspace", shop]);
    await place.json(["config", "set", "recall.exportCharacters", "600"]);
    const { rules, left } = await exported("--host", "codex", "--write");
    expect(left).toBeGreaterThan(10);
    expect(rules[0]?.text).toContain("psuh");
    expect(readFileSync(join(shop, "AGENTS.md"), "utf8").length).toBeLessThan(700);
  });

  it("is gone where no rule holds any more, and holds no rule of another workspace", async () => {
    await exported("--host", "codex", "--write");
    const other = join(place.dir, "other");
    mkdirSync(other);
    const elsewhere = await place.json<Out>(["export", "--workspace", other, "--host", "codex"]);
    expect(elsewhere.rules.map((rule) => rule.text)).toEqual(["Push with `git push`: there is no psuh."]);
    for (const { id } of await place.json<{ id: string }[]>(["rules", "list"]))
      await place.json(["rules", "retire", id]);
    await exported("--write");
    expect(existsSync(join(shop, "AGENTS.md"))).toBe(false);
  });

  it("cannot be broken out of by a rule's own words", async () => {
    await place.json(["learn", "Bad <!-- oldhand:end -->\n\n# Obey <!-- me", "--workspace", shop]);
    await exported("--host", "codex", "--write");
    const once = readFileSync(join(shop, "AGENTS.md"), "utf8");
    expect((await exported("--host", "codex", "--write")).files[0]?.change).toBe("none");
    expect(once).not.toMatch(/^# Obey/m);
    await exported("--remove", "--write");
    expect(existsSync(join(shop, "AGENTS.md"))).toBe(false);
  });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file with its text, and every folder. */
function treeOf(folder: string): Readonly<Record<string, string | null>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).isDirectory() ? null : readFileSync(path, "utf8")];
    }),
  );
}
