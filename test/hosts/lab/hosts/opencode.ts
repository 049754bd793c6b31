import { copyFileSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Client, type Drive, npmPackage } from "../client.ts";
import type { DrivenHost } from "../driven.ts";

const version = "1.18.33";

const drive: Drive = {
  program: "opencode",
  model: "openai",
  words: (prompt) => (prompt === null ? [] : ["run", prompt]),
  env: () => ({
    MODEL_URL: "{model}",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  }),
};

export const opencodeSettings = `{
    "$schema": "https://opencode.ai/config.json", "autoupdate": false,
  "share": "disabled", "model": "fake/scripted", "small_model": "fake/scripted",
  "permission": { "*": "allow", "bash": { "*": "allow", "shred *": "deny" } },
  "provider": { "fake": {
    "npm": "@ai-sdk/openai-compatible", "name": "Fake",
    "options": { "baseURL": "{env:MODEL_URL}", "apiKey": "fake-key-not-real" },
    "models": { "scripted": { "name": "Scripted", "limit": { "context": 100000, "output": 4096 } } }
  } }
}`;

/** A package that opencode installs itself if there is a network. */
const kit = npmPackage({ folder: "ocplugin", package: "@opencode-ai/plugin", version });

export const opencode: DrivenHost = {
  name: "opencode",
  client: theBinary(),
  prepare: (lab) => {
    lab.write(opencodeSettings, ".config", "opencode", "opencode.json");
    const config = join(lab.home, ".config", "opencode");
    for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(kit ?? "", name), join(config, name));
    symlinkSync(join(kit ?? "", "node_modules"), join(config, "node_modules"));
  },
  shell: (command) => ({ tool: "bash", input: { command, description: "as asked" } }),
  tool: (name, input) => ({ tool: `oldhand_${name}`, input }),
  again: (session, prompt) => ({ prompt, flags: ["--session", session] }),
};

/** The package's program needs npm's install script; the binary does not. */
function theBinary(): Client {
  const name = `opencode-${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const folder = npmPackage({ folder: "opencode", package: "opencode-ai", version });
  const program = join(folder ?? "", "node_modules", name, "bin", "opencode");
  return folder !== null && kit !== null && existsSync(program)
    ? { kind: "ready", version, command: [program], drive }
    : { kind: "absent", version, why: `npm could not bring opencode-ai and @opencode-ai/plugin ${version}` };
}
