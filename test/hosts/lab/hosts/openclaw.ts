import { randomUUID } from "node:crypto";
import { type Drive, npmClient, onNewerNode } from "../client.ts";
import type { DrivenHost } from "../driven.ts";

const drive: Drive = {
  program: "openclaw",
  model: "openai",
  words: (prompt) => ["agent", "--local", "--session-id", randomUUID(), ...(prompt === null ? [] : ["-m", prompt])],
  env: () => ({ MODEL_URL: "{model}" }),
};

/** One turn in a separate process without its gateway: the same agent and the same plugins. */
export const openclaw: DrivenHost = {
  name: "openclaw",
  client: onNewerNode(npmClient({ folder: "openclaw", package: "openclaw", version: "2026.9.6" }, drive), 24),
  prepare: (lab) => lab.write(settings(lab.project), ".openclaw", "openclaw.json"),
  shell: (command) => ({ tool: "exec", input: { command } }),
  // OpenClaw finds MCP tools through one of its own tools.
  tool: () => null,
};

function settings(workspace: string): string {
  const model = { id: "scripted", name: "scripted", contextWindow: 200_000, maxTokens: 8_192 };
  // OpenClaw replaces it by the environment variable.
  const fake = { baseUrl: "${MODEL_URL}", apiKey: "fake-key-not-real", api: "openai-completions", models: [model] };
  const defaults = { workspace, skipBootstrap: true, model: { primary: "fake/scripted" } };
  return `${JSON.stringify({ agents: { defaults }, models: { providers: { fake } } }, null, 2)}\n`;
}
