import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeEmbedder {
  /** The base URL: append `/v1` for the OpenAI-compatible API, `/api` for Ollama's. */
  readonly url: string;
  /** The texts of each request, in order. */
  readonly requests: readonly {
    readonly path: string;
    readonly key: string | null;
    readonly texts: readonly string[];
  }[];
  /** Responds to every following request with this status; 200 restores normal responses. */
  respondWith(status: number): void;
  close(): Promise<void>;
}

/** An embedding server on loopback. Texts are similar if they share words, or words that `same` maps to each other. */
export async function fakeEmbedder(
  options: { readonly same?: Readonly<Record<string, string>>; readonly dims?: number } = {},
): Promise<FakeEmbedder> {
  const { same = {}, dims = 64 } = options;
  const requests: { path: string; key: string | null; texts: readonly string[] }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      const { input } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { readonly input: readonly string[] };
      requests.push({ path, key: request.headers.authorization ?? null, texts: input });
      const vectors = input.map((text) => vectorOf(text, same, dims));
      const body =
        path === "/api/embed"
          ? { embeddings: vectors }
          : { data: vectors.map((embedding, index) => ({ index, embedding })).toReversed() };
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(status === 200 ? body : { error: { message: "out of order" } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    respondWith: (next) => {
      status = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Texts with the same words point the same way. */
export function vectorOf(text: string, same: Readonly<Record<string, string>> = {}, dims = 64): number[] {
  const vector = Array.from({ length: dims }, () => 0.01);
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    let place = 7;
    for (const letter of same[word] ?? word) place = (place * 31 + (letter.codePointAt(0) ?? 0)) % dims;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
