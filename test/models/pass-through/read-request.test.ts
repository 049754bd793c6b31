import { describe, expect, it } from "vitest";
import { isSubscription, readCaller } from "../../../src/models/pass-through/caller.ts";
import { readAskedCall } from "../../../src/models/pass-through/read-request.ts";
import { findWireRoute, type WireApi } from "../../../src/models/pass-through/wire-api.ts";

const read = (api: WireApi, body: object) => readAskedCall(api, body, JSON.stringify(body));
const session = "12fbc982-87ff-4854-9f8f-2ef614de6784";

describe("what a request asks for", () => {
  it("is its model, its limit and its session, as Claude Code sends them", () => {
    const user_id = JSON.stringify({ device_id: "b20f", account_uuid: "", session_id: session });
    const body = { model: "claude-opus-5-5", max_tokens: 128_000, messages: [], metadata: { user_id } };
    expect(read("messages", body)).toMatchObject({ model: "claude-opus-5-5", maxTokens: 128_000, session });
    const older = { ...body, metadata: { user_id: `user_b20f_account__session_${session}` } };
    expect(read("messages", older)?.session).toBe(session);
  });

  it("has no limit where Codex sends none", () => {
    const body = {
      model: "gpt-5.5",
      input: [],
      stream: true,
      prompt_cache_key: "a",
      client_metadata: { session_id: session },
    };
    expect(read("responses", body)).toMatchObject({ maxTokens: null, isOpenEnded: false, session });
    expect(read("responses", { ...body, previous_response_id: "resp_1" })?.isOpenEnded).toBe(true);
    expect(read("responses", { ...body, previous_response_id: null })?.isOpenEnded).toBe(false);
  });

  it("counts every answer that a chat asks for, up to the larger of two limits", () => {
    const body = { model: "gpt-5", messages: [], max_tokens: 10, max_completion_tokens: 100, n: 4 };
    expect(read("chat", body)).toMatchObject({ maxTokens: 100, choices: 4 });
  });

  it("does not count a picture's bytes as text; a document may be as long as the window", () => {
    const data = "A".repeat(1_000_000);
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    const inResult = { type: "tool_result", tool_use_id: "t", content: [picture, { type: "text", text: "seen" }] };
    const asked = read("messages", { model: "m", messages: [{ role: "user", content: [picture, inResult] }] });
    expect(asked).toMatchObject({ pictures: 2, isOpenEnded: false });
    expect(asked?.characters).toBeLessThan(1_000);
    const content = [{ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }];
    expect(read("chat", { model: "m", messages: [{ role: "user", content }] })).toMatchObject({ pictures: 1 });
    const pdf = { type: "document", source: { type: "url", url: "https://example.org/a.pdf" } };
    expect(read("messages", { model: "m", messages: [{ content: [pdf] }] })?.isOpenEnded).toBe(true);
    const plain = { type: "document", source: { type: "text", media_type: "text/plain", data } };
    const text = read("messages", { model: "m", messages: [{ content: [plain] }] });
    expect(text?.isOpenEnded).toBe(false);
    expect(text?.characters).toBeGreaterThan(1_000_000);
  });

  it("does not mistake a tool with a field named after a medium for that medium", () => {
    const tools = [{ name: "draw", input_schema: { type: "object", properties: { image: { type: "image" } } } }];
    expect(read("messages", { model: "m", tools, messages: [] })).toMatchObject({ pictures: 0, isOpenEnded: false });
  });

  it("is null without a model", () => {
    for (const body of [{}, { model: 7 }, { model: "" }]) expect(read("messages", body)).toBeNull();
    expect(readAskedCall("chat", [1], "[1]")).toBeNull();
  });
});

describe("the caller of a request", () => {
  it("is identified by the program's name and the session's header", () => {
    const claude = { "user-agent": "claude-cli/2.1.325 (external, sdk-cli)", "x-claude-code-session-id": session };
    expect(readCaller(claude)).toEqual({ agent: "claude-code", session, job: null, goal: null });
    const codex = { "user-agent": "codex_exec/0.166.0 (Debian 12.0.0; x86_64) unknown", "session-id": session };
    expect(readCaller(codex)).toMatchObject({ agent: "codex", session });
    expect(readCaller({ "user-agent": "OpenAI/JS 6.1.0" }).agent).toBe("openai");
    expect(readCaller({}).agent).toBe("unknown");
  });

  it("may name itself, with a name that a row can hold", () => {
    const headers = { "x-oldhand-agent": "writer", "x-oldhand-job": "nightly", "x-oldhand-goal": "g_1" };
    expect(readCaller(headers)).toEqual({ agent: "writer", session: null, job: "nightly", goal: "g_1" });
    expect(readCaller({ "x-oldhand-agent": "a\u0000b", "user-agent": "x" }).agent).toBe("x");
  });

  it("pays with a subscription if its credential belongs to one", () => {
    expect(isSubscription("messages", { authorization: "Bearer sk-ant-oat01-abc" })).toBe(true);
    expect(isSubscription("messages", { "anthropic-beta": "claude-code-20250219,oauth-2025-04-20" })).toBe(true);
    expect(isSubscription("messages", { "x-api-key": "sk-ant-api03-abc" })).toBe(false);
    expect(isSubscription("responses", { "chatgpt-account-id": "acc" })).toBe(true);
    expect(isSubscription("responses", { authorization: "Bearer sk-proj-1" })).toBe(false);
  });
});

describe("what is served", () => {
  it.each([
    ["POST", "/v1/messages", "model", "messages"],
    ["POST", "/v1/messages/count_tokens", "free", "messages"],
    ["POST", "/v1/chat/completions", "model", "chat"],
    ["POST", "/v1/responses", "model", "responses"],
    ["GET", "/v1/models", "free", "responses"],
    ["GET", "/v1/models/gpt-5.5", "free", "responses"],
  ] as const)("%s %s", (method, path, kind, api) => {
    expect(findWireRoute(method, path, {})).toEqual({ kind, api });
  });

  it("models of Anthropic for a client of Anthropic, and nothing else", () => {
    expect(findWireRoute("GET", "/v1/models", { "anthropic-version": "2023-06-01" })?.api).toBe("messages");
    expect(findWireRoute("GET", "/v1/messages", {})).toBeNull();
    expect(findWireRoute("POST", "/v1/files", {})).toBeNull();
    expect(findWireRoute("POST", "/v1/messages/", {})).toBeNull();
    expect(findWireRoute("POST", "constructor", {})).toBeNull();
  });
});
