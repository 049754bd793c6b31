import { type Drive, npmClient } from "../client.ts";
import type { DrivenHost } from "../driven.ts";

const drive: Drive = {
  program: "gemini",
  model: "gemini",
  words: (prompt) => ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", ...(prompt === null ? [] : ["-p", prompt])],
  env: () => ({
    GOOGLE_GEMINI_BASE_URL: "{model}",
    GEMINI_API_KEY: "fake-key-not-real",
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
};

/** With a user's formatting: uninstalling must restore every space. */
export const geminiSettings = `{
    "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "privacy": { "usageStatisticsEnabled": false },
  "hooks": { "AfterTool": [{ "hooks": [{ "type": "command", "command": "true" }] }] }
}`;

export const gemini: DrivenHost = {
  name: "gemini",
  client: npmClient({ folder: "gemini", package: "@google/gemini-cli", version: "0.61.0" }, drive),
  prepare: (lab) => lab.write(geminiSettings, ".gemini", "settings.json"),
  shell: (command) => ({ tool: "run_shell_command", input: { command, description: "as asked" } }),
  tool: (name, input) => ({ tool: `mcp_oldhand_${name}`, input }),
  again: (session, prompt) => ({ prompt, flags: ["--resume", session] }),
};
