import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OldhandError } from "../src/lib/errors.ts";

/** Of the Debian package `pgbouncer`; undefined if it is not installed. */
export const bouncerProgram = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find(runs);

function runs(path: string): boolean {
  try {
    execFileSync(path, ["--version"]);
    return true;
  } catch {
    return false;
  }
}

export interface Bouncer {
  readonly port: number;
  /** Of the server behind it, without a database: append `/name` to its path. */
  readonly address: string;
  stop(): Promise<void>;
}

/** In transaction mode, with fewer connections than clients. */
export async function startBouncer(address: string): Promise<Bouncer> {
  if (bouncerProgram === undefined)
    throw new OldhandError("unsupported", "pgbouncer is not installed", { hint: "apt-get install pgbouncer" });
  const dir = mkdtempSync(join(tmpdir(), "oldhand-pgbouncer-"));
  chmodSync(dir, 0o777);
  const port = await freePort();
  const server = new URL(address);
  const config = join(dir, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
  );
  // pgbouncer refuses to run as root.
  const args = process.getuid?.() === 0 ? ["-u", "nobody", config] : [config];
  const child = spawn(bouncerProgram, args, { stdio: "ignore" });
  await listening(child, port);
  return {
    port,
    address: `${address.replace(/:\d+$/, `:${port}`)}?pooler=transaction`,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const there = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (there) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`pgbouncer ended with ${child.exitCode}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
