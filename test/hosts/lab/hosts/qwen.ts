import { type Drive, npmClient, onNewerNode } from "../client.ts";
import type { DrivenHost } from "../driven.ts";

const drive: Drive = {
  program: "qwen",
  model: "openai",
  words: (prompt) => ["--approval-mode", "yolo", ...(prompt === null ? [] : ["-p", prompt])],
  env: () => ({
    OPENAI_BASE_URL: "{model}",
    OPENAI_API_KEY: "fake-key-not-real",
    OPENAI_MODEL: "scripted",
    QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
  }),
};

/** With a user's formatting: uninstalling must restore every space. Without `$version`, Qwen Code rewrites the file. */
export const qwenSettings = `{
    "$version": 4, "security": { "auth": { "selectedType": "openai" } },
  "general": { "enableAutoUpdate": false },
  "privacy": { "usageStatisticsEnabled": false },
  "permissions": { "deny": ["Bash(shred *)"] }
}`;

export const qwen: DrivenHost = {
  name: "qwen",
  client: onNewerNode(npmClient({ folder: "qwen", package: "@qwen-code/qwen-code", version: "0.24.4" }, drive), 22),
  prepare: (lab) => lab.write(qwenSettings, ".qwen", "settings.json"),
  shell: (command) => ({
    tool: "run_shell_command",
    input: { command, description: "as asked", is_background: false },
  }),
  tool: (name, input) => ({ tool: `mcp__oldhand__${name}`, input }),
  again: (session, prompt) => ({ prompt, flags: ["--resume", session] }),
};
