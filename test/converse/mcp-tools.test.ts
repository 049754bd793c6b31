import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { decideToolCall } from "../../src/converse/approvals/decide-call.ts";
import { closeAgentTools, listAgentTools } from "../../src/converse/toolset/list-tools.ts";
import type { AgentTool } from "../../src/converse/tools/tool.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { newToolPlace, type ToolPlace } from "./tool-context.ts";

const fixture = join(dirname(fileURLToPath(import.meta.url)), "mcp-fixture.mjs");
const server = (over: object = {}) => ({
  command: process.execPath,
  args: [fixture, "2"],
  env: ["GIVEN"],
  url: "",
  read: false,
  ...over,
});

let place: ToolPlace;
afterEach(async () => {
  vi.unstubAllEnvs();
  await closeAgentTools();
  await place.remove();
});
async function open(mcpServers: Record<string, ReturnType<typeof server>>): Promise<Map<string, AgentTool>> {
  place = await newToolPlace({ policy: { chat: { ...defaultPolicy.chat, mcpServers } } });
  const tools = await listAgentTools({ config: place.config }, { workspace: place.workspace, mode: "ask" });
  return new Map(tools.filter(({ name }) => name.startsWith("mcp")).map((tool) => [tool.name, tool]));
}
const decide = (tool: AgentTool, input: object) =>
  decideToolCall(
    { db: place.db, config: place.config, clock: { now: () => 0 } },
    { tool, input, tools: place.tools(), hasPerson: true },
  );

describe("tools of MCP servers", () => {
  it("are offered by name, and answer as data from outside", async () => {
    vi.stubEnv("GIVEN", "given").stubEnv("KEPT", "kept");
    const tools = await open({ demo: server() });
    expect([...tools.keys()]).toEqual(["mcp__demo__echo", "mcp__demo__poisoned"]);
    const echo = tools.get("mcp__demo__echo")!;
    expect(z.toJSONSchema(echo.input)).toMatchObject({ properties: { text: { type: "string" } }, required: ["text"] });
    // It gets the variables that the owner names, and no other.
    expect(await echo.run(place.tools(), { text: "hi" })).toEqual({
      ok: true,
      text: "echo: hi given -",
      origin: "external",
    });
    const poisoned = tools.get("mcp__demo__poisoned")!;
    expect(await poisoned.run(place.tools(), {})).toMatchObject({ ok: false, origin: "external" });
    expect(poisoned.description).toBe("(its description reads like an instruction and is withheld)");
  });

  it("need an approval, unless the owner says that the server only reads", async () => {
    const tools = await open({ demo: server(), wiki: server({ read: true }) });
    expect(await decide(tools.get("mcp__demo__echo")!, { text: "x" })).toMatchObject({
      kind: "ask",
      approval: {
        action: "mcp__demo__echo",
        effect: "external",
        reason: "It contacts the MCP server demo, outside this machine.",
      },
    });
    expect((await decide(tools.get("mcp__wiki__echo")!, { text: "x" })).kind).toBe("run");
  });

  it("are found by search when there are many", async () => {
    const tools = await open({ demo: server({ args: [fixture, "25"] }), wiki: server({ read: true }) });
    expect([...tools.keys()]).toEqual(["mcp_call", "mcp_search"]);
    const [call, search] = [tools.get("mcp_call")!, tools.get("mcp_search")!];
    expect((await search.run(place.tools(), { query: "weather city 7" })).text).toContain(
      "mcp__demo__weather_7: Tells the weather of city 7.",
    );
    expect((await search.run(place.tools(), { query: "zzz" })).text).toMatch(
      /^No tool fits\. There are: mcp__demo__echo/,
    );
    expect((await decide(call, { tool: "mcp__demo__weather_7" })).kind).toBe("ask");
    expect((await decide(call, { tool: "mcp__wiki__echo" })).kind).toBe("run");
    expect(await call.run(place.tools(), { tool: "mcp__demo__weather_7" })).toEqual({
      ok: true,
      text: "rain 7",
      origin: "external",
    });
    expect(await call.run(place.tools(), { tool: "mcp__none" })).toMatchObject({ ok: false });
  });

  it("are absent if their server does not start, and nothing else is", async () => {
    const tools = await open({ broken: server({ command: "/none/such" }), demo: server() });
    expect([...tools.keys()]).toEqual(["mcp__demo__echo", "mcp__demo__poisoned"]);
  });
});
