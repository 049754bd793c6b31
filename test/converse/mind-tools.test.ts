import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { listAgentTools } from "../../src/converse/toolset/list-tools.ts";
import { recallTool } from "../../src/converse/tools/mind/recall.ts";
import { rememberTool } from "../../src/converse/tools/mind/remember.ts";
import { sessionsSearchTool } from "../../src/converse/tools/mind/sessions-search.ts";
import { subAgentTool } from "../../src/converse/tools/mind/sub-agent.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { listMemories, memoryNoun } from "../../src/store/nouns/memories.ts";
import { anEvent, put } from "../store/samples.ts";
import { stores } from "../stores.ts";
import { newToolPlace, type ToolPlace } from "./tool-context.ts";

describe.each(stores)("tools of the mind on $name", (store) => {
  let place: ToolPlace;
  beforeEach(async () => {
    place = await newToolPlace({ store });
  });
  afterEach(() => place.remove());

  it("remember saves for the workspace, as the agent's word, without secrets, and recall finds it", async () => {
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
    const text = `The FASTA parser is written in Rust; token ${token}`;
    expect(await rememberTool.run(place.tools(), { text })).toMatchObject({ ok: true });
    const [memory] = await listMemories(place.db, { status: "active" });
    expect(memory).toMatchObject({
      origin: "agent",
      trust: "agent",
      pinned: false,
      scope: { kind: "workspace", name: place.workspace },
    });
    expect(memory?.text).not.toContain(token);
    expect((await recallTool.run(place.tools(), { query: "FASTA parser" })).text).toMatch(
      /semantic m_\w+, from agent:\n\| The FASTA parser/,
    );
    expect((await recallTool.run(place.tools({ workspace: place.outside }), { query: "FASTA parser" })).text).toBe(
      "No memory fits.",
    );
  });

  it("remember replaces no memory of the owner", async () => {
    await put(place.db, memoryNoun, {
      ...{
        id: "m_owner",
        key: "language",
        text: "Only Rust.",
        kind: "fact",
        category: null,
        importance: 50,
        confidence: 1,
      },
      ...{ tags: [], supersedes: [], pinned: false, status: "active", createdAt: 0, origin: "owner", trust: "owner" },
      scope: { kind: "workspace", name: place.workspace },
    });
    const key = "language";
    await rememberTool.run(place.tools(), { text: "Only Perl.", key });
    expect((await listMemories(place.db, {})).find(({ id }) => id === "m_owner")).toMatchObject({ text: "Only Rust." });
  });

  it("sessions_search finds earlier sessions of the workspace, quoted", async () => {
    const here = { workspace: place.workspace, cwd: place.workspace, kind: "prompt", tool: null, head: null } as const;
    await appendEvents(place.db, [
      anEvent("p1", { ...here, text: "My name is Thorne", session: "old" }),
      anEvent("p2", { ...here, text: "Thorne elsewhere", session: "other", workspace: place.outside }),
    ]);
    const { text } = await sessionsSearchTool.run(place.tools(), { query: "Thorne" });
    expect(text).toContain("| My name is Thorne");
    expect(text).toContain("prompt in session old of");
    expect(text).not.toContain("elsewhere");
  });

  it("sub_agent gives the task on and returns the answer", async () => {
    expect(await subAgentTool.run(place.tools(), { task: "look" })).toMatchObject({ ok: true, text: "did: look" });
  });
});

describe("the list of tools", () => {
  const of = { workspace: "/w", mode: "ask" } as const;
  const list = (policy: Partial<typeof defaultPolicy> = {}) =>
    listAgentTools({ config: { policy: { ...defaultPolicy, ...policy } } as never }, of);

  it("is sorted and the same for every mode", async () => {
    const names = (await list()).map(({ name }) => name);
    expect(names).toEqual([
      "edit",
      "grep",
      "http_request",
      "list",
      "message",
      "read",
      "recall",
      "remember",
      "sessions_search",
      "shell",
      "sub_agent",
      "web_fetch",
      "write",
    ]);
  });

  it("has mail and web_search only if the owner set them up", async () => {
    const mail = { ...defaultPolicy.mail, host: "smtp.example.org", from: "ada@example.org" };
    const webSearch = { ...defaultPolicy.webSearch, engine: "brave" } as const;
    const names = (await list({ mail, webSearch })).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["mail", "web_search"]));
  });

  it("costs less than 2,000 tokens with everything but MCP", async () => {
    const mail = { ...defaultPolicy.mail, host: "smtp.example.org", from: "ada@example.org" };
    const webSearch = { ...defaultPolicy.webSearch, engine: "brave" } as const;
    const tools = await list({ mail, webSearch });
    const text = JSON.stringify(
      tools.map(({ name, description, input }) => ({ name, description, input_schema: z.toJSONSchema(input) })),
    );
    process.stdout.write(`tool schemas: ${text.length} characters, about ${Math.ceil(text.length / 3.5)} tokens\n`);
    expect(text.length / 3.5).toBeLessThan(2_000);
    for (const { description } of tools) expect(description.length).toBeLessThan(200);
  });
});
