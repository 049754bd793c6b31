import { type Client, type Drive, npmClient } from "../client.ts";
import type { DrivenHost } from "../driven.ts";

const drive: Drive = {
  program: "droid",
  model: "openai",
  words: (prompt) => ["exec", "--auto", "high", "-m", "custom:Scripted-0", ...(prompt === null ? [] : [prompt])],
  env: () => ({
    MODEL_URL: "{model}",
    FACTORY_API_BASE_URL: "{model}",
    FACTORY_API_KEY: "fk-fake-not-real",
    FACTORY_DROID_AUTO_UPDATE_ENABLED: "false",
  }),
};

/** Droid reads the model's address only from its settings, not from the environment. */
export const droidSettings = JSON.stringify({
  cloudSessionSync: false,
  customModels: [
    {
      model: "scripted",
      displayName: "Scripted",
      baseUrl: "MODEL_URL",
      apiKey: "fake-key-not-real",
      provider: "generic-chat-completion-api",
      maxOutputTokens: 4096,
    },
  ],
});

export const droid: DrivenHost = {
  name: "droid",
  client: withAddress(npmClient({ folder: "droid", package: "droid", version: "0.215.0" }, drive)),
  prepare: (lab) => lab.write(droidSettings, ".factory", "settings.json"),
  shell: (command) => ({
    tool: "Execute",
    input: { command, summary: "x", riskLevel: "low", riskLevelReason: "x", timeout: 60 },
  }),
  tool: (name, input) => ({ tool: `oldhand___${name}`, input }),
  again: (session, prompt) => ({ prompt, flags: ["--session-id", session] }),
};

/** The model's address is known only when a session begins, and differs between sessions. */
function withAddress(client: Client): Client {
  if (client.kind === "absent") return client;
  const address = String.raw`s#"baseUrl":"[^"]*"#"baseUrl":"$MODEL_URL"#`;
  const put = `sed -i "${address.replaceAll('"', String.raw`\"`)}" "$HOME/.factory/settings.json"; exec "$0" "$@"`;
  return { ...client, command: ["sh", "-c", put, ...client.command] };
}
