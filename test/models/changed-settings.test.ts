import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settingsFilePath, writeSettings } from "../../src/config.ts";
import { openChatSession } from "../../src/converse/session/open-chat-session.ts";
import { type RunningServer, startServer } from "../../src/entrypoints/http/server.ts";
import { fixedClock } from "../../src/lib/clock.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { fakeOpenAi } from "../../src/testing/fake-openai.ts";
import type { ScriptedServer } from "../../src/testing/scripted-server.ts";
import { stores, type TestStore } from "../stores.ts";

const TOKEN = "ghp_Zx81mQpL0aTfR5uVnC2sYdKe7WbHjG3iOlXq";
const START = Date.parse("2026-11-17T12:00:00Z");

interface Serving {
  readonly mind: OpenMind;
  readonly home: string;
  readonly workshop: ScriptedServer;
  readonly other: ScriptedServer;
  set(...changes: readonly (readonly [path: string, value: unknown])[]): void;
  /** A client that calls a model through the server. */
  pass(text: string, model?: string): Promise<Answered>;
  /** A task of a named agent. */
  complete(prompt: string, more?: object): Promise<Answered>;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A running server with two model servers on this machine: `workshop` is an endpoint, `other` is not yet. */
async function withServer(kind: TestStore, act: (of: Serving) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-changed-"));
  const place = await kind.migrated();
  const answer = () => ({ text: "ok" });
  const [workshop, other] = [
    await fakeOpenAi(answer, { everyRequest: true }),
    await fakeOpenAi(answer, { everyRequest: true }),
  ];
  const models = {
    use: ["workshop/m1"],
    exploreShare: 0,
    retryMs: 1,
    endpoints: { workshop: { url: `${workshop.url}/v1`, kind: "openai-compatible", keyEnv: "" } },
  };
  writeFileSync(settingsFilePath(home), JSON.stringify({ embedder: "none", models }));
  const mind = await openContext({
    home,
    database: place.database,
    clock: fixedClock(START),
    env: { OPENAI_BASE_URL: `${other.url}/v1`, OPENAI_API_KEY: "plain-key-4712" },
  });
  let server: RunningServer | null = null;
  try {
    server = await startServer(mind, { port: 0 });
    const { port, token, modelToken } = server;
    const post = async (path: string, headers: Readonly<Record<string, string>>, body: object): Promise<Answered> => {
      const answered = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { status: answered.status, text: await answered.text() };
    };
    await act({
      ...{ mind, home, workshop, other },
      set: (...changes) => writeSettings(home, changes),
      pass: (text, model = "workshop/m1") =>
        post(
          "/v1/chat/completions",
          { "x-oldhand-token": modelToken, "x-oldhand-provider": model.split("/")[0] ?? "" },
          { model: model.split("/")[1], messages: [{ role: "user", content: text }], max_tokens: 50 },
        ),
      complete: (prompt, more = {}) =>
        post("/agents/bot/complete", { authorization: `Bearer ${token}` }, { prompt, ...more }),
    });
  } finally {
    await server?.close();
    await mind.close();
    await Promise.all([workshop.close(), other.close()]);
    await place.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

function sentTo({ requests }: ScriptedServer): string {
  return JSON.stringify(requests.map(({ body }) => body));
}

describe.each(stores)("settings that are changed while oldhand serve runs, over $name", (kind) => {
  test("secrets stay here as soon as models.secretsTo says so, for clients and for named agents", () =>
    withServer(kind, async ({ set, pass, complete, workshop }) => {
      await pass(`use ${TOKEN}`);
      expect(sentTo(workshop)).toContain(TOKEN);
      const before = workshop.requests.length;
      set(["models.secretsTo", "none"]);
      expect(await pass(`use ${TOKEN}`)).toMatchObject({ status: 200 });
      expect(await complete(`use ${TOKEN}`)).toMatchObject({ status: 200 });
      const sent = JSON.stringify(workshop.requests.slice(before).map(({ body }) => body));
      expect(sent).not.toContain(TOKEN);
      expect(sent).toContain("oldhand-secret-");
    }));

  test("a secret that an earlier call revealed stays known after a setting changed", () =>
    withServer(kind, async ({ set, complete, workshop }) => {
      set(["models.secretsTo", "none"]);
      const session = "s1";
      expect(await complete("log in with password=Kranich-47-Huette", { session })).toMatchObject({ status: 200 });
      set(["models.retries", 1]);
      expect(await complete("is Kranich-47-Huette long enough?", { session })).toMatchObject({ status: 200 });
      expect(sentTo(workshop)).not.toContain("Kranich-47-Huette");
    }));

  test("a model without a price is refused as soon as models.unknownPrice says so", () =>
    withServer(kind, async ({ set, pass, complete, other }) => {
      expect(await pass("hello", "openai/nobody-knows")).toMatchObject({ status: 200 });
      const sent = other.requests.length;
      set(["models.unknownPrice", "refuse"]);
      expect((await pass("hello", "openai/nobody-knows")).text).toContain("models.unknownPrice is refuse");
      expect((await complete("hello", { model: "openai/nobody-knows" })).text).toContain(
        "models.unknownPrice is refuse",
      );
      expect(other.requests).toHaveLength(sent);
    }));

  test("a price file counts for the next call, also when only its content changed; one with a mistake is refused", () =>
    withServer(kind, async ({ set, complete, pass, home }) => {
      const file = join(home, "prices.json");
      const cost = async (prompt: string) => (JSON.parse((await complete(prompt)).text) as { cost: number }).cost;
      expect(await cost("how long is this, zero")).toBe(0);
      writeFileSync(file, JSON.stringify({ "workshop/m1": { in: 1, out: 2 } }));
      set(["models.prices", "prices.json"]);
      const cheap = await cost("how long is this, one");
      expect(cheap).toBeGreaterThan(0);
      writeFileSync(file, JSON.stringify({ "workshop/m1": { in: 100, out: 200 } }));
      expect(await cost("how long is this, two")).toBeGreaterThan(50 * cheap);
      writeFileSync(file, "{");
      expect((await complete("how long is this, three")).text).toContain("prices.json cannot be used: it is not JSON");
      expect((await pass("hello")).text).toContain("prices.json cannot be used: it is not JSON");
    }));

  test("a default, a model and an endpoint that were added, and those that were removed, count for the next call", () =>
    withServer(kind, async ({ set, complete, other, pass }) => {
      set(
        ["models.endpoints.other.url", `${other.url}/v1`],
        ["models.use", ["workshop/m1", "other/m2"]],
        ["models.default", "other/m2"],
      );
      expect(JSON.parse((await complete("one")).text)).toMatchObject({ model: "m2", provider: "other" });
      expect(await pass("two", "other/m2")).toMatchObject({ status: 200 });
      set(["models.endpoints.other.url", undefined], ["models.use", ["workshop/m1"]], ["models.default", undefined]);
      expect(JSON.parse((await complete("three")).text)).toMatchObject({ model: "m1", provider: "workshop" });
      expect((await pass("four", "other/m2")).text).toContain('there is no provider \\"other\\"');
    }));

  test("a chat that is open takes them with its next message", () =>
    withServer(kind, async ({ mind, home, set, workshop }) => {
      const session = await openChatSession(mind, { cwd: home, hasPerson: false });
      const say = async (text: string) => {
        for await (const event of session.send(text)) if (event.kind === "turn-end") expect(event.reason).toBe("done");
      };
      await say("hello");
      set(["models.secretsTo", "none"]);
      await say(`use ${TOKEN}`);
      expect(sentTo(workshop)).toContain("oldhand-secret-");
      expect(sentTo(workshop)).not.toContain(TOKEN);
      await session.close();
    }));

  test("a file that cannot be read, such as one half written, changes nothing until it is whole", () =>
    withServer(kind, async ({ set, pass, home, workshop }) => {
      set(["models.secretsTo", "none"]);
      await pass("hello");
      writeFileSync(settingsFilePath(home), "{");
      expect(await pass(`use ${TOKEN}`)).toMatchObject({ status: 200 });
      expect(sentTo(workshop)).not.toContain(TOKEN);
    }));
});
