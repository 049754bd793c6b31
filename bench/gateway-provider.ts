import { spawn } from "node:child_process";
import { once } from "node:events";

/** The Messages API on loopback, in a process of its own, so that it takes no time from what is measured. */
export interface LoopbackProvider {
  readonly url: string;
  stop(): void;
}

/** It answers each request with a stream of so many numbered pieces; the request's last word may say how many. */
export async function startLoopbackProvider(): Promise<LoopbackProvider> {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { url: `http://127.0.0.1:${said.toString().trim()}`, stop: () => void child.kill() };
}

/** What it answers to a request for so many pieces. */
export function expectedText(pieces: number): string {
  return Array.from({ length: pieces }, (_, at) => `<${at}>`)
    .join(" ")
    .concat(" ");
}

const PROGRAM = String.raw`
const http = require("node:http");
const event = (type, fields) => "event: " + type + "\ndata: " + JSON.stringify({ type, ...fields }) + "\n\n";
http.createServer({ keepAliveTimeout: 120000 }, (request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => { body += chunk; });
  request.on("end", () => {
    const pieces = Number(/pieces=(\d+)/.exec(body)?.[1] ?? 20);
    const pause = Number(/pause=(\d+)/.exec(body)?.[1] ?? 0);
    const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 100, output_tokens: 1 } };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event("message_start", { message }) + event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
    let at = 0;
    const next = () => {
      for (; at < pieces; at++) {
        response.write(event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "<" + at + "> " } }));
        if (pause > 0) { at++; setTimeout(next, pause); return; }
      }
      response.write(event("content_block_stop", { index: 0 }));
      response.write(event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: pieces } }));
      response.end(event("message_stop", {}));
    };
    next();
  });
}).listen(0, "127.0.0.1", function () { process.stdout.write(String(this.address().port)); });
`;
