import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { isRecord, tryParse } from "../../lib/json.ts";
import { oneLine } from "../../lib/text.ts";
import { type Entry, filledIn } from "./entries.ts";

/** How a try of an entry ended. Whether an event arrived is asked of the store, not of the process. */
export type Tried = { readonly kind: "ran" } | { readonly kind: "failed"; readonly why: string };

export interface TryOptions {
  /** What a host's process would have; nothing of ours. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly patienceMs: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Hands a payload to an entry the way its host does. */
export function tryEntry(options: TryOptions, entry: Entry, host: string, payload: JsonObject): Promise<Tried> {
  switch (entry.kind) {
    case "command":
      return run(options, { file: entry.command, args: [], shell: true, stdin: JSON.stringify(payload) });
    case "script": {
      const file = runners[extname(entry.path)] ?? "sh";
      return run(options, { file, args: [entry.path], stdin: JSON.stringify(payload) });
    }
    case "plugin":
      // The very text that the host loads, with one more line that says what the host would make it say.
      return run(options, {
        file: process.execPath,
        args: ["--input-type=module", "-"],
        stdin: `${entry.text}\nawait tell(${JSON.stringify(payload)});\nhangUp();\n`,
      });
    case "server":
      return callServer(options, entry, host, payload);
  }
}

/** By the ending of a script, what its host runs it with. */
const runners: Readonly<Record<string, string>> = {
  ".bash": "bash",
  ".zsh": "zsh",
  ".js": process.execPath,
  ".cjs": process.execPath,
};

interface Call {
  readonly file: string;
  readonly args: readonly string[];
  readonly shell?: boolean;
  readonly stdin: string;
}

async function run(options: TryOptions, call: Call): Promise<Tried> {
  const started = start(options, call);
  started.child.stdin?.end(call.stdin);
  const end = await started.ended;
  if (end.kind === "failed") return end;
  if (end.code !== 0) return failed(`it ended with exit code ${end.code}${saying(end.stderr)}`);
  return end.stderr.trim() === "" ? { kind: "ran" } : failed(`it complained${saying(end.stderr)}`);
}

/** What a client says first, then the one call. */
async function callServer(
  options: TryOptions,
  server: Extract<Entry, { kind: "server" }>,
  host: string,
  payload: JsonObject,
): Promise<Tried> {
  const started = start(options, { file: server.command, args: server.args });
  const stdin = started.child.stdin;
  const say = (message: object) => stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "self-test", version: "1" } };
  say({ id: 1, method: "initialize", params });
  const first: JsonObject = { ...(await Promise.race([started.answer(1), started.ended])) };
  if (!("result" in first)) return failed(`its server did not start${whyOf(first)}`);
  say({ method: "notifications/initialized" });
  const input = server.inputs.find((one) => one["hook_event_name"] === payload["hook_event_name"]);
  const told = input === undefined ? { ...payload, host } : filledIn(input, payload);
  say({ id: 2, method: "tools/call", params: { name: "hook", arguments: told } });
  const second: JsonObject = { ...(await Promise.race([started.answer(2), started.ended])) };
  stdin?.end();
  await started.ended;
  const { result } = second;
  if (isRecord(result) && result["isError"] !== true) return { kind: "ran" };
  return failed(`its server did not answer the hook${whyOf(second)}`);
}

type End =
  | { readonly kind: "ended"; readonly code: number | null; readonly stderr: string }
  | { readonly kind: "failed"; readonly why: string };

function start(
  options: TryOptions,
  call: Omit<Call, "stdin">,
): {
  readonly child: ChildProcess;
  readonly ended: Promise<End>;
  answer(id: number): Promise<JsonObject>;
} {
  const child = spawn(call.file, call.args, {
    env: { ...options.env },
    cwd: options.cwd,
    shell: call.shell ?? false,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const answers = newAnswers();
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", answers.hear);
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  // One that ends without reading is judged by its end.
  child.stdin?.on("error", () => {});
  const ended = new Promise<End>((resolve) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve({ kind: "failed", why: `it had not ended after ${options.patienceMs / 1_000} seconds` });
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
  return { child, ended, answer: answers.to };
}

/** Lines of JSON-RPC, by the number of the question. */
function newAnswers() {
  const waiting = new Map<number, (answer: JsonObject) => void>();
  let rest = "";
  return {
    hear: (piece: string) => {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = tryParse(line);
        if (isRecord(message) && typeof message["id"] === "number") waiting.get(message["id"])?.(message);
      }
    },
    to: (id: number) => new Promise<JsonObject>((resolve) => waiting.set(id, resolve)),
  };
}

function failed(why: string): Tried {
  return { kind: "failed", why };
}

function whyOf(end: JsonObject): string {
  if (typeof end["why"] === "string") return `: ${end["why"]}`;
  const { error, result, stderr, code } = end;
  if (isRecord(error)) return `: ${String(error["message"])}`;
  if (isRecord(result)) return `: ${oneLine(JSON.stringify(result["content"]), 200)}`;
  return `: it ended with exit code ${String(code)}${saying(String(stderr ?? ""))}`;
}

function saying(stderr: string): string {
  return stderr.trim() === "" ? "" : `, saying: ${oneLine(stderr.trim(), 200)}`;
}
