import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** The file of each host's `review` command, and what the user types. */
const hosts = [
  { host: "gemini", folder: ".gemini", file: ".gemini/commands/oldhand/review.toml", typed: "/oldhand:review" },
  { host: "qwen", folder: ".qwen", file: ".qwen/commands/oldhand/review.md", typed: "/oldhand:review" },
  { host: "codex", folder: ".codex", file: ".codex/skills/oldhand-review/SKILL.md", typed: "$oldhand-review" },
  {
    host: "opencode",
    folder: ".config/opencode",
    file: ".config/opencode/command/oldhand-review.md",
    typed: "/oldhand-review",
  },
  { host: "droid", folder: ".factory", file: ".factory/commands/oldhand-review.md", typed: "/oldhand-review" },
  { host: "copilot", folder: ".copilot", file: ".copilot/skills/oldhand-review/SKILL.md", typed: "/oldhand-review" },
  { host: "pi", folder: ".pi/agent", file: ".pi/agent/prompts/oldhand-review.md", typed: "/oldhand-review" },
  { host: "cline", folder: ".cline", file: ".cline/workflows/oldhand-review.md", typed: "/oldhand-review" },
];

describe.each(hosts)("the commands of $host", ({ host, folder, file, typed }) => {
  it("come with install, are named by it and by doctor, and go with uninstall", async () => {
    mkdirSync(join(place.user, folder), { recursive: true });
    const installed = await place.run(["install", host]);
    expect(installed.stdout).toContain(`${join(place.user, file)}: the command ${typed}`);
    const text = readFileSync(join(place.user, file), "utf8");
    expect(text).toContain("rules list --status candidate --workspace .");
    expect(text).toContain(place.home);
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout).toContain(`you can type ${typed}, `);
    expect((await place.run(["uninstall", host])).code).toBe(0);
    expect(filesIn(place.user)).toEqual([]);
  });
});

it("one that its user wrote under that name stays as it is, also after uninstall", async () => {
  const own = join(place.user, ".gemini/commands/oldhand/review.toml");
  mkdirSync(dirname(own), { recursive: true });
  writeFileSync(own, 'prompt = "mine"\n');
  await place.json(["install", "gemini"]);
  expect(readFileSync(own, "utf8")).toBe('prompt = "mine"\n');
  await place.json(["uninstall", "gemini"]);
  expect(filesIn(place.user)).toEqual([own]);
  expect(readFileSync(own, "utf8")).toBe('prompt = "mine"\n');
});

it("one of ours that its user changed is left to its user, and said so", async () => {
  await place.json(["install", "gemini"]);
  const file = join(place.user, ".gemini/commands/oldhand/review.toml");
  writeFileSync(file, `${readFileSync(file, "utf8")}# and mine\n`);
  const { code, stderr } = await place.run(["uninstall", "gemini"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} was changed after install, so it stays`)]);
  expect(filesIn(place.user)).toEqual([file]);
});

it("one that is no longer as it was written is named by doctor, and written again by its --fix", async () => {
  await place.json(["install", "gemini"]);
  const file = join(place.user, ".gemini/commands/oldhand/mute.toml");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/^prompt/m, "# prompt"));
  expect((await place.run(["doctor"])).stdout).toContain(
    `1 file of its commands is missing, or written by another version of oldhand`,
  );
  await place.run(["doctor", "--fix"]);
  expect(readFileSync(file, "utf8")).toBe(text);
});

it("a repository gets none: what is typed is its user's own", async () => {
  const project = join(place.dir, "shop");
  mkdirSync(join(project, ".git"), { recursive: true });
  await place.json(["install", ...hosts.map((one) => one.host), "--project", project]);
  expect(filesIn(project).filter((path) => /oldhand-?\W?review/.test(path))).toEqual([]);
  expect(hosts.filter(({ file }) => existsSync(join(place.user, file)))).toEqual([]);
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
