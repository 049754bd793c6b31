import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { connect } from "../../src/store/sqlite/engine.ts";
import { fakeEmbedder } from "../../src/testing/fake-embedder.ts";
import { newPlace, type Place, root } from "../program.ts";
import { stores } from "../stores.ts";

interface Hit {
  readonly session: string;
  readonly seq: number;
  readonly snippet: string;
}

const messages = [
  ["trip", 1, "Ann", "Guess where I went with my dog last weekend"],
  ["trip", 2, "Ben", "No idea, tell me"],
  ["trip", 3, "Ann", "To the lake, and it rained all day"],
  ["work", 1, "Ann", "The deployment failed because getUserName returned null in src/api/users.ts"],
  ["work", 2, "Ben", "Roll it back and open a ticket"],
  ["food", 1, "Ben", "I bought an automobile yesterday"],
  ["food", 2, "Ben", "We had pasta for dinner"],
] as const;

const places: Place[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

async function filled(env: Readonly<Record<string, string>> = {}): Promise<Place> {
  const place = newPlace();
  places.push(place);
  const file = join(place.dir, "messages.jsonl");
  const lines = messages.map(([session, seq, speaker, text]) =>
    JSON.stringify({ session, seq, speaker, text, role: "user", ts: "2026-01-01T00:00:00Z" }),
  );
  writeFileSync(file, lines.join("\n"));
  await place.json(["import", file, "--from", "messages"], { env });
  return place;
}

const found = async (place: Place, query: string, env: Readonly<Record<string, string>>, ...more: string[]) =>
  (await place.json<Hit[]>(["sessions", "search", query, ...more], { env })).map((hit) => `${hit.session}#${hit.seq}`);

const wordsOnly = { OLDHAND_EMBEDDER: "none" };

describe.each(stores)("searching sessions on $name, with no embedder", (kind) => {
  it("finds words in any form, parts of identifiers, paths and speakers, with session and snippet", async () => {
    const { database, remove } = await kind.migrated();
    const env = { ...wordsOnly, OLDHAND_DATABASE: database };
    try {
      const place = await filled(env);
      expect((await found(place, "deploying", env))[0]).toBe("work#1");
      expect((await found(place, "user name", env))[0]).toBe("work#1");
      expect((await found(place, "getUserName", env))[0]).toBe("work#1");
      expect((await found(place, "what did Ben buy or bought?", env))[0]).toBe("food#1");
      const [hit] = await place.json<Hit[]>(["sessions", "search", "rained"], { env });
      expect(hit).toMatchObject({
        session: "trip",
        seq: 3,
        snippet: expect.stringContaining("rained all day") as string,
      });
      // The dog was named two messages before the lake.
      expect(await found(place, "dog lake", env, "--limit", "3")).toContain("trip#2");
      expect(await found(place, "dog lake", env, "--by", "words")).not.toContain("trip#2");
      expect((await place.run(["sessions", "search", "zeppelin"], { env })).code).toBe(1);
    } finally {
      await remove();
    }
  });
});

describe("searching sessions", () => {
  it("works after the index was dropped, also the table itself", async () => {
    const place = await filled(wordsOnly);
    expect(await found(place, "pasta", wordsOnly)).toContain("food#2");
    const db = connect(join(place.home, "mind.db"));
    db.exec("drop table words_counts");
    db.exec("drop table words");
    db.close();
    expect(await found(place, "pasta", wordsOnly)).toContain("food#2");
  });

  it("answers a batch with one line for each question, in their order", async () => {
    const place = await filled(wordsOnly);
    const file = join(place.dir, "questions.jsonl");
    writeFileSync(file, '{"id":"a","query":"pasta"}\n{"id":2,"query":"zeppelin"}\n');
    const ran = await place.run(["sessions", "search", "--batch", file, "--limit", "2", "--json"], { env: wordsOnly });
    expect(ran.code).toBe(0);
    const lines = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: unknown; hits: Hit[] });
    expect(lines.map((line) => line.id)).toEqual(["a", 2]);
    expect(lines[0]?.hits[0]).toMatchObject({ session: "food", seq: 2 });
    expect(lines[1]?.hits).toEqual([]);
    writeFileSync(file, "nonsense\n");
    expect((await place.run(["sessions", "search", "--batch", file], { env: wordsOnly })).code).toBe(2);
  });

  it.each(["/v1", "/api"])(
    "finds by meaning through a server at %s, and embeds each text once for each model",
    async (path) => {
      const server = await fakeEmbedder({ same: { car: "automobile" } });
      try {
        const env = { OLDHAND_EMBEDDER: `${server.url}${path}#small`, OLDHAND_EMBEDDER_KEY: "secret" };
        const place = await filled(env);
        expect((await found(place, "car", env))[0]).toBe("food#1");
        expect(server.requests[0]?.key).toBe("Bearer secret");
        const texts = () => server.requests.flatMap((request) => request.texts);
        expect(texts()).toHaveLength(messages.length + 1);
        await found(place, "car", env);
        expect(texts()).toHaveLength(messages.length + 2);
        // Vectors of different models are never compared: everything is embedded again.
        await found(place, "car", { ...env, OLDHAND_EMBEDDER: `${server.url}${path}#large` });
        expect(texts()).toHaveLength(2 * messages.length + 3);
      } finally {
        await server.close();
      }
    },
  );

  it("goes on by words while the embedder is out of order, and catches up afterwards", async () => {
    const server = await fakeEmbedder({ same: { car: "automobile" } });
    try {
      const env = { OLDHAND_EMBEDDER: `${server.url}/v1#small` };
      server.respondWith(500);
      const place = await filled(env);
      expect((await found(place, "pasta", env))[0]).toBe("food#2");
      expect((await place.run(["embed"], { env })).code).toBe(2);
      server.respondWith(200);
      expect(await place.json(["embed"], { env })).toMatchObject({ embedded: messages.length, complete: true });
      expect((await found(place, "car", env))[0]).toBe("food#1");
    } finally {
      await server.close();
    }
  });

  it("gives vectors in the background of a server that lives", async () => {
    const server = await fakeEmbedder();
    try {
      const env = { OLDHAND_EMBEDDER: `${server.url}/v1#small` };
      const place = await filled(env);
      const serving = place.start(["serve", "--port", "0"], { env });
      await serving.line(/http:/);
      await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBeGreaterThan(0);
      serving.child.kill("SIGTERM");
      await serving.ended;
      expect(server.requests.flatMap((request) => request.texts)).toHaveLength(messages.length);
    } finally {
      await server.close();
    }
  });

  it.skipIf(!existsSync(join(root, "dist", "minilm.bin")))(
    "finds by meaning offline, with what is built in (skipped where the build could not fetch the weights)",
    async () => {
      const place = await filled();
      expect((await found(place, "vehicle purchase", {}))[0]).toBe("food#1");
    },
  );

  it("says that there is no embedder, and why", async () => {
    const place = await filled(wordsOnly);
    const ran = await place.run(["embed"], { env: wordsOnly });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("No embedder: the setting `embedder` is none");
    rmSync(place.home, { recursive: true, force: true });
  });
});
