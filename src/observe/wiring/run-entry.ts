import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { oneLine } from "../../lib/text.ts";
import { type HookEntry, fillToolInput } from "./entries.ts";

/** How running an entry ended. Whether an event arrived is checked in the store, not here. */
export type EntryRun = { readonly kind: "ran" } | { readonly kind: "failed"; readonly why: string };

export interface EntryRunOptions {
  /** The variables that a host's process would have; none of ours. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly patienceMs: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Passes a payload to an entry the way its host does. */
export function runEntry(
  options: EntryRunOptions,
  entry: HookEntry,
  host: string,
  payload: JsonObject,
): Promise<EntryRun> {
  switch (entry.kind) {
    case "command":
      return runProcess(options, { file: entry.command, args: [], shell: true, stdin: JSON.stringify(payload) });
    case "script": {
      const file = runners[extname(entry.path)] ?? "sh";
      return runProcess(options, { file, args: [entry.path], stdin: JSON.stringify(payload) });
    }
    case "plugin":
      // The same text that the host loads, plus one line that sends the payload.
      return runProcess(options, {
        file: process.execPath,
        args: ["--input-type=module", "-"],
        // Plugins that an earlier version wrote have `tell` instead of `request`.
        stdin: `${entry.text}\nawait (typeof request === "function" ? request : tell)(${JSON.stringify(payload)});\nhangUp();\n`,
      });
    case "server":
      return callServer(options, entry, host, payload);
  }
}

/** The program that runs a script, by its extension. */
const runners: Readonly<Record<string, string>> = {
  ".bash": "bash",
  ".zsh": "zsh",
  ".js": process.execPath,
  ".cjs": process.execPath,
};

interface ProcessCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly shell?: boolean;
  readonly stdin: string;
}

async function runProcess(options: EntryRunOptions, call: ProcessCall): Promise<EntryRun> {
  const started = startProcess(options, call);
  started.child.stdin?.end(call.stdin);
  const end = await started.ended;
  if (end.kind === "failed") return end;
  if (end.code !== 0) return failed(`it ended with exit code ${end.code}${quoteStderr(end.stderr)}`);
  return end.stderr.trim() === "" ? { kind: "ran" } : failed(`it printed an error${quoteStderr(end.stderr)}`);
}

/** Sends a client's handshake, then the one call. */
async function callServer(
  options: EntryRunOptions,
  server: Extract<HookEntry, { kind: "server" }>,
  host: string,
  payload: JsonObject,
): Promise<EntryRun> {
  const started = startProcess(options, { file: server.command, args: server.args });
  const stdin = started.child.stdin;
  const send = (message: object) => stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "self-test", version: "1" } };
  send({ id: 1, method: "initialize", params });
  const first: JsonObject = { ...(await Promise.race([started.reply(1), started.ended])) };
  if (!("result" in first)) return failed(`its server did not start${explainEnd(first)}`);
  send({ method: "notifications/initialized" });
  const input = server.inputs.find((one) => one["hook_event_name"] === payload["hook_event_name"]);
  const toolInput = input === undefined ? { ...payload, host } : fillToolInput(input, payload);
  send({ id: 2, method: "tools/call", params: { name: "hook", arguments: toolInput } });
  const second: JsonObject = { ...(await Promise.race([started.reply(2), started.ended])) };
  stdin?.end();
  await started.ended;
  const { result } = second;
  if (isRecord(result) && result["isError"] !== true) return { kind: "ran" };
  return failed(`its server did not reply to the hook${explainEnd(second)}`);
}

type ProcessEnd =
  | { readonly kind: "ended"; readonly code: number | null; readonly stderr: string }
  | { readonly kind: "failed"; readonly why: string };

function startProcess(
  options: EntryRunOptions,
  call: Omit<ProcessCall, "stdin">,
): {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessEnd>;
  reply(id: number): Promise<JsonObject>;
} {
  const child = spawn(call.file, call.args, {
    env: { ...options.env },
    cwd: options.cwd,
    shell: call.shell ?? false,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const replies = newRpcReplies();
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", replies.receive);
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  // If it ends without reading stdin, its exit code decides.
  child.stdin?.on("error", () => {});
  const ended = new Promise<ProcessEnd>((resolve) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve({ kind: "failed", why: `it did not end within ${options.patienceMs / 1_000} seconds` });
    }, options.patienceMs);
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve({ kind: "failed", why: `it could not be started: ${error.message}` });
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ kind: "ended", code, stderr });
    });
  });
  return { child, ended, reply: replies.to };
}

/** Matches JSON-RPC replies to their requests by id. */
function newRpcReplies() {
  const waiting = new Map<number, (reply: JsonObject) => void>();
  let rest = "";
  return {
    receive: (piece: string) => {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = tryParseJson(line);
        if (isRecord(message) && typeof message["id"] === "number") waiting.get(message["id"])?.(message);
      }
    },
    to: (id: number) => new Promise<JsonObject>((resolve) => waiting.set(id, resolve)),
  };
}

function failed(why: string): EntryRun {
  return { kind: "failed", why };
}

function explainEnd(end: JsonObject): string {
  if (typeof end["why"] === "string") return `: ${end["why"]}`;
  const { error, result, stderr, code } = end;
  if (isRecord(error)) return `: ${String(error["message"])}`;
  if (isRecord(result)) return `: ${oneLine(JSON.stringify(result["content"]), 200)}`;
  return `: it ended with exit code ${String(code)}${quoteStderr(String(stderr ?? ""))}`;
}

function quoteStderr(stderr: string): string {
  return stderr.trim() === "" ? "" : `, saying: ${oneLine(stderr.trim(), 200)}`;
}
