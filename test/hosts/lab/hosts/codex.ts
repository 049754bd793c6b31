import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Drive, npmClient } from "../client.ts";
import type { DrivenHost } from "../driven.ts";
import type { Lab } from "../lab.ts";

const address = ["-c", 'model_providers.lab.base_url="{model}"'];

const drive: Drive = {
  program: "codex",
  model: "openai",
  // In its own screen it would start a server that outlives it.
  words: (prompt) => [...address, ...(prompt === null ? ["--no-daemon"] : ["exec", prompt])],
  env: () => ({ LAB_KEY: "fake-key-not-real" }),
};

export const codexConfig = `model = "gpt-5.5"   # as its user wrote it
model_provider = "lab"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.lab]
name = "lab"
base_url = "http://127.0.0.1:1/v1"
wire_api = "responses"
env_key = "LAB_KEY"

[analytics]
enabled = false
`;

export const codex: DrivenHost = {
  name: "codex",
  client: npmClient({ folder: "codex", package: "@openai/codex", version: "0.166.0" }, drive),
  prepare: (lab) => lab.write(codexConfig, ".codex", "config.toml"),
  allow: (lab) => trust(lab, lab.read(".codex", "config.toml") ?? ""),
  shell: (command) => ({ tool: "exec_command", input: { cmd: command } }),
  tool: (name, input) => ({ tool: name, namespace: "mcp__oldhand", input }),
  again: (session, prompt) => ({ prompt: "resume", flags: [session, prompt] }),
};

interface HooksFile {
  readonly hooks: Readonly<
    Record<string, readonly { readonly hooks: readonly { command: string; timeout: number }[] }[]>
  >;
}

/** Writes what the client writes when its user reviews and trusts the hooks; computed independently of the product. */
export function trust(lab: Lab, settings: string, path = join(lab.home, ".codex/hooks.json")): void {
  const { hooks } = JSON.parse(readFileSync(path, "utf8")) as HooksFile;
  const states = Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group, g) =>
      group.hooks.map((hook, h) => {
        const label = event.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
        const timeout = event === "SessionEnd" ? Math.min(hook.timeout, 3) : hook.timeout;
        const identity = `{"event_name":"${label}","hooks":[{"async":false,"command":${JSON.stringify(hook.command)},"timeout":${timeout},"type":"command"}]}`;
        const hash = createHash("sha256").update(identity).digest("hex");
        return `\n[hooks.state."${path}:${label}:${g}:${h}"]\ntrusted_hash = "sha256:${hash}"\n`;
      }),
    ),
  );
  lab.write(settings + states.join(""), ".codex/config.toml");
}
