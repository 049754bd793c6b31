import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { packageRoot } from "../src/lib/package-root.ts";
import type { FilledMind } from "./dashboard-minds.ts";

const program = join(packageRoot(), "dist", "oldhand.cjs");

/** A running `oldhand serve`. */
export interface BenchServer {
  readonly origin: string;
  readonly address: string;
  readonly token: string;
  /** When its process was started, on the clock of `performance.now()`. */
  readonly begun: number;
  /** Returns the milliseconds from Ctrl-C to the end of the process. */
  stop(): Promise<number>;
}

export async function startBenchServer(mind: Pick<FilledMind, "env">): Promise<BenchServer> {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, "serve", "--port", "0", "--json"], {
    env: { PATH: process.env["PATH"] ?? "", ...mind.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const address = await readAddress(child);
  const [origin = "", token = ""] = address.split("/#token=");
  return {
    origin,
    address,
    token,
    begun,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return 0;
      const requestedAt = performance.now();
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.kill("SIGINT");
      await ended;
      return performance.now() - requestedAt;
    },
  };
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
      if (output.includes("\n")) resolve((JSON.parse(output) as { readonly address: string }).address);
    });
    child.once("exit", (code) => reject(new Error(`oldhand serve ended with ${code}`)));
  });
}

/** The milliseconds that one command takes from start to end. */
export function measureCommandMs(mind: FilledMind, args: readonly string[]): number {
  return timeProcess([program, ...args], mind.env);
}

export function measureBareNodeMs(mind: FilledMind): number {
  return timeProcess(["-e", "0"], mind.env);
}

function timeProcess(args: readonly string[], env: Readonly<Record<string, string>>): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env: { PATH: process.env["PATH"] ?? "", ...env } });
  // Exit code 1 means a negative result, not an error.
  if (status !== 0 && status !== 1) throw new Error(`${args.join(" ")} ended with ${status}: ${String(stderr)}`);
  return performance.now() - begun;
}

/** Milliseconds until the page shows its heading and nothing on it is still loading. */
export async function measurePageMs(page: Page, url: string): Promise<number> {
  const begun = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(
    "document.querySelector('h1') !== null && document.querySelector('main [aria-busy=\"true\"]') === null",
    undefined,
    { polling: "raf", timeout: TIMEOUT_MS },
  );
  return performance.now() - begun;
}

const TIMEOUT_MS = 120_000;

export async function measureResponseMs(served: BenchServer, operation: string, input: unknown): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${served.origin}/api/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${served.token}`, "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  await response.text();
  if (!response.ok) throw new Error(`${operation} answered ${response.status}`);
  return performance.now() - begun;
}
