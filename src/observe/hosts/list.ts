import type { Host } from "../protocol/host.ts";

/** Every product whose agent we observe. Adding one is its folder and its line here. */
export const hosts: readonly Host[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    verified: true,
    wire: async () => (await import("./claude-code/wire.ts")).claudeCodeWire,
    setup: async () => (await import("./claude-code/setup.ts")).claudeCodeSetup,
  },
  {
    name: "codex",
    title: "Codex",
    verified: true,
    wire: async () => (await import("./codex/wire.ts")).codexWire,
    setup: async () => (await import("./codex/setup.ts")).codexSetup,
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    verified: true,
    wire: async () => (await import("./gemini/wire.ts")).geminiWire,
    setup: async () => (await import("./gemini/setup.ts")).geminiSetup,
  },
  {
    name: "opencode",
    title: "opencode",
    verified: true,
    wire: async () => (await import("./opencode/wire.ts")).opencodeWire,
    setup: async () => (await import("./opencode/setup.ts")).opencodeSetup,
  },
  {
    name: "pi",
    title: "pi",
    verified: true,
    wire: async () => (await import("./pi/wire.ts")).piWire,
    setup: async () => (await import("./pi/setup.ts")).piSetup,
  },
  {
    name: "qwen",
    title: "Qwen Code",
    verified: true,
    wire: async () => (await import("./qwen/wire.ts")).qwenWire,
    setup: async () => (await import("./qwen/setup.ts")).qwenSetup,
  },
  {
    name: "copilot",
    title: "Copilot CLI",
    verified: true,
    wire: async () => (await import("./copilot/wire.ts")).copilotWire,
    setup: async () => (await import("./copilot/setup.ts")).copilotSetup,
  },
  {
    name: "droid",
    title: "Factory droid",
    verified: true,
    wire: async () => (await import("./droid/wire.ts")).droidWire,
    setup: async () => (await import("./droid/setup.ts")).droidSetup,
  },
  {
    name: "cline",
    title: "Cline CLI",
    verified: true,
    wire: async () => (await import("./cline/wire.ts")).clineWire,
    setup: async () => (await import("./cline/setup.ts")).clineSetup,
  },
  {
    name: "cursor",
    title: "Cursor",
    verified: false,
    wire: async () => (await import("./cursor/wire.ts")).cursorWire,
    setup: async () => (await import("./cursor/setup.ts")).cursorSetup,
  },
  {
    name: "kiro",
    title: "Kiro",
    verified: false,
    wire: async () => (await import("./kiro/wire.ts")).kiroWire,
    setup: async () => (await import("./kiro/setup.ts")).kiroSetup,
  },
  {
    name: "antigravity",
    title: "Antigravity",
    verified: false,
    wire: async () => (await import("./antigravity/wire.ts")).antigravityWire,
    setup: async () => (await import("./antigravity/setup.ts")).antigravitySetup,
  },
  {
    name: "windsurf",
    title: "Windsurf (Devin Desktop)",
    verified: false,
    wire: async () => (await import("./windsurf/wire.ts")).windsurfWire,
    setup: async () => (await import("./windsurf/setup.ts")).windsurfSetup,
  },
  {
    name: "devin",
    title: "Devin CLI",
    verified: false,
    wire: async () => (await import("./devin/wire.ts")).devinWire,
    setup: async () => (await import("./devin/setup.ts")).devinSetup,
  },
  {
    name: "vscode",
    title: "VS Code agent",
    verified: false,
    wire: async () => (await import("./vscode/wire.ts")).vscodeWire,
    setup: async () => (await import("./vscode/setup.ts")).vscodeSetup,
  },
  {
    name: "continue",
    title: "Continue",
    verified: true,
    wire: async () => (await import("../protocol/no-wire.ts")).noWire,
    setup: async () => (await import("./continue/setup.ts")).continueSetup,
  },
  {
    name: "aider",
    title: "Aider",
    verified: false,
    wire: async () => (await import("../protocol/no-wire.ts")).noWire,
    setup: async () => (await import("./aider/setup.ts")).aiderSetup,
  },
  {
    name: "amp",
    title: "Amp",
    verified: false,
    wire: async () => (await import("../protocol/no-wire.ts")).noWire,
    setup: async () => (await import("./amp/setup.ts")).ampSetup,
  },
  {
    name: "openclaw",
    title: "OpenClaw",
    verified: false,
    wire: async () => (await import("../protocol/no-wire.ts")).noWire,
    setup: async () => (await import("./openclaw/setup.ts")).openclawSetup,
  },
  {
    name: "hermes",
    title: "Hermes",
    verified: false,
    wire: async () => (await import("../protocol/no-wire.ts")).noWire,
    setup: async () => (await import("./hermes/setup.ts")).hermesSetup,
  },
];

/** oldhand's own agent: observed, advised and learned from as the others are. Nothing of it is installed or imported. */
const ownAgent: Host = {
  name: "oldhand",
  title: "oldhand",
  verified: true,
  wire: async () => (await import("./oldhand/wire.ts")).oldhandWire,
  setup: async () => (await import("./oldhand/setup.ts")).oldhandSetup,
};

export function hostNamed(name: string): Host | undefined {
  return name === ownAgent.name ? ownAgent : hosts.find((host) => host.name === name);
}
