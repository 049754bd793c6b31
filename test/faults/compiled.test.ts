import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeHomeCopier } from "../../bench/faults.ts";
import { cleanEnv, exec, newPlace, type Place, root } from "../program.ts";
import { eventsIn } from "./sound.ts";

let dir: string;
let newHome: (home: string) => void;
let place: Place;
let home: string;
let told = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "oldhand-compiled-"));
  newHome = await makeHomeCopier(join(dir, "template"));
  place = newPlace();
});
beforeEach(() => {
  home = join(dir, `h${told}`, "mind");
  newHome(home);
  rmSync(join(home, "compiled"), { recursive: true, force: true });
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
  place.remove();
});

/** Reports one successful call through the built program. */
async function sendHook(more: object = {}): Promise<void> {
  const payload = {
    session_id: "s",
    cwd: dir,
    transcript_path: "none",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "true" },
    tool_response: { stdout: "", stderr: "", interrupted: false },
    tool_use_id: `t${told++}`,
    ...more,
  };
  const ran = await place.run(["hook", "claude-code", "--home", home], { stdin: JSON.stringify(payload) });
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, "", ""]);
}

function kept(): string {
  const names = readdirSync(join(home, "compiled")).filter((name) => name.startsWith("hook-"));
  expect(names).toHaveLength(1);
  return join(home, "compiled", names[0]!);
}

const before = { hook_event_name: "PreToolUse", tool_response: undefined };

describe("the hook's compiled code", () => {
  it("is kept by the first hook, readable by its owner only, and taken by the next", async () => {
    await sendHook();
    const { mtimeMs, mode, ino } = statSync(kept());
    expect(mode & 0o777).toBe(0o600);
    await sendHook();
    expect([statSync(kept()).mtimeMs, statSync(kept()).ino]).toEqual([mtimeMs, ino]);
    expect(await eventsIn(place, home)).toBe(2);
  });

  it("grows once another kind of hook has run more of it, and shrinks for none", async () => {
    await sendHook(before);
    const { size } = statSync(kept());
    await sendHook();
    const grown = statSync(kept());
    expect(grown.size).toBeGreaterThan(size);
    await sendHook(before);
    expect(statSync(kept()).ino).toBe(grown.ino);
  });

  it.each([
    ["cut off", (file: string) => truncateSync(file, 10_000)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["of another make", (file: string) => writeFileSync(file, Buffer.alloc(200_000, 7))],
    [
      "full of holes, as after a loss of power",
      (file: string) => writeFileSync(file, readFileSync(file).fill(0, 40_000, 48_192)),
    ],
    [
      "refused by the engine",
      (file: string) => {
        const all = readFileSync(file);
        // V8 writes its version after its magic number; our own check looks only at the magic number.
        all.writeUInt32LE(1, 12 + 4);
        writeFileSync(file, all);
      },
    ],
  ])("that is %s is not used, and made anew", async (_what, harm) => {
    await sendHook();
    const good = readFileSync(kept());
    harm(kept());
    await sendHook();
    expect(await eventsIn(place, home)).toBe(2);
    expect(readFileSync(kept()).length).toBeGreaterThan(good.length / 2);
    const { ino } = statSync(kept());
    await sendHook();
    expect(statSync(kept()).ino).toBe(ino);
  });

  it("is done without where it cannot be kept", async () => {
    writeFileSync(join(home, "compiled"), "not a folder");
    await sendHook();
    await sendHook(before);
    expect(await eventsIn(place, home)).toBe(1);
  });

  it("leaves a home that is not there alone", async () => {
    const ran = await place.run(["hook", "claude-code", "--home", join(dir, "nowhere")], { stdin: "" });
    expect(ran.code).toBe(0);
    expect(() => statSync(join(dir, "nowhere", "compiled"))).toThrow();
  });
});

describe("the command line's compiled code", () => {
  let installed: string;
  beforeEach(() => {
    installed = join(dir, `p${told++}`);
    mkdirSync(join(installed, "dist"), { recursive: true });
    for (const file of [
      "package.json",
      "dist/oldhand.cjs",
      "dist/cli.cjs",
      "dist/cli-pack.js",
      "dist/cli-more-pack.js",
    ])
      copyFileSync(join(root, file), join(installed, file));
    symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
  });

  const run = async (words: readonly string[]) => {
    const env = { ...cleanEnv(dir), OLDHAND_HOME: home };
    const ran = await exec(process.execPath, [join(installed, "dist/oldhand.cjs"), ...words], { env, cwd: dir });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    return ran.stdout;
  };
  const status = async () => expect(await run(["status"])).toContain("0 rules");
  const keptIn = (folder: string) =>
    join(folder, readdirSync(folder).find((name) => name.startsWith("cli-")) ?? "none");

  it("is kept in the package when a command first runs, and is taken the next time", async () => {
    await status();
    const file = keptIn(join(installed, "dist/compiled"));
    const { mode, ino } = statSync(file);
    expect(mode & 0o777).toBe(0o600);
    await status();
    expect(statSync(file).ino).toBe(ino);
  });

  it("is kept for each command, and grows with another word after it", async () => {
    await run(["rules", "list"]);
    const file = keptIn(join(installed, "dist/compiled"));
    const { size, ino } = statSync(file);
    await status();
    expect(statSync(file).ino).toBe(ino);
    await run(["rules", "shown"]);
    expect(statSync(file).size).toBeGreaterThan(size);
  });

  it("is not kept for what is no command", async () => {
    const env = { ...cleanEnv(dir), OLDHAND_HOME: home };
    const words = [join(installed, "dist/oldhand.cjs"), "frobnicate"];
    const ran = await exec(process.execPath, words, { env, cwd: dir });
    expect(ran.code).toBe(2);
    expect(existsSync(join(installed, "dist/compiled"))).toBe(false);
  });

  it("is kept beside the mind where the package takes nothing", async () => {
    writeFileSync(join(installed, "dist/compiled"), "not a folder");
    await status();
    const { ino } = statSync(keptIn(join(home, "compiled")));
    await status();
    expect(statSync(keptIn(join(home, "compiled"))).ino).toBe(ino);
  });

  it("makes no home for itself", async () => {
    writeFileSync(join(installed, "dist/compiled"), "not a folder");
    await run(["rules", "list", "--help", "--home", join(dir, "nowhere")]);
    expect(() => statSync(join(dir, "nowhere"))).toThrow();
  });

  it.each([
    ["cut off", (file: string) => truncateSync(file, 10_000)],
    ["of another make", (file: string) => writeFileSync(file, Buffer.alloc(200_000, 7))],
    ["full of holes", (file: string) => writeFileSync(file, readFileSync(file).fill(0, 40_000, 48_192))],
  ])("that is %s is not used, and made again", async (_what, harm) => {
    await status();
    const file = keptIn(join(installed, "dist/compiled"));
    const { size } = statSync(file);
    harm(file);
    await status();
    expect(statSync(file).size).toBeGreaterThan(size / 2);
    await status();
  });
});
