import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeTranscript } from "../claude-transcript.ts";
import { newPlace, type Place, sample, describeRun } from "../program.ts";
import { stores } from "../stores.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** Three sessions with the same mistake, in a project that is not in the sample. */
function leaveTranscripts(): void {
  const folder = join(place.user, ".claude", "projects", "-home-mia-mill");
  mkdirSync(folder, { recursive: true });
  for (const day of [1, 2, 3])
    writeFileSync(
      join(folder, `real-${day}.jsonl`),
      claudeTranscript({
        session: `real-${day}`,
        version: "2.1.325",
        at: Date.parse(`2026-03-0${day}T09:00:00Z`),
        cwd: "/home/mia/mill",
        calls: [
          { command: "npm run tests", error: 'Exit code 1\nnpm error Missing script: "tests"' },
          { command: "npm run test:unit", out: "ok" },
        ],
      }),
    );
}

interface Counted {
  readonly sample: boolean;
  readonly counts: { readonly events: number; readonly rules: number };
}

describe.each(stores)("start, with the mind on $name", (kind) => {
  let database: string;
  let env: Record<string, string>;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ database, remove } = await kind.fresh());
    env = { OLDHAND_DATABASE: database };
  });
  afterEach(() => remove());

  const own = () => place.json<Counted>(["status"], { env });

  it("shows the sample from a separate mind where nothing was recorded, and says that it is made up", async () => {
    const ran = await place.run(["start", "--no-serve"], { env });
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).toMatch(/^SAMPLE: no agent transcripts were found on this machine, so this data is made up\./);
    expect(ran.stdout).toContain("6 sessions, 71 events");
    expect(await own()).toMatchObject({ sample: false, counts: { events: 0, rules: 0 } });
    const itsOwn = ["--home", join(place.home, "sample")];
    expect(await place.json(["status", ...itsOwn])).toMatchObject({ sample: true, counts: { events: 71 } });
    expect((await place.run(["status", ...itsOwn])).stdout).toContain("SAMPLE: everything in this mind is made up");
  });

  it("never shows the sample once something real is there, found or brought in before", async () => {
    leaveTranscripts();
    const ran = await place.run(["start", "--no-serve"], { env });
    expect(ran.stdout).toMatch(/^Imported 6 new events from 3 files\./);
    expect(ran.stdout).not.toMatch(/sample|ada/i);
    expect(existsSync(join(place.home, "sample"))).toBe(false);
  });

  it("opens the sample when it is asked for, and leaves the real mind alone", async () => {
    leaveTranscripts();
    const ran = await place.run(["start", "--sample", "--no-serve"], { env });
    expect(ran.stdout).toMatch(/^SAMPLE: this data is made up\./);
    expect(ran.stdout).not.toContain("mill");
    expect(await own()).toMatchObject({ counts: { events: 0 } });
  });

  it.each([["start", "--no-serve"], ["import"]])(
    "takes out, with %s, the sample that an earlier version had put into the real mind",
    async (...words) => {
      await place.json(["import", sample], { env });
      await place.json(["remember", "the mill stands still on Sundays"], { env });
      expect(await own()).toMatchObject({ counts: { events: 71, rules: 4 } });
      leaveTranscripts();
      const ran = await place.run(words, { env });
      expect(ran.stdout).toMatch(/removed the made-up sample.*6 sessions/i);
      expect(await own()).toMatchObject({ counts: { events: 6 } });
      const rules = await place.json<{ text: string; scope: unknown }[]>(["rules"], { env });
      expect(JSON.stringify(rules)).not.toContain("/home/ada");
      const history = (await place.run(["history"], { env })).stdout;
      expect(history.match(/rule r_\w+: removed .*the made-up sample moved to a separate mind/g)).toHaveLength(4);
      expect((await place.run(["memories"], { env })).stdout).toContain("the mill stands still on Sundays");
      expect((await place.run(["doctor"], { env })).stdout).toContain("No problems found.");
    },
  );
});

describe("start", () => {
  it("ends with the next step: review, then install, by the names of the agents that are here", async () => {
    leaveTranscripts();
    const { stdout } = await place.run(["start", "--no-serve"]);
    expect(stdout.trimEnd().split("\n").slice(-2)).toEqual([
      "Next: `oldhand review` shows 1 new rule; you decide each with one key.",
      "Then: `oldhand install` shows Claude Code the rules and keeps learning; `oldhand uninstall` undoes that.",
    ]);
    await place.json(["install", "claude-code"]);
    expect((await place.run(["start", "--no-serve"])).stdout).not.toContain("oldhand install");
  });

  it("names the command that works in a checkout, where npm starts it", async () => {
    const { stdout } = await place.run(["start", "--no-serve"], { env: { npm_lifecycle_event: "start" } });
    expect(stdout).toContain("run `npx oldhand start` again");
    expect(stdout).toContain(`npx oldhand review --home ${join(place.home, "sample")}`);
  });

  it("explains a level's name where it uses one", async () => {
    const { stdout } = await place.run(["start", "--sample", "--no-serve"]);
    expect(stdout.match(/nudge(?!: agents see it at the call)/g)).toBeNull();
    expect(stdout).toContain("nudge: agents see it at the call");
  });

  it("keeps real events out of the sample's mind", async () => {
    await place.run(["start", "--no-serve"]);
    const home = join(place.home, "sample");
    for (const words of [["install", "claude-code"], ["import"], ["import", sample]]) {
      const ran = await place.run([...words, "--home", home]);
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("holds the made-up sample")]);
    }
  });
});
