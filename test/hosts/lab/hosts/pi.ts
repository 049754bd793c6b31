import { type Client, type Drive, npmClient, onNewerNode } from "../client.ts";
import type { DrivenHost } from "../driven.ts";

const drive: Drive = {
  program: "pi",
  model: "openai",
  words: (prompt) => ["--provider", "fake", "--model", "scripted", ...(prompt === null ? [] : ["-p", prompt])],
  env: () => ({ MODEL_URL: "{model}", PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" }),
};

export const pi: DrivenHost = {
  name: "pi",
  client: withModels(
    onNewerNode(npmClient({ folder: "pi", package: "@earendil-works/pi-coding-agent", version: "0.87.1" }, drive), 23),
  ),
  prepare: (lab) => lab.write("{}", ".pi", "agent", "settings.json"),
  shell: (command) => ({ tool: "bash", input: { command } }),
  tool: () => null,
  again: (session, prompt) => ({ prompt, flags: ["--session", session] }),
};

/** pi reads the model's address only from a file, and it is known only when the scripted model listens. */
function withModels(client: Client): Client {
  if (client.kind === "absent") return client;
  const models = {
    fake: { baseUrl: "%s", api: "openai-completions", apiKey: "fake-key-not-real", models: [{ id: "scripted" }] },
  };
  const file = '"$HOME/.pi/agent/models.json"';
  const write = `printf '${JSON.stringify({ providers: models })}' "$MODEL_URL" > ${file}; exec "$0" "$@"`;
  return { ...client, command: ["sh", "-c", write, ...client.command] };
}
