import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pluginHooksFile } from "../../src/observe/hosts/claude-code/hook-key.ts";
import { hosts } from "../../src/observe/hosts/list.ts";
import type { BrokenHome } from "../../bench/faults.ts";
import { cleanEnv, program, type Ran } from "../program.ts";

/** One channel by which a host's events arrive: a process per event, a process per session, or a plugin's server. */
export interface Way {
  readonly name: string;
  readonly host: string;
  readonly words: readonly string[];
  /** The input for an event, and the check that the output says nothing. */
  stdin(payload: object): string;
  readonly silence: (stdout: string) => boolean;
}

const streaming = new Set(["opencode", "pi", "openclaw"]);

const setups = await Promise.all(hosts.map(async (host) => ({ host, setup: await host.setup() })));

/** Every verified host with hooks, by each of its channels. */
export const ways: readonly Way[] = [
  ...setups
    .filter(({ host, setup }) => host.verified && setup.probe !== undefined)
    .map(({ host: { name } }): Way => {
      const line = (payload: object) => `${JSON.stringify(payload)}\n`;
      if (streaming.has(name))
        return {
          name: `${name}, one process for the session`,
          host: name,
          words: ["hook", name, "--stream"],
          stdin: line,
          silence: (stdout) => stdout === "\n",
        };
      // Copilot's event is a prompt, with which other sessions may be reported.
      const isNews = (stdout: string) =>
        name === "copilot" && stdout.startsWith('{"additionalContext":"oldhand, other sessions');
      return {
        name,
        host: name,
        words: ["hook", name],
        stdin: line,
        silence: (stdout) => stdout === "" || isNews(stdout),
      };
    }),
  {
    name: "claude-code, the plugin's server",
    host: "claude-code",
    words: ["mcp"],
    stdin: (payload) =>
      [
        { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/call", params: { name: "hook", arguments: { ...payload, host: "claude-code" } } },
      ]
        .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
        .join(""),
    silence: (stdout) => stdout.includes('"id":2') && stdout.includes('"text":"{}"') && !stdout.includes("isError"),
  },
];

/** The plugin's hooks as written by 0.1.0, without a key: without this file the server accepts no hook. */
export function wirePlugin(home: string): void {
  const file = pluginHooksFile(home);
  const hook = { type: "mcp_tool", server: "plugin:oldhand:oldhand", tool: "hook", input: { host: "claude-code" } };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ hooks: { PostToolUse: [{ hooks: [hook] }] } }));
}

const clientInfo = { name: "test", version: "1" };

/** A successful call as the host reports it. */
export async function payloadOf(host: string, session: string): Promise<object> {
  const setup = await hosts.find((one) => one.name === host)?.setup();
  return (setup?.probe?.({ session, cwd: "/home/ada/shop" }) ?? {}) as object;
}

export interface HookCall {
  readonly home: string;
  readonly payload: object;
  readonly broken?: Pick<BrokenHome, "before" | "uid">;
  /** Kills the process after this many milliseconds. */
  readonly killAfterMs?: number;
}

/** Sends one event. A server's stdin is closed after its reply, like a client does. */
export function sendEvent(way: Way, { home, payload, broken, killAfterMs }: HookCall): Promise<Ran> {
  const [file = "", ...args] = [...(broken?.before ?? []), process.execPath, program, ...way.words];
  const child = spawn(file, args, {
    env: { ...cleanEnv(home), OLDHAND_HOME: home },
    cwd: "/",
    ...(broken?.uid === undefined ? {} : { uid: broken.uid, gid: broken.uid }),
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const begun = performance.now();
  const isServer = way.words[0] === "mcp";
  child.stdout.on("data", (piece: Buffer) => {
    out.push(piece);
    if (isServer && Buffer.concat(out).includes('"id":2')) child.stdin.end();
  });
  child.stderr.on("data", (piece: Buffer) => err.push(piece));
  // A killed process stops reading.
  child.stdin.on("error", () => {});
  child.stdin.write(way.stdin(payload));
  if (!isServer) child.stdin.end();
  if (killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({
        code,
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: Buffer.concat(err).toString("utf8"),
        ms: Math.round(performance.now() - begun),
      }),
    );
  });
}
