import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fakeAnthropic } from "../../src/testing/fake-anthropic.ts";
import { fakeOllama } from "../../src/testing/fake-ollama.ts";
import type { Script, ScriptedServer } from "../../src/testing/scripted-server.ts";
import { describeRun, newPlace, type Place } from "../program.ts";

const open: { place: Place; servers: readonly ScriptedServer[] }[] = [];
afterEach(async () => {
  for (const { place, servers } of open.splice(0)) {
    place.remove();
    await Promise.all(servers.map((one) => one.close()));
  }
});

const MODELS = ["ollama/big", "ollama/small", "anthropic/claude-sonnet-4-5"];

/** The built program with a server on this machine that has two models, and a paid provider. */
async function newUser({ llama, claude, use = MODELS, models = {} }: UserOptions = {}) {
  const local = await fakeOllama(llama ?? (() => ({ text: "local" })), {
    everyRequest: true,
    models: ["big", "small"],
  });
  const paid = await fakeAnthropic(claude ?? (() => ({ text: "paid" })), { everyRequest: true });
  const place = newPlace({
    OLLAMA_HOST: local.url,
    VLLM_BASE_URL: "http://127.0.0.1:9/v1",
    LMSTUDIO_BASE_URL: "http://127.0.0.1:9/v1",
    ANTHROPIC_BASE_URL: paid.url,
    ANTHROPIC_API_KEY: "plain-first-key-4711",
  });
  open.push({ place, servers: [local, paid] });
  mkdirSync(place.home, { recursive: true });
  const settings = { use, exploreShare: 0, retryMs: 1, retries: 1, ...models };
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ embedder: "none", models: settings }));
  const chats = (server: ScriptedServer) => server.requests.filter(({ path }) => /chat|messages/.test(path));
  return { place, local, paid, chats };
}

/** The first failure opens the breaker. */
const once = { models: { breakerFailures: 1, breakerSeconds: 600 } };

interface UserOptions {
  readonly llama?: Script;
  readonly claude?: Script;
  readonly use?: readonly string[];
  readonly models?: object;
}

describe("a model that the user names", () => {
  it("answers ask, or nobody does: the error says what the server has", async () => {
    const { place, local, paid, chats } = await newUser();
    const right = await place.run(["ask", "--model", "ollama/small", "hello"]);
    expect([right.code, right.stdout], describeRun(right)).toEqual([0, "local\n"]);
    for (const words of [
      ["ask", "--model", "ollama/smal", "hello"],
      ["agents", "complete", "clerk", "--model", "ollama/smal", "hello"],
      ["chat", "--plain", "--model", "ollama/smal"],
      ["models", "default", "ollama/smal"],
    ]) {
      const wrong = await place.run(words, { stdin: "hello\n" });
      expect([wrong.code, wrong.stdout], describeRun(wrong)).toEqual([2, ""]);
      expect(wrong.stderr).toContain("ollama does not have the model smal: it has big, small");
      expect(wrong.stderr).toContain("did you mean ollama/small?");
    }
    expect([chats(local), chats(paid)].map(({ length }) => length)).toEqual([1, 0]);
  });

  it("of a provider that cannot list its models fails with the provider's words, and no other model answers", async () => {
    const unknown = { error: { status: 404, type: "not_found_error", message: "model: claude-nope" } };
    const { place, local, chats } = await newUser({ claude: () => unknown });
    const wrong = await place.run(["ask", "--model", "anthropic/claude-nope", "hello"]);
    expect([wrong.code, wrong.stdout], describeRun(wrong)).toEqual([2, ""]);
    expect(wrong.stderr).toContain("anthropic/claude-nope: answers 404: model: claude-nope");
    expect(wrong.stderr).toContain("or let another model answer: --fallback");
    expect(chats(local)).toHaveLength(0);
  });

  it("is followed by others only with --fallback, and the answer names the one that gave it", async () => {
    const unknown = { error: { status: 404, type: "not_found_error", message: "model: claude-nope" } };
    const { place } = await newUser({ claude: () => unknown });
    const words = ["ask", "--model", "anthropic/claude-nope", "--fallback", "hello"];
    const ran = await place.run(words);
    expect([ran.code, ran.stdout], describeRun(ran)).toEqual([0, "local\n"]);
    expect(ran.stderr).toContain("anthropic/claude-nope failed (no-such-model)");
    expect(ran.stderr).toContain("ollama/big answers instead");
    expect((await place.run(["ask", "--fallback", "hello"])).code).toBe(2);
  });

  it("is replaced audibly if the breaker holds it back, or a cap does, and the default model too", async () => {
    const down = { error: { status: 503, type: "overloaded_error", message: "full" } };
    const claude = "anthropic/claude-sonnet-4-5";
    const use = [claude, "ollama/big"];
    const held = await newUser({ ...once, use, claude: () => down });
    await held.place.run(["ask", "--model", claude, "hello"]);
    for (const words of [["--model", claude, "--fallback"], []]) {
      const ran = await held.place.run(["ask", ...words, "hello"]);
      expect([ran.code, ran.stdout], describeRun(ran)).toEqual([0, "local\n"]);
      expect(ran.stderr).toMatch(/anthropic failed the last time.*is not called until.*ollama\/big answers instead/s);
    }
    const capped = await newUser({ use });
    await capped.place.run(["models", "caps", "set", "day", "0.000001"]);
    for (const words of [["--model", claude, "--fallback"], []]) {
      const ran = await capped.place.run(["ask", ...words, "hello"]);
      expect([ran.code, ran.stdout], describeRun(ran)).toEqual([0, "local\n"]);
      expect(ran.stderr).toMatch(/the cap day is.*ollama\/big answers instead/s);
    }
  });

  it("that is free is followed by one that costs money only with a word about it, before the answer", async () => {
    const claude = "anthropic/claude-sonnet-4-5";
    const { place, local } = await newUser({ use: ["ollama/big", claude] });
    await local.close();
    const ran = await place.run(["chat", "--plain"], { stdin: "hello\n" });
    const shown = ran.stdout + ran.stderr;
    expect(shown, describeRun(ran)).toContain(`${claude} answers instead, and costs money`);
    expect(ran.stdout.indexOf("costs money"), describeRun(ran)).toBeLessThan(ran.stdout.lastIndexOf("paid"));
    const asked = await place.run(["ask", "hello"]);
    expect(asked.stderr, describeRun(asked)).toContain("answers instead, and costs money");
  });

  it("in a chat is used or refused with /model", async () => {
    const { place, local, chats } = await newUser();
    const ran = await place.run(["chat", "--plain"], {
      stdin: "/model ollama/smal\n/model olama/big\n/model ollama/small\nhello\n",
    });
    expect(ran.stdout + ran.stderr, describeRun(ran)).toContain("did you mean ollama/small?");
    expect(ran.stdout + ran.stderr).toContain("did you mean ollama?");
    expect(chats(local).map(({ body }) => (body as { model: string }).model)).toEqual(["small"]);
  });

  it("stays with its session until --model auto", async () => {
    const { place, local, chats } = await newUser();
    await place.run(["ask", "--model", "ollama/small", "hello"]);
    await place.run(["ask", "--continue", "hello"]);
    await place.run(["ask", "--continue", "--model", "auto", "hello"]);
    const shown = await place.run(["chat", "--continue", "--plain"], { stdin: "/model\n" });
    expect(chats(local).slice(0, 2)).toHaveLength(2);
    expect(shown.stdout, describeRun(shown)).toContain("the router chooses");
  });

  it("of an unknown provider gets the names of the known ones, and no advice to add what is there", async () => {
    const { place } = await newUser();
    const ran = await place.run(["ask", "--model", "olama/big", "hello"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain('there is no provider "olama"');
    expect(ran.stderr).toContain("did you mean ollama?");
    expect(ran.stderr).not.toContain("models add ollama/big");
  });
});

describe("a provider that is down", () => {
  it("is named with every model's failure and what to do; ask and agents complete exit with 2", async () => {
    const { place, local } = await newUser({ use: ["ollama/big"] });
    await local.close();
    for (const words of [
      ["ask", "hello"],
      ["agents", "complete", "clerk", "hello"],
    ]) {
      const ran = await place.run(words);
      expect([ran.code, ran.stdout], describeRun(ran)).toEqual([2, ""]);
      expect(ran.stderr).toContain("ollama/big: cannot be reached (ECONNREFUSED)");
      expect(ran.stderr).toContain(`start the server at ${local.url}`);
      expect(ran.stderr).toContain("oldhand models test ollama/big");
    }
  });

  it("says until when it is not called, why, and the command that tries now", async () => {
    const down = { error: { status: 503, type: "overloaded_error", message: "full" } };
    const { place } = await newUser({ ...once, claude: () => down, use: ["anthropic/claude-sonnet-4-5"] });
    await place.run(["ask", "hello"]);
    const ran = await place.run(["ask", "hello"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toMatch(
      /anthropic failed the last time \(overloaded\), so it is not called until \d\d:\d\d:\d\d UTC \(\d+ s from now\)/,
    );
    expect(ran.stderr).toContain("to try it now: oldhand models test anthropic/claude-sonnet-4-5");
    const listed = await place.run(["models"]);
    expect(listed.stdout).toContain("to try it now: oldhand models test anthropic/claude-sonnet-4-5");
  });

  it("gets something to do in the error, whatever failed", async () => {
    const model = "anthropic/claude-sonnet-4-5";
    const wait = (error: object) => [{ error }, { error }];
    const cases = [
      [wait({ status: 429, type: "rate_limit_error", message: "slow", retryAfter: 200 }), `wait 200 s, then try: `],
      [wait({ status: 500, type: "api_error", message: "broken" }), "wait a minute, then try: "],
    ] as const;
    for (const [script, todo] of cases) {
      const { place } = await newUser({ claude: script as Script, use: [model] });
      const ran = await place.run(["ask", "--model", model, "hello"]);
      expect(ran.stderr, describeRun(ran)).toContain(`What to do: ${todo}oldhand models test ${model}`);
    }
  });

  it("whose answers break off is one line for each attempt in ask", async () => {
    const { place, chats, local } = await newUser({
      llama: () => ({ text: "half an answer that ends", pieces: 5, fault: { kind: "half-closed", after: 3 } }),
      use: ["ollama/big"],
      models: { retries: 3, retryMs: 600, retrySeconds: 1 },
    });
    const ran = await place.run(["ask", "hello"]);
    const lines = ran.stderr.trim().split("\n");
    expect(chats(local)).toHaveLength(4);
    expect(lines, describeRun(ran)).toHaveLength(4);
    // A wait that nobody notices is not shown; then the line says that the model starts over.
    for (const line of lines.slice(0, 3))
      expect(line).toMatch(
        /^waiting \d s for ollama \(the answer broke off\)$|^\(ollama\/big broke off .* starts over\)$/,
      );
  });

  it("on this machine is called as soon as it is back", async () => {
    const { place, local } = await newUser({ ...once, use: ["ollama/big"] });
    const port = Number(new URL(local.url).port);
    await local.close();
    await place.run(["ask", "hello"]);
    const held = await place.run(["ask", "hello"]);
    expect(held.stderr, describeRun(held)).toMatch(
      /ollama failed the last time \(unreachable\), and still does not answer/,
    );
    const back = await fakeOllama(() => ({ text: "back" }), { everyRequest: true, models: ["big"], port });
    try {
      const ran = await place.run(["ask", "hello"]);
      expect([ran.code, ran.stdout], describeRun(ran)).toEqual([0, "back\n"]);
    } finally {
      await back.close();
    }
  });

  it("on this machine answers again as the default model as soon as it is back, although another one could", async () => {
    const { place, local, paid, chats } = await newUser({
      use: ["ollama/big", "anthropic/claude-sonnet-4-5"],
      models: { ...once.models, default: "ollama/big" },
    });
    const port = Number(new URL(local.url).port);
    await local.close();
    await place.run(["ask", "--model", "ollama/big", "hello"]);
    const held = await place.run(["ask", "hello"]);
    expect([held.code, held.stdout], describeRun(held)).toEqual([0, "paid\n"]);
    expect(held.stderr).toMatch(/ollama\/big is left out: ollama failed .*\(unreachable\), and still does not answer/);
    const back = await fakeOllama(() => ({ text: "back" }), { everyRequest: true, models: ["big"], port });
    try {
      for (const _ of [1, 2]) {
        const ran = await place.run(["ask", "hello"]);
        expect([ran.code, ran.stdout], describeRun(ran)).toEqual([0, "back\n"]);
      }
      expect(chats(paid)).toHaveLength(1);
      // The first answer closed the breaker, so nobody looks before the second one.
      expect(back.requests.filter(({ path }) => path.includes("tags")).length).toBeLessThanOrEqual(2);
      expect((await place.run(["models"])).stdout).not.toContain("in a row");
    } finally {
      await back.close();
    }
  });

  it("does not hide the other failures of the call", async () => {
    const unknown = { error: { status: 404, type: "not_found_error", message: "model: claude-sonnet-4-5" } };
    const { place, local } = await newUser({
      claude: () => unknown,
      use: ["anthropic/claude-sonnet-4-5", "ollama/big"],
      models: { default: "anthropic/claude-sonnet-4-5" },
    });
    await local.close();
    const ran = await place.run(["ask", "hello"]);
    expect(ran.stderr, describeRun(ran)).toContain("anthropic/claude-sonnet-4-5: answers 404");
    expect(ran.stderr).toContain("ollama/big: cannot be reached");
  });
});

describe("a chain of models", () => {
  it("is tried to its end before a model that failed twice is tried again", async () => {
    const use = ["vllm/one", "lmstudio/two", "anthropic/claude-sonnet-4-5", "ollama/big"];
    const down = { error: { status: 503, type: "api_error", message: "full" } };
    const { place, paid, chats } = await newUser({
      use,
      claude: () => down,
      models: { retries: 2, breakerFailures: 9 },
    });
    const ran = await place.run(["ask", "hello"]);
    expect([ran.code, ran.stdout], describeRun(ran)).toEqual([0, "local\n"]);
    expect(chats(paid).length).toBeLessThanOrEqual(2);
  });

  it("is named to its end in the error, also the models that were not tried, and why", async () => {
    const use = ["vllm/one", "lmstudio/two", "ollama/big"];
    const { place, local, chats } = await newUser({ use, models: { attempts: 2, default: "vllm/one" } });
    const ran = await place.run(["ask", "hello"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain("vllm/one: cannot be reached");
    expect(ran.stderr).toContain("lmstudio/two: cannot be reached");
    expect(ran.stderr).toContain("ollama/big: not tried, because 2 attempts failed (models.attempts)");
    expect(chats(local)).toHaveLength(0);
  });

  it("is named in the error also as far as a breaker holds it back", async () => {
    const down = { error: { status: 503, type: "overloaded_error", message: "full" } };
    const use = ["anthropic/claude-sonnet-4-5", "ollama/big"];
    const { place, local } = await newUser({ ...once, use, claude: () => down });
    await place.run(["ask", "--model", "anthropic/claude-sonnet-4-5", "hello"]);
    await local.close();
    const ran = await place.run(["ask", "hello"]);
    expect(ran.code, describeRun(ran)).toBe(2);
    expect(ran.stderr).toContain("ollama/big: cannot be reached");
    expect(ran.stderr).toMatch(/anthropic\/claude-sonnet-4-5 is left out: .*is not called until/);
  });
});

describe("agents complete", () => {
  it("says which attempt failed, why, and what follows", async () => {
    const down = { error: { status: 503, type: "api_error", message: "full" } };
    const { place } = await newUser({
      claude: () => down,
      use: ["anthropic/claude-sonnet-4-5", "ollama/big"],
      models: { retryMs: 1_200 },
    });
    const ran = await place.run(["agents", "complete", "clerk", "--preferred-provider", "anthropic", "hello"]);
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stderr).toMatch(
      /attempt 1, anthropic\/claude-sonnet-4-5: answers 503: full; attempt 2 in \d s\n.*attempt 2, anthropic\/claude-sonnet-4-5: answers 503: full; attempt 3: ollama\/big\n/s,
    );
  });

  it("shows every attempt that failed, also one that is repeated at once", async () => {
    const down = { error: { status: 503, type: "api_error", message: "full" } };
    const { place } = await newUser({ claude: () => down, use: ["anthropic/claude-sonnet-4-5", "ollama/big"] });
    const ran = await place.run(["agents", "complete", "clerk", "hello"]);
    expect(ran.code, describeRun(ran)).toBe(0);
    const model = "anthropic/claude-sonnet-4-5";
    expect(ran.stderr.trimEnd().split("\n"), describeRun(ran)).toEqual([
      `attempt 1, ${model}: answers 503: full; attempt 2 at once`,
      `attempt 2, ${model}: answers 503: full; attempt 3: ollama/big`,
    ]);
  });

  it("says nothing if the model answers at once", async () => {
    const { place } = await newUser();
    const ran = await place.run(["agents", "complete", "clerk", "hello"]);
    expect([ran.code, ran.stderr], describeRun(ran)).toEqual([0, ""]);
  });
});

describe("models add", () => {
  it("refuses a model that the server does not have, with near names; --force adds it", async () => {
    const { place } = await newUser({ use: [] });
    const wrong = await place.run(["models", "add", "ollama/smal"]);
    expect([wrong.code, wrong.stdout], describeRun(wrong)).toEqual([2, ""]);
    expect(wrong.stderr).toContain("ollama does not have the model smal: it has big, small");
    expect(wrong.stderr).toContain("did you mean ollama/small?");
    expect(wrong.stderr).toContain("--force");
    expect((await place.run(["models"])).stdout).not.toContain("ollama/smal\n");
    const forced = await place.run(["models", "add", "ollama/smal", "--force"]);
    expect(forced.code, describeRun(forced)).toBe(0);
    expect(forced.stderr).toContain("ollama does not have the model smal");
    expect((await place.run(["models", "add", "ollama/small"])).code).toBe(0);
  });

  it("of an address where nothing answers says so, and what to do", async () => {
    const { place } = await newUser({ use: [] });
    for (const name of ["workshop", "workshop/big"]) {
      const ran = await place.run(["models", "add", name, "--url", "http://127.0.0.1:9/v1"]);
      expect(ran.code, describeRun(ran)).toBe(0);
      expect(ran.stdout).toContain("It cannot be used yet: nothing answers at http://127.0.0.1:9/v1");
      expect(ran.stdout).toMatch(/start the server.*oldhand models/);
    }
  });
});

describe("a name that is nearly right, or missing", () => {
  it("gets what was meant, or what is missing", async () => {
    const { place } = await newUser();
    expect((await place.run(["models", "remove", "ollama/bigg"])).stderr).toContain("did you mean ollama/big?");
    const chosen = await place.run(["models", "default", "ollama/smal"]);
    expect(chosen.stderr, describeRun(chosen)).toContain("--force uses it all the same; then repeat this command");
    for (const verb of ["set", "extend"]) {
      const ran = await place.run(["models", "caps", verb, "agent", "5"]);
      expect(ran.stderr, describeRun(ran)).toContain("the name of the agent is missing");
    }
  });
});

describe("models add of a server that refuses the key", () => {
  it("names the variable, and does not advise to start a server that answers", async () => {
    const refused = createServer((_request, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "wrong key" } }));
    });
    await new Promise<void>((resolve) => refused.listen(0, "127.0.0.1", resolve));
    try {
      const { place } = await newUser({ use: [] });
      const url = `http://127.0.0.1:${(refused.address() as AddressInfo).port}/v1`;
      const ran = await place.run(["models", "add", "shop/big", "--url", url, "--key-env", "SHOP_KEY"]);
      expect(ran.stdout, describeRun(ran)).toContain(
        "It cannot be used yet: shop: answers 401: wrong key. Check SHOP_KEY;",
      );
      expect(ran.stdout).not.toContain("start the server");
    } finally {
      await new Promise((resolve) => refused.close(resolve));
    }
  });
});

describe("a session without an answer", () => {
  it("is marked in sessions list, with the reason", async () => {
    const { place, local } = await newUser({ use: ["ollama/big"] });
    await place.run(["ask", "an answered question"]);
    await local.close();
    await place.run(["ask", "an open question"]);
    const { stdout } = await place.run(["sessions", "list"]);
    expect(stdout).toMatch(
      /^ +an open question\n +the last message has no answer: no model answered\. ollama\/big: cannot be reached/m,
    );
    expect(stdout).not.toMatch(/^ +an answered question\n +the last message/m);
    const { sessions } = await place.json<{ sessions: { title: string; ended: object | null }[] }>([
      "sessions",
      "list",
    ]);
    expect(sessions.map(({ title, ended }) => [title, ended])).toMatchObject([
      ["an open question", { reason: "failed" }],
      ["an answered question", { reason: "done" }],
    ]);
  });
});
