import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCheckpoints } from "../../src/converse/undo/checkpoints.ts";
import { pruneCheckpoints } from "../../src/converse/undo/prune-checkpoints.ts";
import { DAY, fixedClock, HOUR } from "../../src/lib/clock.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { listCheckpoints } from "../../src/store/chat/checkpoints.ts";
import { bundleChildren, type Children } from "../store/children.ts";
import { stores, type TestStore } from "../stores.ts";
import { hear, withChat } from "./lab/chat-lab.ts";

interface UndoLab {
  readonly mind: OpenMind;
  readonly home: string;
  readonly database: string;
  readonly clock: ReturnType<typeof fixedClock>;
  /** The path of a file in the workspace. */
  file(name: string): string;
  /** Changes a file as a tool does, in a turn of the session `s1`. */
  change(turn: number, name: string, how: (path: string) => void): Promise<void>;
  undo(turn: number): ReturnType<ReturnType<typeof openCheckpoints>["undo"]>;
  copies(): readonly string[];
}

async function withFiles(
  kind: TestStore,
  settings: Readonly<Record<string, unknown>>,
  act: (lab: UndoLab) => Promise<void>,
): Promise<void> {
  const place = await kind.migrated();
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "oldhand-undo-")));
  const [home, workspace] = [join(dir, "mind"), join(dir, "shop")];
  mkdirSync(home);
  mkdirSync(workspace);
  writeFileSync(join(home, "config.json"), JSON.stringify({ embedder: "none", chat: settings }));
  const clock = fixedClock(Date.parse("2026-11-17T12:00:00Z"));
  const mind = await openContext({ home, database: place.database, env: {}, clock });
  const checkpoints = openCheckpoints(mind, "s1");
  const file = (name: string) => join(workspace, name);
  try {
    await act({
      ...{ mind, home, clock, file, database: place.database },
      change: async (turn, name, how) => {
        await checkpoints.beforeChange(turn, file(name));
        how(file(name));
        await checkpoints.afterChange(turn, file(name));
      },
      undo: (turn) => checkpoints.undo(turn),
      copies: () => {
        const folder = join(home, "checkpoints");
        return existsSync(folder) ? readdirSync(folder).flatMap((part) => readdirSync(join(folder, part))) : [];
      },
    });
  } finally {
    await mind.close();
    await place.remove();
    rmSync(dir, { recursive: true, force: true });
  }
}

const write = (text: string | Uint8Array) => (path: string) => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
};

describe.each(stores)("checkpoints ($name)", (kind) => {
  it("restore changed, new and deleted files byte for byte, with their modes and links", () =>
    withFiles(kind, {}, async ({ file, change, undo }) => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7 + (at >> 8)) % 256);
      write(bytes)(file("logo.bin"));
      write("#!/bin/sh\r\necho caf\u00e9\0")(file("run.sh"));
      chmodSync(file("run.sh"), 0o750);
      write("gone")(file("old/notes.md"));
      symlinkSync("run.sh", file("link"));
      await change(1, "logo.bin", write("text"));
      await change(1, "run.sh", write("a"));
      await change(1, "run.sh", (path) => {
        write("b")(path);
        chmodSync(path, 0o600);
      });
      await change(1, "old/notes.md", unlinkSync);
      await change(1, "new/deep/file.ts", write("export {}"));
      await change(1, "link", (path) => {
        unlinkSync(path);
        write("no link any more")(path);
      });
      rmSync(file("old"), { recursive: true });
      const undone = await undo(1);
      expect(undone).toMatchObject({ kind: "undone", turn: 1 });
      expect(undone.kind === "undone" ? undone.files.length : 0).toBe(5);
      expect(Uint8Array.from(readFileSync(file("logo.bin")))).toEqual(bytes);
      expect(readFileSync(file("run.sh"), "utf8")).toBe("#!/bin/sh\r\necho caf\u00e9\0");
      expect(statSync(file("run.sh")).mode & 0o777).toBe(0o750);
      expect(readFileSync(file("old/notes.md"), "utf8")).toBe("gone");
      expect(existsSync(file("new"))).toBe(false);
      expect([lstatSync(file("link")).isSymbolicLink(), readlinkSync(file("link"))]).toEqual([true, "run.sh"]);
      expect(readdirSync(file(".")).toSorted()).toEqual(["link", "logo.bin", "old", "run.sh"]);
    }));

  it("restore the file behind a link that was written through", () =>
    withFiles(kind, {}, async ({ file, change, undo }) => {
      write("one")(file("real.txt"));
      symlinkSync("real.txt", file("link"));
      await change(1, "link", (path) => writeFileSync(path, "two"));
      expect(readFileSync(file("real.txt"), "utf8")).toBe("two");
      expect(await undo(1)).toMatchObject({ kind: "undone" });
      expect(readFileSync(file("real.txt"), "utf8")).toBe("one");
      expect(lstatSync(file("link")).isSymbolicLink()).toBe(true);
    }));

  it("change nothing if a file was changed since, and name it", () =>
    withFiles(kind, {}, async ({ file, change, undo }) => {
      write("a")(file("a.ts"));
      write("b")(file("b.ts"));
      await change(1, "a.ts", write("a1"));
      await change(1, "b.ts", write("b1"));
      await change(1, "c.ts", write("c1"));
      write("a person's words")(file("b.ts"));
      unlinkSync(file("c.ts"));
      mkdirSync(file("c.ts"));
      expect(await undo(1)).toEqual({ kind: "refused", changed: [file("b.ts"), file("c.ts")] });
      expect(readFileSync(file("a.ts"), "utf8")).toBe("a1");
      write("b1")(file("b.ts"));
      rmSync(file("c.ts"), { recursive: true });
      expect(await undo(1)).toMatchObject({ kind: "undone" });
      expect([readFileSync(file("a.ts"), "utf8"), readFileSync(file("b.ts"), "utf8")]).toEqual(["a", "b"]);
    }));

  it("refuse a file whose change was begun and whose end nobody knows", () =>
    withFiles(kind, {}, async ({ mind, file, undo }) => {
      write("a")(file("a.ts"));
      await openCheckpoints(mind, "s1").beforeChange(1, file("a.ts"));
      write("half of it")(file("a.ts"));
      expect(await undo(1)).toEqual({ kind: "refused", changed: [file("a.ts")] });
    }));

  it("take back turns one after the other, and a turn twice does no more", () =>
    withFiles(kind, {}, async ({ file, change, undo }) => {
      write("0")(file("n"));
      await change(1, "n", write("1"));
      await change(2, "n", write("2"));
      expect(await undo(1)).toMatchObject({ kind: "refused" });
      await undo(2);
      expect(readFileSync(file("n"), "utf8")).toBe("1");
      await undo(1);
      write("mine")(file("n"));
      expect(await undo(1)).toMatchObject({ kind: "undone" });
      expect(readFileSync(file("n"), "utf8")).toBe("mine");
    }));

  it("leave a folder that was there before, or that has other files", () =>
    withFiles(kind, {}, async ({ file, change, undo }) => {
      mkdirSync(file("there"));
      await change(1, "there/a", write("a"));
      await change(1, "made/a", write("a"));
      await change(1, "made/deep/a", write("a"));
      write("mine")(file("made/mine"));
      await undo(1);
      expect([existsSync(file("there")), existsSync(file("there/a"))]).toEqual([true, false]);
      expect(readdirSync(file("made"))).toEqual(["mine"]);
    }));

  it("refuse the change of a file that is too large, before it is made", () =>
    withFiles(kind, { checkpointFileMegabytes: 1 }, async ({ file, change, copies }) => {
      write("")(file("big.sql"));
      truncateSync(file("big.sql"), 3_000_000);
      await expect(change(1, "big.sql", write("x"))).rejects.toThrow(
        "has 3 MB, so a change of it could not be taken back",
      );
      expect(statSync(file("big.sql")).size).toBe(3_000_000);
      expect(copies()).toEqual([]);
    }));

  it("are private, and the same content is kept once", () =>
    withFiles(kind, {}, async ({ home, file, change, copies }) => {
      write("secret plan")(file("a"));
      write("secret plan")(file("b"));
      await change(1, "a", write("1"));
      await change(2, "b", write("2"));
      expect(copies()).toHaveLength(1);
      const [part = ""] = readdirSync(join(home, "checkpoints"));
      const path = join(home, "checkpoints", part, copies()[0] ?? "");
      expect(statSync(path).mode & 0o077).toBe(0);
      expect(readFileSync(path).includes("secret plan")).toBe(false);
    }));

  it("say so if a copy is gone, and change nothing", () =>
    withFiles(kind, {}, async ({ home, file, change, undo }) => {
      write("a")(file("a"));
      await change(1, "b", write("new"));
      await change(1, "a", write("1"));
      rmSync(join(home, "checkpoints"), { recursive: true });
      await expect(undo(1)).rejects.toThrow(`the copy of ${file("a")} is not in ${home}`);
      expect(existsSync(file("b"))).toBe(true);
    }));

  it("are removed by age, a turn as a whole", () =>
    withFiles(kind, { checkpointDays: 10 }, async ({ mind, clock, file, change, undo, copies }) => {
      for (const name of ["a", "b", "c"]) write(`old ${name}`)(file(name));
      await change(1, "a", write("1"));
      await change(2, "b", write("1"));
      clock.advance(6 * DAY);
      await change(2, "c", write("1"));
      clock.advance(5 * DAY);
      await pruneCheckpoints(mind);
      expect(await listCheckpoints(mind.db, "s1", 1)).toEqual([]);
      expect(copies()).toHaveLength(2);
      expect(await undo(2)).toMatchObject({ kind: "undone" });
      expect(readFileSync(file("b"), "utf8")).toBe("old b");
    }));

  it("are removed above the disk cap, the oldest first", () =>
    withFiles(kind, { checkpointMegabytes: 1 }, async ({ mind, clock, file, change, undo }) => {
      const before = [1, 2, 3, 4].map(() => randomBytes(400_000));
      for (const [at, bytes] of before.entries()) {
        write(bytes)(file(`f${at}`));
        await change(at + 1, `f${at}`, write("changed"));
        clock.advance(HOUR);
      }
      await pruneCheckpoints(mind);
      const left = await Promise.all(
        [1, 2, 3, 4].map(async (turn) => (await listCheckpoints(mind.db, "s1", turn)).length),
      );
      expect(left).toEqual([0, 0, 1, 1]);
      expect(await undo(4)).toMatchObject({ kind: "undone" });
      expect(readFileSync(file("f3")).equals(before[3] ?? Buffer.from(""))).toBe(true);
    }));
});

describe.each(stores)("/undo in a session ($name)", (kind) => {
  it("takes back the last turn and its files, and names what a shell command changed", () =>
    withChat(
      kind,
      {
        script: [
          {
            text: "",
            calls: [
              { tool: "write", input: { path: "cart.ts", text: "broken" } },
              { tool: "shell", input: { command: "echo log > build.log" } },
            ],
          },
          { text: "Done." },
        ],
        files: { "cart.ts": "fine" },
      },
      async ({ open, cwd, clock }) => {
        clock.set(Date.now());
        const session = await open();
        await wait(20);
        await hear(session.send("Break it"));
        expect(readFileSync(join(cwd, "cart.ts"), "utf8")).toBe("broken");
        expect(await session.undo()).toEqual({
          kind: "undone",
          turn: 1,
          text: "Break it",
          files: [join(cwd, "cart.ts")],
          others: [join(cwd, "build.log")],
        });
        expect(readFileSync(join(cwd, "cart.ts"), "utf8")).toBe("fine");
        await session.close();
      },
    ));

  it("does not name what only the file tools of a later turn changed, nor what an undo of that turn restored", () =>
    withChat(
      kind,
      {
        script: [
          { text: "Talk." },
          { text: "", calls: [{ tool: "write", input: { path: "cart.ts", text: "broken" } }] },
          { text: "Done." },
        ],
        files: { "cart.ts": "fine" },
      },
      async ({ open, cwd, clock }) => {
        await wait(20);
        clock.set(Date.now());
        const session = await open();
        await hear(session.send("Only talk"));
        await wait(20);
        await hear(session.send("Break it"));
        expect(await session.undo()).toMatchObject({ turn: 2, files: [join(cwd, "cart.ts")], others: undefined });
        expect(await session.undo()).toEqual({ kind: "undone", turn: 1, text: "Only talk", files: [] });
        await session.close();
      },
    ));

  it("names what a command changed before the file tools of a later turn did", () =>
    withChat(
      kind,
      {
        script: [
          { text: "", calls: [{ tool: "shell", input: { command: "echo more >> cart.ts" } }] },
          { text: "Done." },
          { text: "", calls: [{ tool: "write", input: { path: "cart.ts", text: "broken" } }] },
          { text: "Done." },
        ],
        files: { "cart.ts": "fine" },
      },
      async ({ open, cwd, clock }) => {
        await wait(20);
        clock.set(Date.now());
        const session = await open();
        await wait(20);
        await hear(session.send("Append"));
        await hear(session.send("Break it"));
        expect(await session.undo()).toMatchObject({ turn: 2 });
        expect(await session.undo()).toMatchObject({ turn: 1, others: [join(cwd, "cart.ts")] });
        await session.close();
      },
    ));

  it("names tracked files that a command of the turn deleted", () =>
    withChat(
      kind,
      {
        script: [{ text: "", calls: [{ tool: "shell", input: { command: "rm README.md" } }] }, { text: "Done." }],
        files: { "README.md": "fine" },
      },
      async ({ open, cwd, clock }) => {
        const git = (...words: string[]) => spawnSync("git", words, { cwd });
        git("init");
        git("add", "README.md");
        clock.set(Date.now());
        const session = await open();
        await wait(20);
        await hear(session.send("Tidy up"));
        expect(await session.undo()).toMatchObject({ kind: "undone", others: [join(cwd, "README.md")] });
        await session.close();
      },
    ));
});

describe.each(stores)("an undo that is killed ($name)", (kind) => {
  let children: Children;
  beforeAll(async () => {
    children = await bundleChildren(fileURLToPath(new URL("lab/undo-child.ts", import.meta.url)));
  });
  afterAll(() => children.remove());

  it("can be repeated: every file is as before, and nothing else is left", () =>
    withFiles(kind, {}, async ({ home, database, file, change }) => {
      const names = Array.from({ length: 60 }, (_, at) => `src/f${at + 100}.txt`);
      const text = (name: string) => `${name}\n`.repeat(5_000);
      for (const name of names) write(text(name))(file(name));
      for (const name of names) await change(1, name, write("changed"));
      for (const name of ["new/a", "new/b"]) await change(1, name, write("new"));
      for (const until of [0, 1, 9, 30, 59]) {
        const child = children.start([home, database, "s1"]);
        await child.firstLine;
        const isRestored = () => readFileSync(file(names[until] ?? ""), "utf8") !== "changed";
        while (!isRestored()) await wait(1);
        child.kill();
        await child.ended;
      }
      const last = await children.run([home, database, "s1"]);
      expect(last.lines).toEqual(["ready", "undone"]);
      for (const name of names) expect(readFileSync(file(name), "utf8")).toBe(text(name));
      expect(existsSync(file("new"))).toBe(false);
      expect(readdirSync(file("src")).toSorted()).toEqual(names.map((name) => name.slice(4)).toSorted());
    }));
});
