import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const at = (name: string) => join(place.home, name);
const read = (name: string) => readFileSync(at(name), "utf8");
const texts = async (words: readonly string[] = []) =>
  (await place.json<{ memories: { text: string }[] }>(["memories", "list", ...words])).memories
    .map((memory) => memory.text)
    .toSorted();

describe("MEMORY.md and USER.md", () => {
  it("hold what is pinned and holds everywhere, each entry parted by §", async () => {
    await place.json(["remember", "Tests run with pnpm", "--pinned"]);
    await place.json(["remember", "Deploys go through staging", "--pinned"]);
    await place.json(["remember", "The owner prefers Rust", "--kind", "profile", "--pinned"]);
    await place.json(["remember", "Only here", "--workspace", ".", "--pinned"]);
    await place.json(["remember", "Not pinned"]);
    expect(
      read("MEMORY.md")
        .split("\n§\n")
        .map((entry) => entry.trim())
        .toSorted(),
    ).toEqual(["Deploys go through staging", "Tests run with pnpm"]);
    expect(read("USER.md")).toBe("The owner prefers Rust\n");
  });

  it("are read back when the owner edited them: changed, added and removed entries, without a word of it lost", async () => {
    const { memory } = await place.json<{ memory: { id: string } }>(["remember", "Tests run with npm", "--pinned"]);
    await place.json(["remember", "An old habit", "--pinned"]);
    writeFileSync(at("MEMORY.md"), "A line of my own,\nover two lines\n\n§\nTests run with pnpm\n");
    const before = read("MEMORY.md");
    expect(await texts()).toEqual(["A line of my own,\nover two lines", "Tests run with pnpm"]);
    expect(read("MEMORY.md")).toBe(before);
    expect(await place.json(["memories", "show", memory.id])).toMatchObject({
      text: "Tests run with pnpm",
      trust: "owner",
    });
    expect(await texts(["--status", "archived"])).toEqual(["An old habit"]);
    const { changes } = await place.json<{ changes: { actor: string; cause: { note: string } }[] }>(["why", memory.id]);
    expect(changes.at(-1)).toMatchObject({ actor: "owner", cause: { kind: "person", note: "MEMORY.md was edited" } });
    await place.json(["remember", "One more", "--pinned"]);
    expect(read("MEMORY.md")).toBe("A line of my own,\nover two lines\n§\nTests run with pnpm\n§\nOne more\n");
    expect(await place.json(["doctor"])).toMatchObject({ problems: 0 });
  });

  it("refuse what is over the limit, with the entries to consolidate, and never cut anything off", async () => {
    await place.json(["config", "set", "memory.memoryFileCharacters", "100"]);
    await place.json(["remember", `First ${"a".repeat(50)}`, "--pinned"]);
    const before = read("MEMORY.md");
    const ran = await place.run(["remember", `Second ${"b".repeat(50)}`, "--pinned"]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("MEMORY.md would hold 116 of 100 characters; nothing was written");
    expect(ran.stderr).toMatch(/consolidate or unpin some of: m_\w+ First aaa/);
    expect(read("MEMORY.md")).toBe(before);
    expect(await texts()).toHaveLength(1);
    const { memory } = await place.json<{ memory: { id: string } }>(["remember", `Second ${"b".repeat(50)}`]);
    expect((await place.run(["memories", "pin", memory.id])).code).toBe(1);
  });

  it("that the owner made too long are read back, told, and left as they are", async () => {
    await place.json(["remember", "First", "--pinned"]);
    const long = `First\n§\n${"x".repeat(2_300)}\n`;
    writeFileSync(at("MEMORY.md"), long);
    const made = await place.json<{ files: { over: boolean; characters: number }[] }>(["memories", "files"], {
      code: 1,
    });
    expect(made.files[0]).toMatchObject({ over: true, readBack: 1, written: false, characters: 2_308, limit: 2_200 });
    expect(read("MEMORY.md")).toBe(long);
    expect(await texts()).toHaveLength(2);
    expect(
      (await place.json<{ files: { readBack: number }[] }>(["memories", "files"], { code: 1 })).files[0],
    ).toMatchObject({
      readBack: 0,
    });
    expect((await place.run(["remember", "Second", "--pinned"])).code).toBe(1);
    expect(read("MEMORY.md")).toBe(long);
  });

  it("follow the memories: unpinned, undone and forgotten ones leave, a file that is gone comes back", async () => {
    const pinned = await place.json<{ memory: { id: string } }>(["remember", "Alpha", "--pinned"]);
    const other = await place.json<{ changes: { id: number }[] }>(["remember", "Beta", "--pinned"]);
    await place.json(["undo", String(other.changes[0]?.id)]);
    await place.json(["memories"]);
    expect(read("MEMORY.md")).toBe("Alpha\n");
    rmSync(at("MEMORY.md"));
    await place.json(["memories", "files"]);
    expect(read("MEMORY.md")).toBe("Alpha\n");
    await place.json(["memories", "unpin", pinned.memory.id]);
    expect(read("MEMORY.md")).toBe("");
    await place.json(["memories", "pin", pinned.memory.id]);
    await place.json(["forget", pinned.memory.id]);
    expect(read("MEMORY.md")).toBe("");
  });

  it("that hold no text are refused and not touched; without pinned memories there are none", async () => {
    await place.json(["remember", "Alpha"]);
    expect(existsSync(at("MEMORY.md"))).toBe(false);
    const bytes = Buffer.from([0x41, 0xff, 0xfe, 0x42]);
    writeFileSync(at("MEMORY.md"), bytes);
    const ran = await place.run(["memories", "files"]);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("not UTF-8")]);
    expect(readFileSync(at("MEMORY.md")).equals(bytes)).toBe(true);
  });

  it("keep a secret the owner wrote there out of the mind", async () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    await place.json(["remember", "Alpha", "--pinned"]);
    writeFileSync(at("MEMORY.md"), `Alpha\n§\nThe token is ${secret}\n`);
    const known = await texts();
    expect(known).toHaveLength(2);
    expect(known.join()).not.toContain(secret);
    expect(read("MEMORY.md")).toContain(secret);
    await place.json(["remember", "Beta", "--pinned"]);
    expect(read("MEMORY.md")).toContain(secret);
    expect(read("memory-files.json")).not.toContain(secret);
    expect((await place.json<{ files: { readBack: number }[] }>(["memories", "files"])).files[0]?.readBack).toBe(0);
  });
});
