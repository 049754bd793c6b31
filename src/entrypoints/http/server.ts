import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { loadConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { OldhandError } from "../../lib/errors.ts";
import { homePaths } from "../../mind.ts";
import { newPricesOf } from "../../models/prices/open-prices-of.ts";
import { openPassThrough, type PassThrough } from "../../models/pass-through/pass-through.ts";
import { startRefreshThread, type RefreshThread } from "../../distil/maintenance/start-refresh-thread.ts";
import { embedInBackground } from "../../search/embed-in-background.ts";
import { newHttpApp } from "./app.ts";
import { loadAssets } from "./assets.ts";
import { newOpenChats } from "./open-chats.ts";
import { answerModelRequest, isModelPath } from "./model-requests.ts";

export interface RunningServer {
  /** Includes the token in the fragment, which a browser never sends. */
  readonly address: string;
  readonly port: number;
  readonly token: string;
  /** Opens the model APIs only: for agents, which must not act as the owner. */
  readonly modelToken: string;
  close(): Promise<void>;
}

export async function startServer(mind: Context, options: { readonly port: number }): Promise<RunningServer> {
  const { home, providers } = mind.config;
  const paths = homePaths(home);
  const [token, modelToken] = [readOrMakeToken(paths.token), readOrMakeToken(paths.modelToken)];
  const listeners = new Set<() => void>();
  let upkeep: RefreshThread | null = null;
  const watch = await mind.store.watch(() => {
    upkeep?.changed();
    for (const notify of listeners) notify();
  });
  const chats = newOpenChats(mind);
  const app = newHttpApp({
    mind,
    chats,
    token,
    assets: loadAssets(),
    onChange: (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
  });
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const own = { port: 0, tokens: [token, modelToken], id: randomUUID() };
  const passThrough = openPassThrough({
    ...{ db: mind.db, clock: mind.clock },
    config: () => mind.config,
    prices: newPricesOf(() => mind.config),
    own: () => own,
    isOff: () => loadConfig({ home, env: providers.env }).off.everywhere,
    say,
  });
  const { server, port } = await listenOn(newServer(app.fetch, passThrough, own.tokens), options.port).catch(
    async (error: unknown) => {
      // Its connection would keep the process alive.
      await watch.close();
      throw error;
    },
  );
  own.port = port;
  const embedding = embedInBackground(mind, say);
  upkeep = startRefreshThread(mind, say);
  return {
    address: `http://127.0.0.1:${port}/#token=${token}`,
    port,
    token,
    modelToken,
    close: async () => {
      await Promise.all([embedding.stop(), upkeep?.stop(), chats.close()]);
      await watch.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await passThrough.close();
    },
  };
}

/** Longer than agents usually pause between two calls: a connection that closes just then would fail the next one. */
const KEEP_ALIVE_MS = 120_000;

function newServer(
  fetch: (request: globalThis.Request) => Response | Promise<Response>,
  passThrough: PassThrough,
  tokens: readonly string[],
): Server {
  const answerOther = getRequestListener(fetch, { hostname: "127.0.0.1" });
  const server = createServer((request, response) => {
    if (isModelPath(request.url)) void answerModelRequest(passThrough, tokens, request, response);
    else void answerOther(request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

function listenOn(server: Server, port: number): Promise<{ server: Server; port: number }> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      reject(
        cause.code === "EADDRINUSE"
          ? new OldhandError("conflict", `port ${port} is in use`, { hint: "--port 0 picks a free one", cause })
          : cause,
      );
    });
    server.listen(port, "127.0.0.1", () => resolve({ server, port: (server.address() as AddressInfo).port }));
  });
}

/** A token stays the same, so that an open dashboard and a configured client survive a restart. */
function readOrMakeToken(file: string): string {
  if (existsSync(file)) {
    const kept = readFileSync(file, "utf8").trim();
    if (/^[\w-]{32,}$/.test(kept)) return kept;
  }
  const token = randomBytes(24).toString("base64url");
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
