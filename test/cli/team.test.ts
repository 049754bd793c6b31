import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { extname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findHookEntries, type HookEntry } from "../../src/observe/wiring/entries.ts";
import { hosts } from "../../src/observe/hosts/list.ts";
import { cleanEnv, exec, newPlace, type Place, program, type Ran } from "../program.ts";

let place: Place;
let project: string;
let bin: string;
beforeEach(() => {
  place = newPlace();
  project = join(place.dir, "shop");
  bin = join(place.dir, "bin");
  mkdirSync(project);
  mkdirSync(bin);
});
afterEach(() => place.remove());

const setups = await Promise.all(hosts.map(async (host) => ({ host, setup: await host.setup() })));
/** The hosts with hooks for one repository. */
const hooked = setups.flatMap(({ host, setup }) =>
  setup.probe === undefined || ["openclaw", "hermes"].includes(host.name) ? [] : [host],
);
const shared = hooked.map((host) => host.name);

/** A machine without oldhand and without Node. */
function bareTools(): void {
  for (const tool of ["sh", "bash", "env", "cat"]) symlinkSync(`/bin/${tool}`, join(bin, tool));
}

/** A machine with a global oldhand. */
function withOldhand(): void {
  bareTools();
  symlinkSync(process.execPath, join(bin, "node"));
  symlinkSync(program, join(bin, "oldhand"));
}

async function installed(names: readonly string[] = shared): Promise<readonly string[]> {
  const ran = await place.run(["install", ...names, "--project", project, "--team", "--json"]);
  const { files } = JSON.parse(ran.stdout) as { files: { path: string }[] };
  return files.map((file) => file.path);
}

function treeOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Runs the entry as the host does, on the machine of another member of the team. */
async function sendHook(entry: HookEntry, user: string, payload: unknown): Promise<Ran> {
  const env = { ...cleanEnv(user), PATH: bin };
  const stdin = JSON.stringify(payload);
  if (entry.kind === "command") return exec("/bin/sh", ["-c", entry.command], { env, cwd: project, stdin });
  if (entry.kind === "script") return exec("/bin/bash", [entry.path], { env, cwd: project, stdin });
  if (entry.kind !== "plugin") throw new Error("a team shares no servers");
  const code = `${entry.text}\nawait request(${stdin});\nhangUp();\n`;
  return exec(process.execPath, ["--input-type=module", "-"], { env, cwd: project, stdin: code });
}

async function eachEntry(visit: (entry: HookEntry, payload: unknown, host: string) => Promise<void>): Promise<void> {
  for (const host of hooked) {
    const setup = await host.setup();
    const at = { userHome: place.user, home: place.home, project, team: true, env: {}, platform: process.platform };
    const paths = setup.plan({ ...at, command: ["oldhand", "hook", host.name, "--team"] }).map((file) => file.path);
    const entries = findHookEntries(
      host.name,
      paths.map((path) => ({ path, text: readFileSync(path, "utf8") })),
    );
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries)
      await visit(entry, setup.probe?.({ session: `s-${host.name}`, cwd: project }), host.name);
  }
}

describe("settings that a team shares", () => {
  it("say nothing of the machine they were written on", async () => {
    await installed();
    const here = treeOf(project);
    expect(Object.keys(here).length).toBeGreaterThan(14);
    const texts = Object.values(here).join("\n");
    for (const mine of [place.dir, process.execPath, program, "--home"]) expect(texts).not.toContain(mine);
    expect(Object.keys(here).filter((name) => /before-oldhand|local/.test(name))).toEqual([]);
    const other = newPlace();
    const there = join(other.dir, "elsewhere");
    mkdirSync(there);
    await other.run(["install", ...shared, "--project", there, "--team"]);
    expect(treeOf(there)).toEqual(here);
    other.remove();
  });

  it("feed each teammate's own mind, where oldhand is on the PATH", async () => {
    await installed();
    withOldhand();
    const user = mkdtempSync(join(place.dir, "teammate-"));
    await eachEntry(async (entry, payload, host) => {
      const ran = await sendHook(entry, user, payload);
      expect([ran.code, ran.stderr], host).toEqual([0, ""]);
    });
    const home = join(user, ".oldhand");
    const readEvents = async () => {
      const all = await place.json<{ hosts: { host: string; events: number }[] }>(["hosts", "list", "--home", home]);
      return all.hosts.filter((one) => one.events > 0).map((one) => one.host);
    };
    // A plugin does not wait for its reply, so the last event may still be in the process of being stored.
    await expect.poll(readEvents, { timeout: 20_000 }).toEqual(shared);
  });

  it("are silent, and let the host go on, where there is no oldhand", async () => {
    await installed();
    bareTools();
    const long = "x".repeat(300_000);
    await eachEntry(async (entry, payload, host) => {
      const ran = await sendHook(entry, place.user, { ...(payload as object), long });
      expect([ran.code, ran.stderr], host).toEqual([0, ""]);
      // Antigravity treats an empty reply as a refusal.
      const allowed = host === "antigravity" && entry.kind === "command" && entry.command.includes("allow");
      expect(ran.stdout, host).toBe(allowed ? '{"decision":"allow"}\n' : host === "antigravity" ? "{}\n" : "");
    });
    expect(readdirSync(place.user)).toEqual([]);
  });

  it("tell an event once where its user has hooks everywhere besides", async () => {
    await installed(["gemini"]);
    withOldhand();
    await place.json(["install", "gemini", "--home", join(place.user, ".oldhand")]);
    const setup = await hosts.find((host) => host.name === "gemini")!.setup();
    const payload = setup.probe?.({ session: "both", cwd: project });
    for (const path of [join(place.user, ".gemini/settings.json"), join(project, ".gemini/settings.json")])
      for (const entry of findHookEntries("gemini", [{ path, text: readFileSync(path, "utf8") }])) {
        if (entry.kind === "server") continue;
        // The user's own hooks contain the path of Node and otherwise need only standard tools.
        const ran = await sendHook(entry, place.user, payload);
        expect(ran).toMatchObject({ code: 0, stderr: "" });
      }
    const home = join(place.user, ".oldhand");
    expect(await place.json(["status", "--home", home])).toMatchObject({ counts: { events: 1 } });
  });

  it("go without a trace, and leave what others wrote", async () => {
    mkdirSync(join(project, ".claude"));
    writeFileSync(join(project, ".claude", "settings.json"), '{"permissions": {"allow":  ["Bash(ls)"]}}');
    const before = treeOf(project);
    const paths = await installed();
    expect(paths).toContain(join(project, ".claude", "settings.json"));
    expect(new Set(paths.map(extname))).toEqual(new Set([".json", ".js", ".ts", ".bash"]));
    await place.json(["uninstall", "--project", project]);
    expect(treeOf(project)).toEqual(before);
    expect(readdirSync(project)).toEqual([".claude"]);
  });

  it("without a folder they are for the one we are in; uninstall of another repository leaves them", async () => {
    await place.run(["install", "qwen", "--team"], { cwd: project });
    expect(readdirSync(project)).toEqual([".qwen"]);
    const other = join(place.dir, "other");
    mkdirSync(other);
    await place.json(["uninstall", "--project", other]);
    expect(readdirSync(project)).toEqual([".qwen"]);
    await place.json(["uninstall"]);
    expect(readdirSync(project)).toEqual([]);
    rmSync(other, { recursive: true });
  });

  it("say to the one who installs them that oldhand is not on the PATH", async () => {
    bareTools();
    const ran = await place.run(["install", "codex", "--project", project, "--team"], { env: { PATH: bin } });
    expect(ran.stdout).toContain("no event arrived");
    expect(ran.stdout).toContain("npm install -g .");
  });
});
