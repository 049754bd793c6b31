import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hosts } from "../../src/observe/hosts/list.ts";
import { newPlace, payload, type Place } from "../program.ts";

/** Everything in a clone, including links, is controlled by its author. */
let place: Place;
let clone: string;
beforeEach(() => {
  place = newPlace();
  clone = join(place.dir, "clone");
  mkdirSync(join(clone, ".git"), { recursive: true });
});
afterEach(() => place.remove());

const link = (to: string, name: string) => {
  mkdirSync(dirname(join(clone, name)), { recursive: true });
  symlinkSync(to, join(clone, name));
};
const seen = (event: "PostToolUse" | "PostToolUseFailure" = "PostToolUse", over: object = {}) =>
  place.run(["hook", "claude-code"], { stdin: payload(event, { cwd: clone, ...over }) });

describe("files of a cloned repository", () => {
  it.each([join(".oldhand", "skills.json"), join(".claude", "learned-behavior.json")])(
    "a %s without an end stops nothing, and is named",
    async (name) => {
      link("/dev/zero", name);
      await seen();
      const { notes } = await place.json<{ notes: string[] }>(["distil"]);
      expect(notes).toEqual([`${join(clone, name)}: it links to a place outside the workspace`]);
      expect((await place.run(["maintain"])).code).toBe(0);
    },
  );

  it("a registry outside of the workspace, or a large one, is not read", async () => {
    writeFileSync(join(place.dir, "private.json"), JSON.stringify([{ skill: "x", pattern: "(a)\\1" }]));
    link(join(place.dir, "private.json"), join(".oldhand", "skills.json"));
    mkdirSync(join(clone, ".claude"));
    writeFileSync(join(clone, ".claude", "learned-behavior.json"), " ".repeat(1_000_001));
    await seen();
    const { notes } = await place.json<{ notes: string[] }>(["distil"]);
    expect(notes).toEqual([
      expect.stringMatching(/skills\.json: it links to a place outside the workspace$/),
      expect.stringMatching(/learned-behavior\.json: it is larger than 1000000 bytes$/),
    ]);
  });

  it("skills, rules files and settings that are no plain files stop neither suggestions, nor export, nor doctor", async () => {
    link("/dev/zero", join(".claude", "skills", "a", "SKILL.md"));
    link("/dev/zero", "AGENTS.md");
    link("/dev/zero", ".aider.conf.yml");
    link("/dev/zero", join(".claude", "settings.json"));
    link("/dev/zero", join(".gemini", "settings.json"));
    await seen();
    // No suggestion is a negative result, hence exit code 1.
    expect((await place.run(["suggest", "skills"])).code).toBe(1);
    await place.run(["learn", "Use pnpm here"]);
    const ran = await place.run(["export", "--write", "--workspace", clone]);
    expect(ran.stdout).toMatch(/left alone: \S*AGENTS\.md .*: it links to a place outside the workspace/);
    expect((await place.run(["doctor"], { cwd: clone })).code).not.toBe(70);
  });

  /** Every file to which a host's hooks for a repository would be written. */
  async function plannedIn(project: string, team: boolean): Promise<readonly { host: string; path: string }[]> {
    const at = { userHome: place.user, home: place.home, project, team, env: {}, platform: process.platform };
    const all = await Promise.all(
      hosts.map(async (host) => {
        const files = (await host.setup()).plan({ ...at, command: ["oldhand", "hook", host.name] });
        return files.map(({ path }) => ({ host: host.name, path }));
      }),
    );
    return all.flat().filter(({ path }) => path.startsWith(project));
  }

  it.each([
    ["a repository", false],
    ["a team", true],
  ])("install for %s writes through no link that leads out of it, whichever host", async (_whom, team) => {
    const planned = await plannedIn(clone, team);
    expect(new Set(planned.map(({ host }) => host)).size).toBeGreaterThan(8);
    const outside = join(place.dir, "outside.json");
    for (const { path } of planned) {
      writeFileSync(outside, "{}\n");
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(outside, path);
    }
    // Cline uses another name if one is taken.
    const others = new Set(planned.map((one) => one.host).filter((host) => host !== "cline"));
    for (const host of others) {
      const ran = await place.run(["install", host, "--project", clone, ...(team ? ["--team"] : [])]);
      expect([host, ran.code, ran.stderr]).toEqual([
        host,
        1,
        expect.stringContaining("links to a place outside the repository"),
      ]);
    }
    await place.run(["install", "cline", "--project", clone, ...(team ? ["--team"] : [])]);
    expect(readFileSync(outside, "utf8")).toBe("{}\n");
    expect(existsSync(`${outside}.before-oldhand`)).toBe(false);
  });

  it("install for a repository follows no link of the names it uses for itself", async () => {
    const outside = join(place.dir, "outside.json");
    writeFileSync(outside, "{}\n");
    const settings = join(clone, ".gemini", "settings.json");
    mkdirSync(dirname(settings));
    writeFileSync(settings, "{}\n");
    for (const name of [".oldhand-new", ".before-oldhand"]) symlinkSync(outside, `${settings}${name}`);
    await place.run(["install", "gemini", "--project", clone]);
    expect(readFileSync(settings, "utf8")).toContain("hook gemini");
    expect(readFileSync(outside, "utf8")).toBe("{}\n");
  });

  it("a file where a folder should be is named, and no bug", async () => {
    writeFileSync(join(clone, ".gemini"), "mine");
    const ran = await place.run(["install", "gemini", "--project", clone]);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(".gemini")]);
    expect(readFileSync(join(clone, ".gemini"), "utf8")).toBe("mine");
  });

  it("a link that came after install is not written through by uninstall either", async () => {
    const outside = join(place.dir, "outside.json");
    writeFileSync(outside, "{}\n");
    await place.run(["install", "gemini", "--project", clone, "--team"]);
    const settings = join(clone, ".gemini", "settings.json");
    rmSync(settings);
    symlinkSync(outside, settings);
    expect((await place.run(["uninstall"])).code).toBe(1);
    expect(readFileSync(outside, "utf8")).toBe("{}\n");
  });

  it("export of a team's rules writes through no link", async () => {
    const outside = join(place.dir, "outside.md");
    writeFileSync(outside, "mine\n");
    const { id } = await place.json<{ id: string }>(["learn", "Use pnpm here"]);
    await place.run(["rules", "approve", id]);
    const shown = await place.json<{ files: { path: string }[] }>(["export", "--team", "--workspace", clone]);
    const path = shown.files[0]?.path ?? "";
    link(outside, path.slice(clone.length + 1));
    const { files } = await place.json<{ files: { change: string }[] }>(
      ["export", "--team", "--write", "--workspace", clone],
      { code: 1 },
    );
    expect(files.map((file) => file.change)).toEqual(["refused"]);
    expect(readFileSync(outside, "utf8")).toBe("mine\n");
  });
});
