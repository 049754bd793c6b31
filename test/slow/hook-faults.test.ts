import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults, makeHomeCopier } from "../../bench/faults.ts";
import { payloadOf, ways, sendEvent, wirePlugin } from "../faults/hook-ways.ts";
import { eventsIn, isSound } from "../faults/sound.ts";
import { exec, cleanEnv, newPlace, type Place, program, describeRun } from "../program.ts";

let dir: string;
let newHome: (home: string) => void;
let place: Place;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "oldhand-faults-"));
  const copied = await makeHomeCopier(join(dir, "template"));
  newHome = (home) => {
    copied(home);
    wirePlugin(home);
  };
  place = newPlace();
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
  place.remove();
});

describe("hooks that are killed at random", () => {
  it.each(ways)("$name: sixty times, beside others that are not", async (way) => {
    const home = join(dir, `kill-${way.name.replaceAll(/\W+/g, "-")}`);
    newHome(home);
    let whole = 0;
    for (let n = 0; n < 60; n++) {
      const payload = await payloadOf(way.host, `k-${n}`);
      const other = ways[n % ways.length]!;
      const beside = { home, payload: await payloadOf(other.host, `b-${n}`) };
      const [killed, lived] = await Promise.all([
        sendEvent(way, { home, payload, killAfterMs: Math.random() * 250 }),
        sendEvent(other, beside),
      ]);
      expect([killed.stderr, lived.code, lived.stderr]).toEqual(["", 0, ""]);
      whole += 1 + (killed.code === 0 ? 1 : 0);
    }
    await isSound(place, home, { least: whole, most: 120 });
  });
});

describe("a store that is locked for a minute", () => {
  it("every event of every host is there when it is free again", async () => {
    const home = join(dir, "minute");
    newHome(home);
    const broken = await faults.find((fault) => fault.name === "locked by a writer")!.make(home);
    const until = performance.now() + 60_000;
    let count = 0;
    for (; performance.now() < until; count++) {
      const way = ways[count % ways.length]!;
      const ran = await sendEvent(way, { home, payload: await payloadOf(way.host, `m-${count}`) });
      expect([ran.code, ran.stderr], way.name).toEqual([0, ""]);
    }
    broken.mend();
    expect(await eventsIn(place, home)).toBe(count);
    await isSound(place, home, { least: count, most: count });
  });
});

const mayMount = (() => {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!mayMount)("a disk without room (skipped where mounting is not allowed)", () => {
  it("every host goes on; what was told is stored once there is room, or told as lost", async () => {
    const folder = join(dir, "full");
    mkdirSync(folder);
    const single = ways.filter((way) => way.words[0] === "hook");
    for (const [n, way] of single.entries())
      writeFileSync(join(folder, `${n}.json`), way.stdin(await payloadOf(way.host, `f-${n}`)));
    const hooks = single
      .map(
        (way, n) =>
          `"$NODE" "$OLDHAND" ${way.words.join(" ")} <"$DIR/${n}.json" >>"$DIR/out" 2>>"$DIR/err" || echo ${way.host} >>"$DIR/failed"`,
      )
      .join("\n");
    const ran = await exec(
      "unshare",
      [
        "-m",
        "sh",
        "-eu",
        "-c",
        `mkdir "$DIR/disk"; mount -t tmpfs -o size=900k none "$DIR/disk"; export OLDHAND_HOME="$DIR/disk/mind"
         "$NODE" "$OLDHAND" status >/dev/null; dd if=/dev/zero of="$DIR/disk/ballast" bs=1k count=1000 2>/dev/null || true
         : >"$DIR/failed"; : >"$DIR/err"
         ${hooks}
         rm "$DIR/disk/ballast"; mount -o remount,size=20m "$DIR/disk"
         "$NODE" "$OLDHAND" status --json; "$NODE" "$OLDHAND" doctor >"$DIR/doctor"; cat "$DIR/failed" "$DIR/err" >&2; cat "$DIR/doctor"`,
      ],
      { env: { ...cleanEnv(place.user), NODE: process.execPath, OLDHAND: program, DIR: folder } },
    );
    expect([ran.code, ran.stderr], describeRun(ran)).toEqual([0, ""]);
    const [status = ""] = ran.stdout.split("\n");
    const { counts } = JSON.parse(status) as { counts: { events: number } };
    const isReported = ran.stdout.includes("could not be stored or spooled and are lost");
    expect(counts.events === single.length || isReported, ran.stdout).toBe(true);
  });
});
