import { type Drive, npmClient } from "../client.ts";
import type { DrivenHost } from "../driven.ts";

const drive: Drive = {
  program: "copilot",
  model: "openai",
  words: (prompt) => [
    ...["--allow-all-tools", "--allow-all-paths", "--no-color", "--deny-tool", "shell(shred)"],
    ...(prompt === null ? [] : ["-p", prompt]),
  ],
  env: () => ({
    COPILOT_PROVIDER_BASE_URL: "{model}",
    COPILOT_PROVIDER_API_KEY: "fake-key-not-real",
    COPILOT_PROVIDER_WIRE_API: "completions",
    COPILOT_MODEL: "scripted",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  }),
};

export const copilot: DrivenHost = {
  name: "copilot",
  client: npmClient({ folder: "copilot", package: "@github/copilot", version: "1.0.102" }, drive),
  prepare: () => {},
  shell: (command) => ({ tool: "bash", input: { command, description: "as asked", mode: "sync" } }),
  tool: (name, input) => ({ tool: `oldhand-${name}`, input }),
  again: (session, prompt) => ({ prompt, flags: [`--resume=${session}`] }),
};
