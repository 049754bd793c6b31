import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeTranscript } from "../claude-transcript.ts";
import { filesOfServer, filesWith } from "../raw-bytes.ts";
import { newPlace, payload, type Place } from "../program.ts";
import { stores } from "../stores.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

interface Purged {
  readonly waits: string | null;
  readonly purge: {
    readonly written: boolean;
    readonly sessions: { readonly whole: number };
    readonly counts: Readonly<Record<string, number>>;
    readonly rules: readonly { readonly id: string; readonly only: boolean }[];
  };
}

const SECRET = "quagganose";
const calls = Array.from({ length: 6 }, () => [
  { command: `deploy ${SECRET}`, error: `Exit code 1\nerror: cannot reach ${SECRET}` },
  { command: "ls src" },
]).flat();

/** Two sessions to purge, and one that stays. */
function transcripts(): { readonly folder: string; readonly files: readonly string[] } {
  const folder = join(place.user, ".claude", "projects", "-home-ada-shop");
  mkdirSync(folder, { recursive: true });
  const payloads = [
    { session: "5e1f0001-aaaa", at: Date.UTC(2026, 0, 1), calls },
    { session: "5e1f0002-bbbb", at: Date.UTC(2026, 0, 2), calls },
    { session: "5e1f0003-cccc", at: Date.UTC(2026, 0, 3), calls: [{ command: "npm test" }] },
  ];
  const files = payloads.map((one) => {
    const file = join(folder, `${one.session}.jsonl`);
    writeFileSync(file, claudeTranscript({ version: "2.1.0", ...one }));
    return file;
  });
  return { folder, files };
}

describe.each(stores)("forget --session and --before, on $name", (kind) => {
  it("leave no byte of what was observed; it does not come back by import or hook, unless it is asked for", async () => {
    const fresh = await kind.fresh();
    const env = { OLDHAND_DATABASE: fresh.database };
    const json = <T>(words: readonly string[], code = 0) => place.json<T>(words, { env, code });
    const events = async () => (await json<{ counts: { events: number } }>(["status"])).counts.events;
    const where = async () =>
      filesWith(kind.name === "sqlite" ? join(fresh.database, "..") : await filesOfServer(fresh.database), [SECRET]);
    try {
      const { files } = transcripts();
      await json(["import"]);
      await json(["distil", "--write"]);
      const all = await events();
      expect(await where()).not.toEqual([]);

      const preview = await json<Purged>(["forget", "--session", "5e1f0001"], 1);
      expect(preview.purge).toMatchObject({ written: false, sessions: { whole: 1 }, counts: { events: 12 } });
      expect(await events()).toBe(all);
      const first = await json<Purged>(["forget", "--session", "5e1f0001", "--write"]);
      expect(first).toMatchObject({ waits: null, purge: { written: true, counts: preview.purge.counts } });
      const second = await json<Purged>(["forget", "--before", "2026-01-03T00:00:00Z", "--write"]);
      expect(second.purge.rules).toMatchObject([{ only: true }]);
      // The rule's text is for its owner to forget.
      for (const { id } of second.purge.rules) await json(["forget", id]);
      expect(await where()).toEqual([]);
      expect(filesWith(place.home, [SECRET])).toEqual([]);
      expect(await events()).toBe(1);

      expect(await json(["import"])).toMatchObject({ events: 0 });
      expect(await json(["import", files[0]!])).toMatchObject({
        events: 0,
        leftOut: [{ what: "forgotten events", count: 12 }],
      });
      for (const hook_event_name of ["SessionStart", "Stop"])
        await place.run(["hook", "claude-code"], {
          stdin: payload("PostToolUse", { hook_event_name, session_id: "5e1f0003-cccc", transcript_path: files[0] }),
          env,
        });
      expect(await where()).toEqual([]);
      expect((await place.run(["doctor"], { env })).stdout).toContain("journal and mind agree");

      expect(await json(["import", files[0]!, "--again"])).toMatchObject({ events: 12 });
      expect(await where()).not.toEqual([]);
    } finally {
      await fresh.remove();
    }
  });
});

describe("forget", () => {
  it("takes an id, or what to forget all of, and neither both nor nothing", async () => {
    for (const words of [["forget"], ["forget", "x", "--session", "y"]])
      expect((await place.run(words)).stderr).toContain("--session");
    expect((await place.run(["forget", "--session", "nobody"])).stderr).toContain("no session nobody");
    expect((await place.run(["forget", "--workspace", place.dir])).stdout).toContain("Nothing stored matches.");
  });
});
