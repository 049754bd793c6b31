import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pluginHooksFile } from "../../src/observe/hosts/claude-code/hook-key.ts";
import { listPluginFiles } from "../../src/observe/hosts/claude-code/plugin.ts";
import { cleanEnv, newPlace, payload, type Place, program } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** The plugin as `oldhand install` writes it, or as 0.1.0 did. */
function wire(version: "now" | "0.1.0"): string {
  const at = {
    userHome: place.user,
    home: place.home,
    project: null,
    command: ["oldhand"],
    env: {},
    platform: "linux",
  } as const;
  const text = listPluginFiles(at).find(({ path }) => path === pluginHooksFile(place.home))?.text ?? "";
  const key = /"key": "([^"]{20,})"/.exec(text)?.[1] ?? "";
  mkdirSync(dirname(pluginHooksFile(place.home)), { recursive: true });
  writeFileSync(pluginHooksFile(place.home), version === "now" ? text : text.replaceAll(/ *"key": "[^"]*",\n/g, ""));
  return key;
}

async function connected(name = "test", version = "0") {
  const client = new Client({ name, version });
  const env = { ...cleanEnv(place.user), OLDHAND_HOME: place.home };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, "mcp"], env, stderr: "pipe" }),
  );
  return client;
}

const makePayload = (over: object = {}) => ({
  name: "hook",
  arguments: { ...(JSON.parse(payload("PostToolUse")) as object), host: "claude-code", ...over },
});

const events = async () => (await place.json<{ counts: { events: number } }>(["status"])).counts.events;

describe("the tool that hooks call", () => {
  it("is not listed, so no model is offered it", async () => {
    wire("now");
    const client = await connected("claude-code", "2.1.325");
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toContain("advice");
    expect(names).not.toContain("hook");
    await client.close();
    // It is not known whether older clients call a tool that is not listed.
    const old = await connected("claude-code", "2.1.200");
    expect((await old.listTools()).tools.map((tool) => tool.name)).toContain("hook");
    await old.close();
  });

  it("refuses whoever does not bring the key of the plugin's hooks, and stores nothing of it", async () => {
    const key = wire("now");
    const client = await connected();
    for (const forged of [makePayload(), makePayload({ key: "guessed" }), makePayload({ key: null })]) {
      const reply = await client.callTool(forged);
      expect(reply).toMatchObject({ content: [{ type: "text", text: "{}" }] });
      expect(reply["_meta"]).toMatchObject({ "oldhand/refused": expect.stringContaining("key") });
    }
    expect(await events()).toBe(0);
    expect((await client.callTool(makePayload({ key })))["_meta"]).toBeUndefined();
    expect(await events()).toBe(1);
    await client.close();
  });

  it("is there for no host but the one whose hooks call it", async () => {
    const client = await connected();
    expect((await client.callTool(makePayload()))["_meta"]).toMatchObject({ "oldhand/refused": expect.any(String) });
    expect(await events()).toBe(0);
    await client.close();
  });

  it("hears hooks that 0.1.0 wrote, until they are written anew; then the session that runs goes on", async () => {
    wire("0.1.0");
    expect(readFileSync(pluginHooksFile(place.home), "utf8")).not.toContain('"key"');
    const running = await connected();
    await running.callTool(makePayload());
    expect(await events()).toBe(1);
    const key = wire("now");
    await running.callTool(makePayload({ tool_use_id: "t2" }));
    expect(await events()).toBe(2);
    const next = await connected();
    await next.callTool(makePayload({ tool_use_id: "t3" }));
    expect(await events()).toBe(2);
    await next.callTool(makePayload({ tool_use_id: "t3", key }));
    expect(await events()).toBe(3);
    for (const client of [running, next]) await client.close();
  });
});
