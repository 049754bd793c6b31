import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operations } from "../../src/operations.ts";
import { expectDeclared } from "../expect-declared.ts";
import { cleanEnv, newPlace, payload, type Place, program, root, sample } from "../program.ts";
import { stores } from "../stores.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

async function connected(env: Readonly<Record<string, string>> = {}, cwd = root) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp"],
    env: { ...cleanEnv(place.user), OLDHAND_HOME: place.home, ...env },
    cwd,
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "0" });
  await client.connect(transport);
  const received: unknown[] = [];
  const handle = transport.onmessage;
  transport.onmessage = (message) => {
    received.push(message);
    handle?.(message);
  };
  return { client, pid: transport.pid ?? 0, received, close: () => client.close() };
}

interface ToolReply {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

const textOf = (reply: unknown) => (reply as ToolReply).content.map((part) => part.text ?? "").join("");

const clean = { what: "one clean push", why: "ran the tests again", pattern: "no-verification" };

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    // A zombie process still has its pid.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

async function untilGone(pid: number): Promise<void> {
  for (let i = 0; i < 500 && isRunning(pid); i++) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("the tools", () => {
  it.each(stores)("are few, say what they do, and answer the official client: $name", async (kind) => {
    const { database, remove } = await kind.migrated();
    const env = { OLDHAND_DATABASE: database };
    await place.json(["import", sample], { env });
    await place.json(["distil", "--write"], { env });
    const words = ["learn", "Start the database first.", "--command", "docker compose up"];
    const { rule } = await place.json<{ rule: { id: string } }>(words, { env });
    const { client, close } = await connected(env);
    const { tools } = await client.listTools();
    expect(tools.length).toBeLessThanOrEqual(11);
    const declared = operations.filter((one) => one.surfaces.includes("mcp"));
    for (const operation of declared) {
      const tool = tools.find((one) => one.name === (operation.mcpName ?? operation.name.replaceAll(" ", "_")));
      expect(tool).toMatchObject({
        description: operation.summary,
        inputSchema: { type: "object" },
        annotations: {
          readOnlyHint: operation.effect === "read",
          destructiveHint: operation.effect === "destroys",
          idempotentHint: operation.effect === "read",
          openWorldHint: false,
        },
      });
    }
    const inputs: Readonly<Record<string, object>> = {
      report: {},
      match: { command: "docker compose up -d db" },
      mistake: {
        what: "pushed a broken build",
        why: "trusted an old run",
        shouldHave: "run the tests again",
        pattern: "not-verifying",
        signal: 'the last run said "0 tests"',
      },
      win: { what: "one clean push", why: "ran the tests again", pattern: "no-verification" },
      remember: { text: "The owner prefers Rust" },
      recall: { query: "prefers" },
      message_send: { text: "Is main green?", to: "codex" },
      goal: { action: "list" },
      advice: { prompt: "which language does the owner prefer?" },
    };
    // There is no query to reply to.
    for (const operation of declared.filter((one) => one.name !== "message reply")) {
      const name = operation.mcpName ?? operation.name.replaceAll(" ", "_");
      const reply = await client.callTool({ name, arguments: { ...inputs[name] } });
      expect([name, (reply as ToolReply).isError ?? false, textOf(reply)]).toEqual([name, false, expect.any(String)]);
      expectDeclared(operation, JSON.parse(textOf(reply)));
    }
    const match = await client.callTool({ name: "match", arguments: inputs["match"] as Record<string, unknown> });
    expect(JSON.parse(textOf(match))).toMatchObject({ rules: [{ id: rule.id }] });
    await close();
    await remove();
  });

  it("show an agent the workspace that the server was started in, and no other", async () => {
    const [shop, bank] = ["shop", "bank"].map((name) => join(place.dir, name)) as [string, string];
    for (const folder of [shop, bank]) {
      mkdirSync(join(folder, ".git"), { recursive: true });
      await place.json(["remember", `The key is kept in ${folder}.`, "--workspace", folder]);
      await place.json(["learn", `Ask in ${folder} first.`, "--command", "npm publish", "--workspace", folder]);
    }
    const servers = new Map([shop, place.user].map((cwd) => [cwd, connected({}, cwd)]));
    const callIn = async (cwd: string, name: string, input: Record<string, unknown>) =>
      textOf(await (await servers.get(cwd))?.client.callTool({ name, arguments: input }));
    const refusal = `an agent sees only its own workspace (${shop}), not ${bank}`;
    expect(await callIn(shop, "recall", { query: "key" })).toContain(`kept in ${shop}.`);
    expect(await callIn(shop, "recall", { query: "key" })).not.toContain(bank);
    expect(await callIn(shop, "recall", { query: "key", workspace: bank })).toContain(refusal);
    expect(await callIn(shop, "match", { command: "npm publish" })).toContain(`Ask in ${shop} first.`);
    expect(await callIn(shop, "match", { command: "npm publish", cwd: bank })).toContain(refusal);
    expect(await callIn(shop, "report", { workspace: bank })).toContain(refusal);
    // Started in the user's home, the server does not know where the agent works.
    expect(await callIn(place.user, "match", { command: "npm publish", cwd: bank })).toContain(`Ask in ${bank} first.`);
    expect(await callIn(place.user, "match", { command: "npm publish" })).toContain('"rules":[]');
    for (const server of servers.values()) await (await server).close();
  });

  it.each([
    [
      "Claude Code and its like, in the environment",
      { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "s-1" },
      {},
      "claude-code",
    ],
    ["Copilot CLI, in the environment", { COPILOT_AGENT_SESSION_ID: "s-1" }, {}, "copilot"],
    ["Codex, in the call", {}, { threadId: "s-1", "x-codex-turn-metadata": { session_id: "s-1" } }, "codex"],
    ["droid, in the call", {}, { assemblySessionId: "s-1", caller: "AGENT" }, "droid"],
  ])("connect what an agent writes with the session that its host tells: %s", async (_, env, meta, host) => {
    const { client, close } = await connected(env);
    const reply = await client.callTool({ name: "win", arguments: clean, _meta: meta });
    await close();
    expect(JSON.parse(textOf(reply))).toMatchObject({ entry: { session: "s-1" }, note: null });
    const { changes } = await place.json<{ changes: { actor: string }[] }>(["history"]);
    expect(changes[0]?.actor).toBe(`${host} s-1`);
  });

  it("say so where the host tells no session", async () => {
    const { client, close } = await connected({ GEMINI_CLI: "1" });
    const reply = await client.callTool({ name: "win", arguments: clean });
    const named = await client.callTool({ name: "win", arguments: { ...clean, session: "s-2" } });
    await close();
    expect(JSON.parse(textOf(reply))).toMatchObject({
      entry: { session: null },
      note: "The host does not say which session this is, so the entry belongs to no session. Pass `session` if you know it.",
    });
    expect(JSON.parse(textOf(named))).toMatchObject({ entry: { session: "s-2" }, note: null });
  });

  it("say so where nothing that was recalled contains the words", async () => {
    const { client, close } = await connected();
    await client.callTool({ name: "remember", arguments: { text: "The staging database listens on port 5433" } });
    const noteOn = async (query: string) => {
      const reply = await client.callTool({ name: "recall", arguments: { query, tiers: ["semantic"] } });
      return (JSON.parse(textOf(reply)) as { note: string | null }).note;
    };
    expect(await noteOn("staging database")).toBeNull();
    expect(await noteOn("where do I connect to the preproduction DB?")).toBe(
      "No result contains these words. These are next to the words or near in meaning.",
    );
    await close();
  });

  it("refuse in words an agent can act on, and go on afterwards", async () => {
    const { client, close } = await connected();
    const vague = await client.callTool({
      name: "mistake",
      arguments: {
        what: "pushed a broken build",
        why: "was in a hurry",
        shouldHave: "run the tests",
        pattern: "not-verifying",
        signal: "should have been more careful",
      },
    });
    expect(vague).toMatchObject({ isError: true });
    expect(textOf(vague)).toContain("signal");
    const wrong = await client.callTool({ name: "recall", arguments: { query: 5 } }).catch(String);
    expect(JSON.stringify(wrong)).toMatch(/query/);
    const unknown = await client.callTool({ name: "no_such_tool", arguments: {} }).catch(String);
    expect(JSON.stringify(unknown)).toMatch(/no_such_tool/);
    expect(JSON.parse(textOf(await client.callTool({ name: "report", arguments: {} })))).toHaveProperty("totals");
    await close();
  });

  it("of a mind that is broken tell so, and work once it is mended", async () => {
    mkdirSync(place.home);
    writeFileSync(join(place.home, "mind.db"), "not a database, but long enough to be taken for one".repeat(100));
    const { client, close } = await connected();
    const broken = await client.callTool({ name: "report", arguments: {} });
    expect(broken).toMatchObject({ isError: true });
    expect(textOf(broken)).toContain("damaged");
    writeFileSync(join(place.home, "mind.db"), "");
    const mended = await client.callTool({ name: "report", arguments: {} });
    expect(JSON.parse(textOf(mended))).toMatchObject({ totals: { events: 0 } });
    await close();
  });

  it("tell how far they have come to a client that asks for that, and go on after a cancelled call", async () => {
    await place.json(["import", sample]);
    const { client, received, close } = await connected();
    const report = { name: "report", arguments: {} };
    await client.callTool(report, { onprogress: () => {} });
    // The raw messages: the client drops progress that arrives together with the reply.
    expect(received).toMatchObject([
      { method: "notifications/progress", params: { progress: 1, total: 1, message: "looking at failures" } },
      { result: {} },
    ]);
    const stop = new AbortController();
    const cancelled = client.callTool(report, { signal: stop.signal }).catch((error: unknown) => error);
    stop.abort();
    expect(await cancelled).toBeInstanceOf(Error);
    // An agent sees only its own workspace; the sample belongs to others.
    expect(JSON.parse(textOf(await client.callTool(report)))).toMatchObject({ totals: { sessions: 0 } });
    await close();
  });

  it("see what another process has stored since", async () => {
    const { client, close } = await connected();
    await client.callTool({ name: "report", arguments: {} });
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUseFailure", { cwd: root }) });
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUseFailure", { session_id: "elsewhere" }) });
    const report = await client.callTool({ name: "report", arguments: {} });
    expect(JSON.parse(textOf(report))).toMatchObject({ totals: { events: 1 } });
    await close();
  });
});

describe("the wire", () => {
  const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  const initialize = line({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
  });

  /** The reply with this id, whatever is printed before it. */
  const answerTo = async (server: ReturnType<Place["start"]>, id: number) => {
    const [found] = await server.line(new RegExp(`^.*"id":${id}[,}].*$`, "m"));
    return JSON.parse(found) as { result?: Record<string, unknown>; error?: { code: number } };
  };

  it("survives methods it does not know, before and after initialize, and garbage between them", async () => {
    const server = place.start(["mcp"]);
    const { stdin } = server.child;
    stdin?.write(line({ id: 90, method: "server/discover", params: {} }));
    await answerTo(server, 90);
    stdin?.write("this is no JSON\n");
    stdin?.write('{\n\n[]\n"text"\n');
    stdin?.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    stdin?.write(`${"x".repeat(200_000)}\n`);
    stdin?.write(line({ method: "notifications/nobody/knows" }));
    stdin?.write(initialize);
    expect(await answerTo(server, 1)).toMatchObject({ result: { serverInfo: { name: "oldhand" } } });
    stdin?.write(line({ method: "notifications/initialized" }));
    stdin?.write(line({ id: 2, method: "future/method", params: {} }));
    expect((await answerTo(server, 2)).error?.code).toBe(-32601);
    stdin?.write(line({ id: 3, method: "tools/list", params: {} }));
    expect((await answerTo(server, 3)).result?.["tools"]).toBeInstanceOf(Array);
    stdin?.end();
    const ran = await server.ended;
    expect(ran.code).toBe(0);
    // Only messages on stdout: one stray line would break the client.
    for (const each of ran.stdout.trimEnd().split("\n")) expect(JSON.parse(each)).toHaveProperty("jsonrpc", "2.0");
  });

  it.each(stores)("ends when its client closes stdin, at once or after work: $name", async (kind) => {
    const { database, remove } = await kind.migrated();
    const env = { OLDHAND_DATABASE: database };
    const idle = place.start(["mcp"], { env });
    idle.child.stdin?.end();
    expect((await idle.ended).code).toBe(0);
    const { client, pid, close } = await connected(env);
    await client.callTool({ name: "report", arguments: {} });
    await close();
    await untilGone(pid);
    expect(isRunning(pid)).toBe(false);
    await remove();
  });

  it("ends with a parent that is killed without warning", async () => {
    const pidFile = join(place.dir, "pid");
    const parent = spawn(
      process.execPath,
      [
        "-e",
        `const child = require("node:child_process").spawn(process.execPath, [${JSON.stringify(program)}, "mcp"], { stdio: ["pipe", "pipe", "ignore"] });
         child.stdout.once("data", () => require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(child.pid)));
         child.stdin.write(${JSON.stringify(initialize)});
         setInterval(() => {}, 1000);`,
      ],
      { env: { ...cleanEnv(place.user), OLDHAND_HOME: place.home }, stdio: "ignore" },
    );
    const read = () => {
      try {
        return Number(readFileSync(pidFile, "utf8"));
      } catch {
        return 0;
      }
    };
    for (let i = 0; i < 500 && read() === 0; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    const pid = read();
    expect(isRunning(pid)).toBe(true);
    parent.kill("SIGKILL");
    await untilGone(pid);
    expect(isRunning(pid)).toBe(false);
  });

  it("ends on SIGTERM", async () => {
    const server = place.start(["mcp"]);
    server.child.stdin?.write(initialize);
    await server.line(/serverInfo/);
    server.child.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
  });
});

describe("a client that errs", () => {
  /** Replies by id, in the order of arrival. */
  const talking = () => {
    const { child, ended, line } = place.start(["mcp"]);
    const say = (text: string) => child.stdin?.write(`${text}\n`);
    const ask = (id: number, method: string, params: object = {}) =>
      say(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } });
    return { child, ended, line, say, ask };
  };

  it("with a line that is not JSON is told so, and goes on", async () => {
    const { child, ended, line, say, ask } = talking();
    await line(/"id":1/);
    say("{not json");
    await line(/"id":null,"error":\{"code":-32700,/);
    ask(2, "tools/list");
    await line(/"id":2\b/);
    child.stdin?.end();
    expect((await ended).code).toBe(0);
  });

  it("with a line of 12 MB is told so by its id, and goes on", async () => {
    const { child, ended, line, say, ask } = talking();
    await line(/"id":1/);
    const text = "x".repeat(12_000_000);
    say(
      JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "recall", arguments: { text } } }),
    );
    await line(/"id":7,"error":\{"code":-32700,"message":"Parse error: the line is longer/);
    say(
      JSON.stringify({
        method: "tools/call",
        params: { name: "recall", arguments: { text } },
        jsonrpc: "2.0",
        id: "8",
      }),
    );
    await line(/"id":"8","error":\{"code":-32700,/);
    ask(9, "tools/list");
    await line(/"id":9\b/);
    child.stdin?.end();
    expect((await ended).code).toBe(0);
  });
});

describe("a server whose host is dead", () => {
  it.each([["mcp"], ["hook", "opencode", "--stream"]])(
    "ends though somebody else holds its stdin open: %s",
    async (...words) => {
      const pipe = join(place.dir, "pipe");
      execFileSync("mkfifo", [pipe]);
      // We hold it open for reading and writing, so that it never ends.
      const held = openSync(pipe, "r+");
      const script = `
        const { spawn } = require("node:child_process");
        const { openSync } = require("node:fs");
        const stdin = openSync(${JSON.stringify(pipe)}, "r+");
        const server = spawn(process.execPath, ${JSON.stringify([program, ...words])}, { stdio: [stdin, "ignore", "ignore"], detached: true });
        process.stdout.write(server.pid + "\\n");
        setInterval(() => {}, 1000);`;
      const host = spawn(process.execPath, ["-e", script], {
        env: { ...cleanEnv(place.user), OLDHAND_HOME: place.home },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const pid = Number(
        await new Promise<string>((resolve) => host.stdout.once("data", (chunk) => resolve(String(chunk)))),
      );
      // Started and waiting for its first line.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(isRunning(pid)).toBe(true);
      host.kill("SIGKILL");
      for (let i = 0; i < 6 && isRunning(pid); i++) await untilGone(pid);
      const left = isRunning(pid);
      if (left) process.kill(pid, "SIGKILL");
      closeSync(held);
      expect(left).toBe(false);
    },
  );
});
