import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { spawn as spawnInPty } from "@lydell/node-pty";
import { packageRoot } from "../src/lib/package-root.ts";

/** A program in a pseudo-terminal. */
export interface Terminal {
  readonly pid: number;
  readonly began: number;
  write(keys: string): void;
  /** When the text was first written after the call, in milliseconds since `performance.timeOrigin`. */
  seen(text: string): Promise<number>;
  /** All that was written. */
  text(): string;
  readonly ended: Promise<number>;
  kill(): void;
}

type Spawn = typeof spawnInPty;

export interface ChatHome {
  readonly home: string;
  readonly shop: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A home with a model that may be called, at this address. */
export function newChatHome(dir: string, url: string): ChatHome {
  const [home, shop] = [join(dir, "mind"), join(dir, "shop")];
  mkdirSync(home, { recursive: true });
  mkdirSync(join(shop, ".git"), { recursive: true });
  const models = { use: ["anthropic/claude-sonnet-4-5"], exploreShare: 0, retryMs: 1, retries: 0 };
  writeFileSync(join(home, "config.json"), JSON.stringify({ embedder: "none", models }));
  const model = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "plain-first-key-4711" };
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, OLDHAND_HOME: home, TERM: "xterm-256color", ...model };
  return { home, shop, env };
}

export const program = join(packageRoot(), "dist", "oldhand.cjs");

/** The development package is needed for benchmarks and tests only. */
export async function loadSpawn(): Promise<Spawn> {
  return (await import("@lydell/node-pty")).spawn;
}

export function openTerminal(spawn: Spawn, args: readonly string[], { shop, env }: ChatHome): Terminal {
  const began = performance.now();
  const child = spawn(process.execPath, [...args], { cols: 100, rows: 40, cwd: shop, env: { ...env } });
  let text = "";
  const waiting = new Set<() => void>();
  child.onData((data) => {
    text += data;
    // As a terminal answers what it is asked for, so that the program does not wait.
    if (data.includes("\x1b[c")) child.write("\x1b[?62;22c");
    for (const look of waiting) look();
  });
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    pid: child.pid,
    began,
    write: (keys) => child.write(keys),
    seen: (wanted) => {
      const from = text.length;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`never written: ${wanted}\n${text.slice(-2_000)}`));
        }, PATIENCE_MS);
        const look = () => {
          if (!text.slice(from).includes(wanted)) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(performance.now());
        };
        waiting.add(look);
        look();
      });
    },
    text: () => text,
    ended,
    kill: () => child.kill("SIGKILL"),
  };
}

const PATIENCE_MS = 30_000;

/** A model on this machine that answers each request with the next number. */
export async function startModel(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { fakeAnthropic } = (await import("oldhand/testing" as string)) as {
    fakeAnthropic(
      script: () => { readonly text: string },
      options: { readonly everyRequest: boolean },
    ): Promise<{ readonly url: string; close(): Promise<void> }>;
  };
  let turn = 0;
  const answer = () => ({ text: `Answer ${++turn}. ${"It is as it is. ".repeat(20)}end${turn}end` });
  return fakeAnthropic(answer, { everyRequest: true });
}
