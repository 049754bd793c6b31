import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMind, type Mind } from "../index.ts";
import { type Clock, fixedClock } from "../lib/clock.ts";

export { fixedClock, type Clock } from "../lib/clock.ts";
export { fakeAnthropic, type FakeAnthropic } from "./fake-anthropic.ts";
export { fakeEmbedder, type FakeEmbedder } from "./fake-embedder.ts";
export { fakeGemini, type FakeGemini } from "./fake-gemini.ts";
export { fakeOpenAi, type FakeOpenAi } from "./fake-openai.ts";
export { fakeOllama, type FakeOllama } from "./fake-ollama.ts";
export type { ModelRequest, Script, ScriptedServer, ScriptOptions } from "./scripted-server.ts";
export type { ScriptedCall, ScriptedError, ScriptedFault, ScriptedTurn, ScriptedUsage } from "./scripted-server.ts";

/** A mind in a folder of its own, with a clock that you move. Closing it removes the folder. */
export async function temporaryMind(
  options: { readonly now?: string } = {},
): Promise<Mind & { readonly home: string; readonly clock: Clock & { advance(ms: number): void } }> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-"));
  const clock = fixedClock(Date.parse(options.now ?? "2026-01-01T00:00:00Z"));
  const mind = await openMind({ home, clock, env: {} });
  const close = async () => {
    await mind.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { ...mind, home, clock, close, [Symbol.asyncDispose]: close };
}
