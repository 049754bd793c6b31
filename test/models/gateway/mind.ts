import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invoke } from "../../../src/invoke.ts";
import { fixedClock } from "../../../src/lib/clock.ts";
import { openContext, type OpenMind } from "../../../src/mind.ts";
import { operations } from "../../../src/operations.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeOllama } from "../../../src/testing/fake-ollama.ts";
import type { Script, ScriptedServer } from "../../../src/testing/scripted-server.ts";
import type { TestStore } from "../../stores.ts";
import { CLAUDE, KEYS, START } from "./lab.ts";

export const LLAMA = "ollama/llama3.2";

export interface ModelMind {
  readonly mind: OpenMind;
  readonly home: string;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly claude: ScriptedServer;
  readonly llama: ScriptedServer;
  /** Runs an operation of the owner. */
  run(name: string, input?: object): Promise<Readonly<Record<string, unknown>>>;
  /** What the operation prints. */
  print(name: string, input?: object): Promise<string>;
  /** Opens the mind again with other variables, or after its settings changed. */
  reopen(env?: Readonly<Record<string, string>>): Promise<void>;
}

export interface ModelMindOptions {
  readonly claude?: Script;
  readonly llama?: Script;
  readonly use?: readonly string[];
  readonly models?: Readonly<Record<string, unknown>>;
}

/** A mind with its operations, a paid provider, and a free one on this machine. */
export async function withModelMind(
  kind: TestStore,
  { claude: claudeScript = () => ({ text: "ok" }), llama: llamaScript, use = [CLAUDE], models = {} }: ModelMindOptions,
  act: (of: ModelMind) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "oldhand-models-"));
  const place = await kind.migrated();
  const claude = await fakeAnthropic(claudeScript, { everyRequest: true });
  const llama = await fakeOllama(llamaScript ?? (() => ({ text: "free" })), { everyRequest: true });
  const clock = fixedClock(START);
  writeFileSync(
    join(home, "config.json"),
    JSON.stringify({ embedder: "none", models: { use, exploreShare: 0, retryMs: 1, ...models } }),
  );
  const open = (more: Readonly<Record<string, string>>) =>
    openContext({
      home,
      database: place.database,
      clock,
      env: {
        ANTHROPIC_BASE_URL: claude.url,
        ANTHROPIC_API_KEY: KEYS.anthropic,
        OLLAMA_HOST: llama.url,
        ...more,
      },
    });
  let mind = await open({});
  const find = (name: string) => {
    const found = operations.find((one) => one.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };
  const run: ModelMind["run"] = async (name, input = {}) =>
    (await invoke(mind, find(name), input, name)) as Readonly<Record<string, unknown>>;
  try {
    await act({
      get mind() {
        return mind;
      },
      home,
      clock,
      claude,
      llama,
      run,
      print: async (name, input = {}) => find(name).render(await run(name, input), input),
      reopen: async (more = {}) => {
        await mind.close();
        mind = await open(more);
      },
    });
  } finally {
    await mind.close();
    await Promise.all([claude.close(), llama.close()]);
    await place.remove();
    rmSync(home, { recursive: true, force: true });
  }
}
