import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openHookListener } from "../../src/entrypoints/hook/listen.ts";
import { openMind } from "../../src/index.ts";
import { openContext } from "../../src/mind.ts";
import type { Embedder } from "../../src/models/embed/embedder.ts";
import { embedPending } from "../../src/search/embed-pending.ts";
import { fakeEmbedder } from "../../src/testing/fake-embedder.ts";
import { newPlace, type Place, root } from "../program.ts";
import { stores } from "../stores.ts";

const places: Place[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});
const aPlace = (): Place => {
  places.push(newPlace());
  return places.at(-1) as Place;
};

const VPN = "Deployments to the staging cluster need the VPN";
const synonyms = { kubernetes: "cluster", test: "staging", reach: "vpn" };

interface Recalled {
  readonly pieces: readonly { readonly text: string; readonly why: string }[];
}

describe.each(stores)("recall by meaning on $name", (kind) => {
  it("finds what was remembered a moment ago, in other words; by words while the embedder is out of order", async () => {
    const server = await fakeEmbedder({ same: synonyms });
    const { database, remove } = await kind.migrated();
    const env = { OLDHAND_EMBEDDER: `${server.url}/v1#small`, OLDHAND_DATABASE: database };
    try {
      const place = aPlace();
      await place.json(["remember", VPN], { env });
      await place.json(["remember", "The office printer is on the second floor"], { env });
      const { pieces } = await place.json<Recalled>(["recall", "cannot reach kubernetes test"], { env });
      expect(pieces[0]?.text).toBe(VPN);
      expect(pieces[0]?.why).toContain("meaning");
      server.respondWith(500);
      await place.json(["remember", "The coffee machine is in the kitchen"], { env });
      const byWords = await place.run(["recall", "printer floor"], { env });
      expect([byWords.code, byWords.stderr]).toEqual([0, ""]);
      expect(byWords.stdout).toContain("second floor");
      expect((await place.run(["recall", "zeppelin"], { env })).code).toBe(1);
      server.respondWith(200);
      const after = await place.json<Recalled>(["recall", "coffee kitchen"], { env });
      expect(after.pieces[0]?.text).toContain("coffee machine");
    } finally {
      await server.close();
      await remove();
    }
  });
});

describe.skipIf(!existsSync(join(root, "dist", "minilm.bin")))(
  "recall by meaning with what is built in (skipped where the build could not fetch the weights)",
  () => {
    it("finds a memory by a question that shares no word with it, and knows nothing of what it does not know", async () => {
      const place = aPlace();
      await place.json(["remember", VPN]);
      await place.json(["remember", "The office printer is on the second floor"]);
      const { pieces } = await place.json<Recalled>(["recall", "cannot reach kubernetes test environment"]);
      expect(pieces.map((piece) => piece.text)).toEqual([VPN]);
      const unknown = await place.run(["recall", "who painted the Mona Lisa"]);
      expect([unknown.code, unknown.stdout]).toEqual([1, "Nothing found.\n"]);
    });

    it("advises a prompt by words and meaning in a process that lives, and starts a session with what fits", async () => {
      const home = mkdtempSync(join(tmpdir(), "oldhand-meaning-"));
      const mind = await openMind({ home, env: {} });
      try {
        await mind.run("remember", { text: "The VPN must be on to reach the staging cluster" });
        const advised = (await mind.run("advice", {
          prompt: "how do I get into staging from home?",
        })) as {
          readonly memories: readonly string[];
        };
        expect(advised.memories).toHaveLength(1);
        const booted = (await mind.run("memories boot", { situation: "kubernetes test environment" })) as {
          readonly memories: readonly object[];
        };
        expect(booted.memories).toHaveLength(1);
        await mind.run("remember", { text: "Commit messages are written in French" });
        const adviceForCommit = (await mind.run("advice", { prompt: "write a commit message" })) as typeof advised;
        expect(adviceForCommit.memories).toHaveLength(1);
        expect(adviceForCommit.memories).not.toEqual(advised.memories);
      } finally {
        await mind.close();
        rmSync(home, { recursive: true, force: true });
      }
    });
  },
);

describe("a hook in a process that lives", () => {
  /** Points east for texts about pets, north for all others. */
  const compass: Embedder = {
    model: "compass",
    related: 0.5,
    embed: async (texts) =>
      texts.map((text) => (/dog|puppy|pet/.test(text) ? Int8Array.of(120, 5) : Int8Array.of(5, 120))),
  };
  const asking = async (prompt: string, embedder: Embedder): Promise<string> => {
    const home = mkdtempSync(join(tmpdir(), "oldhand-meaning-"));
    const mind = await openContext({ home, env: {}, models: { embedder: async () => compass, close: async () => {} } });
    const hooks = openHookListener(home, { embedder: async () => embedder });
    try {
      const { operations } = await import("../../src/operations.ts");
      for (const text of ["The dog is walked at noon", "Taxes are due in May", "The heating is set to 20 degrees"])
        await operations.find((one) => one.name === "remember")?.run(mind, { text });
      await embedPending(mind, { seconds: 60 });
      const payload = { hook_event_name: "UserPromptSubmit", session_id: "s", cwd: home, prompt };
      // The first call loads the code, which on a busy machine takes longer than a host waits.
      await hooks.reply("claude-code", { ...payload, session_id: "before", prompt: "go on", transcript_path: "none" });
      return await hooks.reply("claude-code", { ...payload, transcript_path: "none" });
    } finally {
      await hooks.close();
      await mind.close();
      rmSync(home, { recursive: true, force: true });
    }
  };

  it("advises by meaning", async () => {
    expect(await asking("look after the puppy please", compass)).toContain("The dog is walked at noon");
  });

  it("leaves out what shares a rare word and means something else", async () => {
    const shown = await asking("does the puppy cost taxes?", compass);
    expect(shown).toContain("The dog is walked at noon");
    expect(shown).not.toContain("Taxes are due in May");
  });

  it("goes by words where the embedder takes longer than a host waits, or fails", async () => {
    const endless: Embedder = { ...compass, embed: () => new Promise(() => {}) };
    expect(await asking("what about taxes due in May", endless)).toContain("Taxes are due in May");
    expect(await asking("look after the puppy please", endless)).not.toContain("The dog");
  });
});
