import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** Every folder, and every file with its bytes. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? `${name}/` : `${name} ${readFileSync(path, "base64")}`;
    });
}

const names = ["claude-code", "codex", "gemini", "opencode", "qwen", "pi"] as const;

interface Installed {
  readonly files: readonly { readonly path: string }[];
}

describe("uninstall", () => {
  it("leaves no file and no folder of its own, also after files were written a second time", async () => {
    const before = treeOf(place.user);
    const { files } = await place.json<Installed>(["install", ...names]);
    const own = files.filter(({ path }) => path.startsWith(place.user));
    expect(own.length).toBeGreaterThan(names.length);
    // The first file of each folder is the one that the folder was made for.
    const firsts = own.filter(({ path }, at) => own.findIndex((one) => dirname(one.path) === dirname(path)) === at);
    for (const { path } of firsts) rmSync(path, { force: true });
    await place.json(["install", ...names]);
    await place.json(["uninstall"]);
    expect(treeOf(place.user)).toEqual(before);
  });

  it("of one host after the other leaves nothing either, in whatever order", async () => {
    const before = treeOf(place.user);
    for (const order of [names, names.toReversed()]) {
      await place.json(["install", ...names]);
      for (const name of order) await place.json(["uninstall", name]);
      expect(treeOf(place.user)).toEqual(before);
    }
  });

  it("of a file that its host wrote again says so, and leaves no empty member that the install made", async () => {
    const settings = join(place.user, ".gemini", "settings.json");
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, '{"general":{"vimMode":true},"empty":{}}');
    await place.json(["install", "gemini"]);
    const written = JSON.parse(readFileSync(settings, "utf8")) as object;
    writeFileSync(settings, JSON.stringify({ ...written, ide: { seen: true } }, null, 2));
    const { stdout } = await place.run(["uninstall"]);
    expect(stdout).toContain(`removed oldhand's entries from ${settings}, which was changed since the install`);
    expect(stdout).not.toContain(`restored ${settings}`);
    expect(JSON.parse(readFileSync(settings, "utf8"))).toEqual({
      general: { vimMode: true },
      empty: {},
      ide: { seen: true },
    });
  });

  it("keeps a folder that it made where someone else has put something", async () => {
    const { files } = await place.json<Installed>(["install", "gemini"]);
    const [first] = files.filter(({ path }) => path.startsWith(place.user));
    const mine = join(first?.path ?? "", "..", "mine.txt");
    writeFileSync(mine, "kept");
    await place.json(["uninstall"]);
    expect(readFileSync(mine, "utf8")).toBe("kept");
  });
});
