import { request } from "node:http";
import type { Place, Started } from "../program.ts";

export interface Serving {
  readonly port: number;
  readonly token: string;
  readonly address: string;
  readonly started: Started;
  /** Sends a POST with a JSON body and the token. */
  call<T = Record<string, unknown>>(operation: string, input?: unknown): Promise<{ status: number; body: T }>;
  stop(): Promise<void>;
}

/** Starts a real `oldhand serve` on a free port. */
export async function serveFrom(place: Place, env: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const started = place.start(["serve", "--port", "0", "--json"], { env });
  const [line] = await started.line(/^\{.*\}$/m);
  const { address, port } = JSON.parse(line) as { address: string; port: number };
  const token = address.slice(address.indexOf("#token=") + 7);
  return {
    port,
    token,
    address,
    started,
    call: async <T>(operation: string, input: unknown = {}) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/${operation}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(input),
      });
      return { status: response.status, body: (await response.json()) as T };
    },
    stop: async () => {
      started.child.kill("SIGTERM");
      await started.ended;
    },
  };
}

export interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends a request exactly as given: no client normalises the path or the headers. */
export function raw(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      // Without an agent, so that a connection closed by the server is not reused.
      { agent: false, host: "127.0.0.1", port, path, method: options.method ?? "GET", headers: options.headers ?? {} },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(options.body);
  });
}
