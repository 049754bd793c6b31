import type { Host } from "../protocol/host.ts";

/** Every product whose agent we observe. To add one, add its folder and its entry here. */
export const hosts: readonly Host[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    verified: true,
    protocol: async () => (await import("./claude-code/protocol.ts")).claudeCodeProtocol,
    setup: async () => (await import("./claude-code/setup.ts")).claudeCodeSetup,
  },
  {
    name: "codex",
    title: "Codex",
    verified: true,
    protocol: async () => (await import("./codex/protocol.ts")).codexProtocol,
    setup: async () => (await import("./codex/setup.ts")).codexSetup,
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    verified: true,
    protocol: async () => (await import("./gemini/protocol.ts")).geminiProtocol,
    setup: async () => (await import("./gemini/setup.ts")).geminiSetup,
  },
  {
    name: "opencode",
    title: "opencode",
    verified: true,
    protocol: async () => (await import("./opencode/protocol.ts")).opencodeProtocol,
    setup: async () => (await import("./opencode/setup.ts")).opencodeSetup,
  },
  {
    name: "pi",
    title: "pi",
    verified: true,
    protocol: async () => (await import("./pi/protocol.ts")).piProtocol,
    setup: async () => (await import("./pi/setup.ts")).piSetup,
  },
  {
    name: "qwen",
    title: "Qwen Code",
    verified: true,
    protocol: async () => (await import("./qwen/protocol.ts")).qwenProtocol,
    setup: async () => (await import("./qwen/setup.ts")).qwenSetup,
  },
  {
    name: "copilot",
    title: "Copilot CLI",
    verified: true,
    protocol: async () => (await import("./copilot/protocol.ts")).copilotProtocol,
    setup: async () => (await import("./copilot/setup.ts")).copilotSetup,
  },
  {
    name: "droid",
    title: "Factory droid",
    verified: true,
    protocol: async () => (await import("./droid/protocol.ts")).droidProtocol,
    setup: async () => (await import("./droid/setup.ts")).droidSetup,
  },
  {
    name: "cline",
    title: "Cline CLI",
    verified: true,
    protocol: async () => (await import("./cline/protocol.ts")).clineProtocol,
    setup: async () => (await import("./cline/setup.ts")).clineSetup,
  },
  {
    name: "cursor",
    title: "Cursor",
    verified: false,
    protocol: async () => (await import("./cursor/protocol.ts")).cursorProtocol,
    setup: async () => (await import("./cursor/setup.ts")).cursorSetup,
  },
  {
    name: "kiro",
    title: "Kiro",
    verified: false,
    protocol: async () => (await import("./kiro/protocol.ts")).kiroProtocol,
    setup: async () => (await import("./kiro/setup.ts")).kiroSetup,
  },
  {
    name: "antigravity",
    title: "Antigravity",
    verified: false,
    protocol: async () => (await import("./antigravity/protocol.ts")).antigravityProtocol,
    setup: async () => (await import("./antigravity/setup.ts")).antigravitySetup,
  },
  {
    name: "windsurf",
    title: "Windsurf (Devin Desktop)",
    verified: false,
    protocol: async () => (await import("./windsurf/protocol.ts")).windsurfProtocol,
    setup: async () => (await import("./windsurf/setup.ts")).windsurfSetup,
  },
  {
    name: "devin",
    title: "Devin CLI",
    verified: false,
    protocol: async () => (await import("./devin/protocol.ts")).devinProtocol,
    setup: async () => (await import("./devin/setup.ts")).devinSetup,
  },
  {
    name: "vscode",
    title: "VS Code agent",
    verified: false,
    protocol: async () => (await import("./vscode/protocol.ts")).vscodeProtocol,
    setup: async () => (await import("./vscode/setup.ts")).vscodeSetup,
  },
  {
    name: "continue",
    title: "Continue",
    verified: true,
    protocol: async () => (await import("../protocol/no-protocol.ts")).noProtocol,
    setup: async () => (await import("./continue/setup.ts")).continueSetup,
  },
  {
    name: "aider",
    title: "Aider",
    verified: false,
    protocol: async () => (await import("../protocol/no-protocol.ts")).noProtocol,
    setup: async () => (await import("./aider/setup.ts")).aiderSetup,
  },
  {
    name: "amp",
    title: "Amp",
    verified: false,
    protocol: async () => (await import("./amp/protocol.ts")).ampProtocol,
    setup: async () => (await import("./amp/setup.ts")).ampSetup,
  },
  {
    name: "openclaw",
    title: "OpenClaw",
    verified: true,
    protocol: async () => (await import("./openclaw/protocol.ts")).openclawProtocol,
    setup: async () => (await import("./openclaw/setup.ts")).openclawSetup,
  },
  {
    name: "hermes",
    title: "Hermes",
    verified: false,
    protocol: async () => (await import("./hermes/protocol.ts")).hermesProtocol,
    setup: async () => (await import("./hermes/setup.ts")).hermesSetup,
  },
];

/** oldhand's own agent: observed, advised and learned from like the others. Nothing of it is installed or imported. */
const ownAgent: Host = {
  name: "oldhand",
  title: "oldhand",
  verified: true,
  protocol: async () => (await import("./oldhand/protocol.ts")).oldhandProtocol,
  setup: async () => (await import("./oldhand/setup.ts")).oldhandSetup,
};

export function findHost(name: string): Host | undefined {
  return name === ownAgent.name ? ownAgent : hosts.find((host) => host.name === name);
}
