import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runCli } from "../../../src/entrypoints/cli/main.ts";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import { fakeOpenAi } from "../../../src/testing/fake-openai.ts";
import type { Script, ScriptedServer } from "../../../src/testing/scripted-server.ts";
import { CLAUDE, GPT } from "./lab.ts";

interface Typed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What was printed, one entry for each write. */
  readonly writes: readonly string[];
}

interface Shell {
  readonly claude: ScriptedServer;
  readonly gpt: ScriptedServer;
  type(words: readonly string[], where?: { readonly isTerminal: boolean }): Promise<Typed>;
}

/** The command line with two providers on loopback. */
async function withShell(
  scripts: { readonly claude?: Script; readonly gpt?: Script },
  act: (shell: Shell) => Promise<void>,
): Promise<void> {
  const answer: Script = (_request, at) => ({ text: `answer ${at + 1}` });
  const claude = await fakeAnthropic(scripts.claude ?? answer, { everyRequest: true });
  const gpt = await fakeOpenAi(scripts.gpt ?? answer, { everyRequest: true });
  const dir = mkdtempSync(join(tmpdir(), "oldhand-shell-"));
  const home = join(dir, "mind");
  mkdirSync(home);
  const models = { use: [CLAUDE, GPT], exploreShare: 0, retryMs: 1, retries: 1 };
  writeFileSync(join(home, "config.json"), JSON.stringify({ embedder: "none", models }));
  vi.stubEnv("ANTHROPIC_BASE_URL", claude.url);
  vi.stubEnv("ANTHROPIC_API_KEY", "plain-first-key-4711");
  vi.stubEnv("OPENAI_BASE_URL", gpt.url);
  vi.stubEnv("OPENAI_API_KEY", "plain-second-key-4712");
  try {
    await act({
      claude,
      gpt,
      type: async (words, { isTerminal } = { isTerminal: false }) => {
        const writes: string[] = [];
        let err = "";
        const streams = {
          isTerminal,
          out: (text: string) => void writes.push(text),
          err: (text: string) => void (err += text),
        };
        const code = await runCli([...words, "--home", home, "--for-owner"], streams);
        return { code, out: writes.join(""), err, writes };
      },
    });
  } finally {
    await Promise.all([claude.close(), gpt.close()]);
    rmSync(dir, { recursive: true, force: true });
  }
}

afterEach(() => vi.unstubAllEnvs());

/** Breaks after the first words of every answer. */
const breaking: Script = () => ({ text: "A long answer that breaks.", pieces: 8, fault: { kind: "reset", after: 5 } });
const TO_CLAUDE = ["--preferred-provider", "anthropic"];

describe("agents complete on the command line", () => {
  it("heals a stream that breaks, because it has printed nothing yet", async () => {
    await withShell({ claude: breaking, gpt: [{ text: "whole" }, { text: "whole again" }] }, async ({ type }) => {
      const plain = await type(["agents", "complete", "bob", "hello", ...TO_CLAUDE]);
      expect(plain.err).toBe("");
      expect(plain.out).toMatch(/^whole\n\nopenai\/gpt-5, .*healed/);
      const json = await type(["agents", "complete", "bob", "hello again", ...TO_CLAUDE, "--json"]);
      expect(JSON.parse(json.out)).toMatchObject({ response: "whole again", healed: true });
    });
  });

  it("heals a refusal and a call of an unknown tool after the model has sent text", async () => {
    const wrong: Script = (_request, at) =>
      at === 0
        ? { text: "I would rather", stop: "refusal" }
        : { text: "Let me see", calls: [{ tool: "read", input: {}, raw: "{" }] };
    await withShell({ claude: wrong }, async ({ type }) => {
      for (const text of ["one", "two"])
        expect(await type(["agents", "complete", "bob", text, ...TO_CLAUDE])).toMatchObject({ code: 0, err: "" });
    });
  });

  it("prints the pieces on a terminal as they come, then what it cost", async () => {
    await withShell({ claude: [{ text: "One two three four", pieces: 4 }] }, async ({ type }) => {
      const typed = await type(["agents", "complete", "bob", "hello", ...TO_CLAUDE], { isTerminal: true });
      expect(typed.out).toMatch(/^One two three four\n\nanthropic\/claude-sonnet-4-5, \$.*, call mc_.*\n$/);
      expect(typed.writes.length).toBeGreaterThan(3);
    });
  });

  it("does not start over on a terminal after the first printed piece, unless that is allowed", async () => {
    await withShell({ claude: breaking, gpt: [{ text: "whole" }] }, async ({ type }) => {
      const once = await type(["agents", "complete", "bob", "hello", ...TO_CLAUDE], { isTerminal: true });
      expect(once.code).not.toBe(0);
      expect(once.out).toMatch(/^A long.*\n$/);
      expect(once.err).toContain("no model answered");
      const again = await type(["agents", "complete", "bob", "hello", ...TO_CLAUDE, "--may-restart"], {
        isTerminal: true,
      });
      expect(again.code).toBe(0);
      expect(again.out).toMatch(/A long.*\n\(.* broke off .*; openai\/gpt-5 starts over\)\nwhole\n\nopenai\/gpt-5/s);
    });
  });

  it("has a cache that can be turned off", async () => {
    await withShell({}, async ({ type, claude, gpt }) => {
      const ways = [
        ["--no-cache"],
        ["--cache=false"],
        ["--cache", "false"],
        ["--no-cache=true"],
        ["--cache", "--no-cache"],
      ];
      await type(["agents", "complete", "bob", "a question"]);
      expect((await type(["agents", "complete", "bob", "a question", "--cache", "true"])).out).toContain(
        "from the cache",
      );
      for (const way of ways)
        expect((await type(["agents", "complete", "bob", "a question", ...way])).out).not.toContain("from the cache");
      const sent = JSON.stringify([...claude.requests, ...gpt.requests].map(({ body }) => body));
      expect(sent).not.toMatch(/a question (?:true|false)/);
      expect(claude.requests).toHaveLength(6);
      expect(await type(["agents", "complete", "bob", "hello", "--cache=maybe"])).toMatchObject({
        code: 2,
        err: expect.stringContaining('--cache is true or false, not "maybe"'),
      });
      expect((await type(["agents", "complete", "--help"])).out).toContain("--[no-]cache");
    });
  });

  it("goes to the model that is pinned, and to another one only if that is allowed", async () => {
    const failing: Script = () => ({ error: { status: 500, type: "api_error", message: "no" } });
    await withShell({ gpt: failing }, async ({ type, claude }) => {
      const alone = await type(["agents", "complete", "bob", "hello", "--model", GPT]);
      expect(alone.err).toMatch(/no model answered. openai\/gpt-5: [^/]*$/m);
      expect(claude.requests).toHaveLength(0);
      const others = await type(["agents", "complete", "bob", "hello", "--model", GPT, "--fallback"]);
      expect(others.out).toContain("anthropic/claude-sonnet-4-5, ");
      expect((await type(["models", "route", "triage", "--model", GPT])).out).toBe(
        `openai/gpt-5 for simple triage tasks\nThe caller asked for openai/gpt-5.\n`,
      );
      expect((await type(["models", "route", "--model", GPT, "--fallback"])).out).toContain(
        "After a failure: anthropic",
      );
      expect((await type(["agents", "complete", "bob", "hello", "--model", "gpt-5"])).err).toContain("is not a model");
      expect((await type(["agents", "complete", "bob", "hello", "--fallback"])).err).toContain(
        "fallback needs a model",
      );
    });
  });
});
