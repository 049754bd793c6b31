import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAnthropic } from "../../src/testing/fake-anthropic.ts";
import type { ScriptedServer } from "../../src/testing/scripted-server.ts";
import { newPlace, type Place } from "../program.ts";
import { raw, type Serving, serveFrom } from "./serving.ts";

let place: Place;
let claude: ScriptedServer;
let serving: Serving;
beforeEach(async () => {
  place = newPlace();
  claude = await fakeAnthropic(() => ({ text: "hello" }), { everyRequest: true });
  serving = await serveFrom(place, { ANTHROPIC_BASE_URL: claude.url, ANTHROPIC_API_KEY: "plain-own-key-4711" });
});
afterEach(async () => {
  await serving.stop();
  await claude.close();
  place.remove();
});

const post = (path: string, headers: Record<string, string>, body: object) =>
  raw(serving.port, path, {
    method: "POST",
    headers: { host: `127.0.0.1:${serving.port}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const call = { model: "claude-sonnet-4-5", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };

describe("the token for clients of models", () => {
  it("opens the model APIs, is readable by its owner only, and is not sent to the provider", async () => {
    const file = join(place.home, "model-token");
    const token = readFileSync(file, "utf8").trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(token).not.toBe(serving.token);
    const withOwn = { "x-oldhand-token": token, "x-api-key": "plain-client-key" };
    expect((await post("/v1/messages", withOwn, call)).status).toBe(200);
    expect((await post("/v1/messages", { "x-api-key": token }, call)).status).toBe(200);
    expect(claude.requests.map(({ headers }) => headers["x-api-key"])).toEqual([
      "plain-client-key",
      "plain-own-key-4711",
    ]);
    expect(JSON.stringify(claude.requests)).not.toContain(token);
    // The owner's token opens them too.
    expect((await post("/v1/messages", { "x-oldhand-token": serving.token }, call)).status).toBe(200);
  });

  it("opens nothing else: no cap is lifted with it, and no agent is called", async () => {
    const token = readFileSync(join(place.home, "model-token"), "utf8").trim();
    const headers = { authorization: `Bearer ${token}`, "x-oldhand-token": token };
    const extend = { kind: "day", amount: "100" };
    expect((await post("/api/models/caps/extend", headers, extend)).status).toBe(401);
    expect((await post("/agents/clerk/complete", headers, { prompt: "hi" })).status).toBe(401);
    expect((await raw(serving.port, "/agents", { headers: { host: "localhost", ...headers } })).status).toBe(401);
    expect(claude.requests).toEqual([]);
  });

  it("is printed by oldhand serve", async () => {
    const started = place.start(["serve", "--port", "0"], {});
    const token = readFileSync(join(place.home, "model-token"), "utf8").trim();
    const [line] = await started.line(/^Models: .*$/m);
    expect(line).toMatch(/^Models: {4}http:\/\/127\.0\.0\.1:\d+ with the header x-oldhand-token: /);
    expect(line).toContain(token);
    started.child.kill("SIGTERM");
    await started.ended;
  });
});
