import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ModelFailureKind } from "../../../src/domain/model/failure.ts";
import { openProvider } from "../../../src/models/providers/open-provider.ts";
import type { ScriptedError, ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import { ask, hear, hearFailure, KEY, openUnderTest, providersUnderTest } from "./lab.ts";

const text = "Hello from the scripted model, in several pieces.";

/** Presets share one kind of endpoint, so tests of the kind run for one preset only. */
const isPreset = (name: string) => providersUnderTest.findIndex((one) => one.name === name) >= 5;

describe.each(providersUnderTest)("the provider $name fails", (tested) => {
  const { model } = tested;

  it.each<[string, ScriptedTurn, ModelFailureKind]>([
    ["a stream that ends too early", { text, pieces: 7, fault: { kind: "half-closed", after: 4 } }, "cut-off"],
    ["a stream that ends before it begins", { text, fault: { kind: "half-closed", after: 0 } }, "cut-off"],
    ["a connection that breaks", { text, pieces: 7, fault: { kind: "reset", after: 4 } }, "cut-off"],
    ["truncated JSON", { text, pieces: 7, fault: { kind: "truncated", after: 3 } }, "malformed"],
    ["a page for people", { text, fault: { kind: "wrong-type" } }, "malformed"],
    ["silence in the middle", { text, pieces: 7, fault: { kind: "silence", after: 3 } }, "timeout"],
    ["silence from the beginning", { text, delayMs: 30_000 }, "timeout"],
    ["a slow loris", { text, fault: { kind: "trickle", everyMs: 20 } }, "timeout"],
  ])("with %s", async (_what, turn, kind) => {
    // A slow machine must not turn another expected error into a timeout.
    await using opened = await openUnderTest(tested, [turn], { idleMs: kind === "timeout" ? 150 : 30_000 });
    const { error } = await hearFailure(opened.provider, { ...ask("Say hello."), model });
    expect(error.failure.kind).toBe(kind);
    expect(inspect(error, { depth: 10 })).not.toContain(KEY);
  });

  it("with an answer that never ends", async () => {
    const turn = { text, pieces: text.length, pauseMs: 20 };
    await using opened = await openUnderTest(tested, [turn], { idleMs: 10_000, totalMs: 150 });
    const { error } = await hearFailure(opened.provider, { ...ask("Say hello."), model });
    expect(error.failure).toMatchObject({ kind: "timeout", message: expect.stringContaining("did not end") as string });
  });

  it.skipIf(isPreset(tested.name)).each<[string, ScriptedError, ModelFailureKind]>([
    ["500", { status: 500, type: "api_error", message: "Internal server error" }, "overloaded"],
    ["503", { status: 503, type: "UNAVAILABLE", message: "The model is overloaded." }, "overloaded"],
    ["529", { status: 529, type: "overloaded_error", message: "Overloaded" }, "overloaded"],
    ["401", { status: 401, type: "authentication_error", message: "invalid x-api-key" }, "auth"],
    ["403", { status: 403, type: "permission_error", message: "Not allowed." }, "auth"],
    ["402", { status: 402, type: "billing_error", message: "Pay first." }, "quota"],
    ["404", { status: 404, type: "not_found_error", message: "model: claude-2 was retired" }, "no-such-model"],
    ["413", { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" }, "too-long"],
    [
      "400 of a long prompt",
      { status: 400, type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" },
      "too-long",
    ],
    [
      "400 of a long prompt elsewhere",
      { status: 400, type: "context_length_exceeded", message: "Your input exceeds the context window of this model." },
      "too-long",
    ],
    [
      "400 without credit",
      { status: 400, type: "invalid_request_error", message: "Your credit balance is too low to access the API." },
      "quota",
    ],
    [
      "400 of a policy",
      { status: 400, type: "content_policy_violation", message: "Your request was rejected." },
      "refused",
    ],
    ["400", { status: 400, type: "invalid_request_error", message: "max_tokens: must be positive" }, "bad-request"],
    ["429", { status: 429, type: "rate_limit_error", message: "Slow down." }, "rate-limited"],
    [
      "429 of a spent budget",
      { status: 429, type: "insufficient_quota", message: "You exceeded your current quota." },
      "quota",
    ],
    ["429 for hours", { status: 429, type: "rate_limit_error", message: "Try later.", retryAfter: 7_200 }, "quota"],
  ])("with status %s", async (_status, error, kind) => {
    // Ollama's errors have no names, so cases that need a name are left out.
    const isNamed = tested.skips["named error"] === undefined || !/policy|context_length/.test(error.type);
    await using opened = await openUnderTest(tested, [{ error }]);
    const { failure } = (await hearFailure(opened.provider, { ...ask("Hi"), model })).error;
    if (isNamed) expect(failure).toMatchObject({ kind, status: error.status });
    expect(opened.server.requests).toHaveLength(1);
  });

  it("with 429 and says how long to wait, in seconds or until a date", async () => {
    const error = { status: 429, type: "rate_limit_error", message: "Slow down." };
    const until = new Date(Date.now() + 90_000).toUTCString();
    await using opened = await openUnderTest(tested, [
      { error: { ...error, retryAfter: 7 } },
      { error: { ...error, retryAfter: until } },
    ]);
    const request = { ...ask("Hi"), model };
    expect((await hearFailure(opened.provider, request)).error.failure.retryAfterMs).toBe(7_000);
    const { retryAfterMs } = (await hearFailure(opened.provider, request)).error.failure;
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(90_000);
  });

  it("with an error in the middle of a stream", async () => {
    const type =
      tested.name === "google" ? "UNAVAILABLE" : tested.name === "anthropic" ? "overloaded_error" : "server_error";
    const fault = { kind: "error-event" as const, after: 4, type, message: "The server had an error." };
    await using opened = await openUnderTest(tested, [{ text, pieces: 9, fault }]);
    const { error } = await hearFailure(opened.provider, { ...ask("Hi"), model });
    expect(error.failure.kind).toBe("overloaded");
    expect(error.message).toContain("The server had an error.");
  });

  it.skipIf(isPreset(tested.name))("and never finishes a stream that lost its end, wherever it was cut", async () => {
    const turn = { text, pieces: 3, calls: [{ tool: "t", input: { a: 1 } }], reasoning: { text: "Hm." } };
    // A complete run first, to learn how many events there are.
    for (let after = 0; after < 40; after++) {
      await using opened = await openUnderTest(tested, [{ ...turn, fault: { kind: "half-closed", after } }], {
        idleMs: 5_000,
      });
      const request = { ...ask("Hi"), tools: [{ name: "t", description: "", input: { type: "object" } }], model };
      const ended = await hear(opened.provider, request).then(
        () => "finished",
        (error: { readonly failure?: { readonly kind: string } }) => error.failure?.kind,
      );
      if (ended === "finished") {
        expect(after).toBeGreaterThan(5);
        return;
      }
      expect([after, ended]).toEqual([after, "cut-off"]);
    }
    throw new Error("a whole stream did not finish");
  });

  it("when nothing listens at its address", async () => {
    const opened = await openUnderTest(tested, []);
    await opened[Symbol.asyncDispose]();
    const { failure } = (await hearFailure(opened.provider, { ...ask("Hi"), model })).error;
    expect(failure).toMatchObject({ kind: "unreachable", status: null });
    expect(failure.message).toContain("ECONNREFUSED");
  });

  it("as aborted, before the call and in the middle, and the server notices", async () => {
    await using opened = await openUnderTest(tested, [{ text, pieces: 20, pauseMs: 20 }]);
    const before = await hearFailure(opened.provider, { ...ask("Hi"), model }, AbortSignal.abort());
    expect([before.error.failure.kind, opened.server.requests.length]).toEqual(["aborted", 0]);
    const controller = new AbortController();
    const events = opened.provider.chat({ ...ask("Hi"), model }, controller.signal)[Symbol.asyncIterator]();
    await events.next();
    controller.abort();
    const drain = async () => {
      for (;;) if ((await events.next()).done === true) return;
    };
    await expect(drain()).rejects.toMatchObject({ failure: { kind: "aborted" } });
  });

  it("no other call when a caller stops in the middle", async () => {
    await using opened = await openUnderTest(tested, [{ text, pieces: 20, pauseMs: 10 }, { text }]);
    for await (const event of opened.provider.chat({ ...ask("Hi"), model }, new AbortController().signal))
      if (event.kind === "text") break;
    expect((await hear(opened.provider, { ...ask("Hi"), model })).text).toBe(text);
  });

  it("when it is sent to another address, and the key does not go there", async () => {
    await using elsewhere = await openUnderTest(tested, [{ text }]);
    const redirecting = createServer((_request, response) => {
      response.writeHead(307, { location: `${elsewhere.server.url}/stolen` }).end();
    });
    await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const provider = await openProvider(tested.name, tested.settings(url));
    const { failure } = (await hearFailure(provider, { ...ask("Hi"), model })).error;
    expect([failure.kind, elsewhere.server.requests.length]).toEqual(["bad-request", 0]);
    redirecting.closeAllConnections();
    await new Promise((resolve) => redirecting.close(resolve));
  });
});
