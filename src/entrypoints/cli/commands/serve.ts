import { OldhandError } from "../../../lib/errors.ts";
import { openContext } from "../../../mind.ts";
import type { Store } from "../../../store/engine/db.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";

export const serveCommand: CliCommand = {
  name: "serve",
  summary: "Serves the HTTP API and the dashboard on loopback until stopped.",
  usage: "serve [--port N]",
  words: 0,
  flags: [
    newFlag(
      "port",
      "string",
      "port to use; 0 picks a free one (default: the setting serve.port, or a free port if it is in use)",
    ),
  ],
  run: async (_words, values, globals) => {
    const stop = new AbortController();
    const mind = await openContext({ home: globals.home, now: globals.now, signal: stop.signal });
    try {
      const running = await serveMind(mind, values["port"] as string | undefined);
      const stopped = waitUntilStopped();
      process.stdout.write(
        globals.json
          ? `${JSON.stringify({ address: running.address, port: running.port, modelToken: running.modelToken })}\n`
          : `Dashboard: ${running.address}\nModels:    http://127.0.0.1:${running.port} with the header x-oldhand-token: ${running.modelToken}\n`,
      );
      await Promise.race([stopped, waitUntilRefused(mind.store)]);
      stop.abort();
      await running.close();
      mind.store.refused?.throwIfAborted();
      return 0;
    } finally {
      await mind.close();
    }
  },
};

export async function serveMind(mind: Awaited<ReturnType<typeof openContext>>, port: string | undefined) {
  const { startServer } = await import("../../http/server.ts");
  const wanted = port === undefined ? mind.config.policy.serve.port : readPort(port);
  return startServer(mind, { port: wanted }).catch((error: unknown) => {
    // The port was not given explicitly, so any free one will do.
    if (port === undefined && error instanceof OldhandError && error.code === "conflict")
      return startServer(mind, { port: 0 });
    throw error;
  });
}

/** Whoever started this process gives the new one its address. */
function waitUntilRefused({ refused }: Pick<Store, "refused">): Promise<void> {
  return new Promise((resolve) => refused?.addEventListener("abort", () => resolve(), { once: true }));
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OldhandError("usage", `"${text}" is not a port`, { hint: "a number from 0 to 65535" });
  return port;
}

export function waitUntilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}
