import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanEnv, newPlace, payload, type Place, program } from "../program.ts";
import { payloadOf, ways } from "./hook-ways.ts";
import { eventsIn, lostIn } from "./sound.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

interface Hook {
  readonly child: ChildProcess;
  readonly ended: Promise<readonly [number | null, string, string]>;
}

/** A hook whose stdin is never closed: without a time limit it would never end. */
function hookOf(host: string, stdin: "pipe" | number = "pipe", env: Readonly<Record<string, string>> = {}): Hook {
  const child = spawn(process.execPath, [program, "hook", host], {
    env: { ...cleanEnv(place.user), OLDHAND_HOME: place.home, ...env },
    cwd: place.dir,
    stdio: [stdin, "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdin?.on("error", () => {});
  return { child, ended: new Promise((resolve) => child.once("close", (code) => resolve([code, out, err]))) };
}

const silent = [0, "", ""];
const oneShot = ways.filter((way) => way.words[0] === "hook" && !way.words.includes("--stream"));

describe("a hook whose stdin stays open", () => {
  it.each(oneShot.map((way) => way.host))("%s: the whole payload is enough", async (host) => {
    const { child, ended } = hookOf(host);
    child.stdin?.write(JSON.stringify(await payloadOf(host, "s-open")));
    expect((await ended).toSpliced(1, 1)).toEqual([0, ""]);
    expect([await eventsIn(place, place.home), lostIn(place.home)]).toEqual([1, 0]);
  });

  it("the same through a pipe, in pieces, and through Node's own stdin", async () => {
    const text = payload("PostToolUse", { tool_input: { command: `echo '}"${"ä{".repeat(60_000)}'` } });
    const path = join(place.dir, "pipe");
    execFileSync("mkfifo", [path]);
    // Opened for reading and writing, so that it never ends.
    const pipe = openSync(path, "r+");
    const small = payload("PostToolUse", { tool_use_id: "toolu_small" });
    writeSync(pipe, small.slice(0, 100));
    const throughPipe = hookOf("claude-code", pipe);
    await setTimeout(100);
    writeSync(pipe, small.slice(100));
    expect(await throughPipe.ended).toEqual(silent);
    closeSync(pipe);
    // With and without Node's faster internal way to read.
    const without = join(place.dir, "without.cjs");
    writeFileSync(without, "process.binding = () => { throw new Error('none'); };");
    for (const env of [{}, { NODE_OPTIONS: `--require ${without}` }]) {
      const { child, ended } = hookOf("claude-code", "pipe", env);
      child.stdin?.write(text.slice(0, 70_000));
      await setTimeout(100);
      child.stdin?.write(text.slice(70_000));
      expect(await ended).toEqual(silent);
    }
    expect([await eventsIn(place, place.home), lostIn(place.home)]).toEqual([2, 0]);
  });

  it("half a payload is waited for, but not for ever: it is counted as lost", async () => {
    for (const env of [{}, { NODE_OPTIONS: "--pending-deprecation" }]) {
      const { child, ended } = hookOf("claude-code", "pipe", env);
      child.stdin?.write(payload("PostToolUse").slice(0, -1));
      expect(await ended).toEqual(silent);
    }
    expect(lostIn(place.home)).toBe(2);
  });

  it("nothing at all is nothing lost; a host that takes nothing for a no is answered", async () => {
    expect(await hookOf("claude-code").ended).toEqual(silent);
    expect(await hookOf("antigravity").ended).toEqual([0, expect.stringContaining("{"), ""]);
    expect(lostIn(place.home)).toBe(0);
  });
});

describe("a hook whose home cannot be", () => {
  const told = (env: Readonly<Record<string, string>>, cwd = place.dir) =>
    place.run(["hook", "claude-code"], { stdin: payload("PostToolUse"), env, cwd });

  it.each(["/proc/nope", "/proc/nope/deeper/still", "/proc/self/fd/nope", "/dev/null/x", "/sys/nope"])(
    "%s: it is silent and ends",
    async (home) => {
      const ran = await told({ OLDHAND_HOME: home });
      expect([ran.code, ran.stdout, ran.stderr]).toEqual(silent);
      const status = await place.run(["status"], { env: { OLDHAND_HOME: home } });
      expect([status.code, status.stderr]).toEqual([2, expect.stringContaining("home")]);
    },
  );

  it("relative to a folder that is gone: silent", async () => {
    const gone = join(place.dir, "gone");
    mkdirSync(gone);
    const script = `cd ${gone} && rmdir ${gone} && exec ${process.execPath} ${program} hook claude-code`;
    const child = spawn("/bin/sh", ["-c", script], {
      env: { ...cleanEnv(place.user), OLDHAND_HOME: "mind" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stdin.end(payload("PostToolUse"));
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect([code, said]).toEqual([0, ""]);
  });

  it("settings that are a pipe keep nobody waiting", async () => {
    mkdirSync(place.home);
    execFileSync("mkfifo", [join(place.home, "config.json")]);
    const ran = await told({});
    expect([ran.code, ran.stdout, ran.stderr]).toEqual(silent);
  });
});
