import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Context } from "../../context.ts";
import { OldhandError } from "../../lib/errors.ts";
import { homePaths } from "../../mind.ts";
import { startRefreshThread, type RefreshThread } from "../../distil/maintenance/start-refresh-thread.ts";
import { embedInBackground } from "../../search/embed-in-background.ts";
import { newHttpApp } from "./app.ts";
import { loadAssets } from "./assets.ts";

export interface RunningServer {
  /** Includes the token in the fragment, which a browser never sends. */
  readonly address: string;
  readonly port: number;
  readonly token: string;
  close(): Promise<void>;
}

export async function startServer(mind: Context, options: { readonly port: number }): Promise<RunningServer> {
  const token = readOrMakeToken(mind.config.home);
  const listeners = new Set<() => void>();
  let upkeep: RefreshThread | null = null;
  const watch = await mind.store.watch(() => {
    upkeep?.changed();
    for (const notify of listeners) notify();
  });
  const app = newHttpApp({
    mind,
    token,
    assets: loadAssets(),
    onChange: (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
  });
  const { server, port } = await listenOn(app.fetch, options.port).catch(async (error: unknown) => {
    // Its connection would keep the process alive.
    await watch.close();
    throw error;
  });
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const embedding = embedInBackground(mind, say);
  upkeep = startRefreshThread(mind, say);
  return {
    address: `http://127.0.0.1:${port}/#token=${token}`,
    port,
    token,
    close: async () => {
      await Promise.all([embedding.stop(), upkeep?.stop()]);
      await watch.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      });
    },
  };
}

function listenOn(
  fetch: (request: globalThis.Request) => Response | Promise<Response>,
  port: number,
): Promise<{ server: ReturnType<typeof serve>; port: number }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname: "127.0.0.1" }, (info: AddressInfo) =>
      resolve({ server, port: info.port }),
    );
    server.once("error", (cause: NodeJS.ErrnoException) => {
      reject(
        cause.code === "EADDRINUSE"
          ? new OldhandError("conflict", `port ${port} is in use`, { hint: "--port 0 picks a free one", cause })
          : cause,
      );
    });
  });
}

/** One token for each home, so that an open dashboard survives a restart. */
function readOrMakeToken(home: string): string {
  const file = homePaths(home).token;
  if (existsSync(file)) {
    const kept = readFileSync(file, "utf8").trim();
    if (/^[\w-]{32,}$/.test(kept)) return kept;
  }
  const token = randomBytes(24).toString("base64url");
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
