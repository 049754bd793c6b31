import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults, makeHomeCopier } from "../../bench/faults.ts";
import { newPlace, type Place, describeRun } from "../program.ts";
import { payloadOf, ways, sendEvent, wirePlugin } from "./hook-ways.ts";
import { eventsIn, isSound, lostIn } from "./sound.ts";

let dir: string;
let newHome: (home: string) => void;
let place: Place;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "oldhand-faults-"));
  // Another user must be able to reach a home that it may not write.
  chmodSync(dir, 0o711);
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

let homes = 0;
function home(): string {
  const own = join(dir, `h${homes++}`, "mind");
  newHome(own);
  // A prompt would otherwise get news of other sessions; here only what is stored matters.
  writeFileSync(join(own, "config.json"), '{"recall":{"speakAtPrompt":0}}');
  return own;
}

describe.each(faults)("$name", (fault) => {
  const why = fault.impossible();

  it.skipIf(why !== null)(
    `every host goes on, and each event is ${fault.events === "uncounted" ? "not claimed to be stored" : "there afterwards"}${why === null ? "" : ` (${why})`}`,
    async () => {
      const at = home();
      const broken = await fault.make(at);
      // The plugin is in the home, so it is missing if the home is.
      const working = existsSync(at) ? ways : ways.filter((way) => way.words[0] !== "mcp");
      const longest: [number, string] = [0, ""];
      try {
        for (const way of working) {
          const payload = await payloadOf(way.host, `s-${way.name}`);
          const ran = await sendEvent(way, { home: at, payload, broken });
          expect([ran.code, ran.stderr], way.name).toEqual([0, ""]);
          expect(way.silence(ran.stdout), `${way.name}: ${describeRun(ran)}`).toBe(true);
          if (ran.ms > longest[0]) longest.splice(0, 2, ran.ms, way.name);
        }
      } finally {
        broken.mend();
      }
      process.stdout.write(`  (${fault.name}: ${longest[0]} ms at most, ${longest[1]})\n`);
      const stored = await eventsIn(place, at);
      if (fault.events === "stored") expect([stored, lostIn(at)]).toEqual([working.length, 0]);
      else expect(stored).toBe(0);
      const doctor = await place.run(["doctor", "--home", at]);
      expect(doctor.code, describeRun(doctor)).toBe(0);
      expect(doctor.stdout.includes("could not be stored or spooled and are lost")).toBe(existsSync(join(at, "lost")));
    },
  );
});

describe("a hook that is killed", () => {
  it("at any moment leaves a sound store, and nothing half-written", async () => {
    const at = home();
    let whole = 0;
    for (let n = 0; n < 30; n++) {
      const way = ways[n % ways.length]!;
      const payload = await payloadOf(way.host, `k-${n}`);
      const ran = await sendEvent(way, { home: at, payload, killAfterMs: (n * 37) % 150 });
      expect(ran.stderr, way.name).toBe("");
      if (ran.code === 0) whole++;
    }
    await isSound(place, at, { least: whole, most: 30 });
  });
});

describe("a home that only others may write", () => {
  const isRoot = process.getuid?.() === 0;

  it.skipIf(!isRoot)(
    "is told apart from a program that others cannot run (needs root to be somebody else)",
    async () => {
      const at = home();
      chmodSync(join(at, ".."), 0o755);
      for (const path of [at, join(at, "mind.db")]) chownSync(path, 65_534, 65_534);
      const way = ways[0]!;
      const payload = await payloadOf(way.host, "other");
      const ran = await sendEvent(way, { home: at, payload, broken: { before: [], uid: 65_534 } });
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      expect(await eventsIn(place, at)).toBe(1);
    },
  );
});
