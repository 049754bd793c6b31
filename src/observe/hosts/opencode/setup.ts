import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Finding, InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { readHostFileText } from "../../wiring/host-file.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { markdownCommands } from "../../wiring/person-commands.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";
import { pluginText } from "./plugin.ts";
import { readTranscript } from "./transcript.ts";

export const opencodeSetup: Setup = {
  detect: (target) => {
    const folder = [configFolder(target), dataFolder(target)].find((one) => existsSync(one));
    if (folder !== undefined) return { version: null, folder };
    return isOnPath(target, "opencode") ? { version: null, folder: configFolder(target) } : null;
  },
  plan: (target) => [plan(target)],
  without: (text) => (text.startsWith("// Written by oldhand.") ? "" : null),
  findings: listFindings,
  transcripts: (target) => {
    const file = join(dataFolder(target), "opencode.db");
    return existsSync(file) ? [file] : [];
  },
  readTranscript,
  mcp: jsonMcpConfig({
    path: configFile,
    at: ["mcp"],
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args] }),
  }),
  commands: (target) =>
    markdownCommands(target, join(configFolder(target), "command"), {
      argument: '"$ARGUMENTS"',
      output: (command) => `!\`${command}\``,
    }),
  rulesFiles: listAgentsFile,
  probe: ({ session, cwd }) => ({
    hook: "tool.execute.after",
    directory: cwd,
    session,
    root: session,
    tool: "bash",
    callID: `call_${session}`,
    args: { command: "echo hello", description: "a self-test" },
    result: { output: "hello\n", exit: 0 },
    durationMs: 1,
  }),
};

function plan(target: InstallTarget): PlannedFile {
  const folder = target.project === null ? configFolder(target) : join(target.project, ".opencode");
  const path = join(folder, "plugins", "oldhand.js");
  const before = readHostFileText(path);
  return {
    path,
    before,
    after: pluginText(target),
    why: "a plugin that sends prompts and calls to oldhand",
    way: "plugin",
  };
}

/** opencode fetches this package for every folder with plugins, used or not, and waits for it. */
function listFindings(target: InstallTarget): readonly Finding[] {
  const folder = configFolder(target);
  const isOurs = existsSync(join(folder, "plugins", "oldhand.js"));
  if (!isOurs || existsSync(join(folder, "node_modules", "@opencode-ai", "plugin"))) return [];
  return [
    {
      level: "note",
      what: `opencode: its next start fetches @opencode-ai/plugin into ${folder}, as it does for every plugin`,
      hint: "start it once while online; offline it waits about a minute before it gives up",
    },
  ];
}

/** The `.jsonc` file if the user has one. */
function configFile(target: InstallTarget): string {
  const folder = target.project ?? configFolder(target);
  const withComments = join(folder, "opencode.jsonc");
  return existsSync(withComments) ? withComments : join(folder, "opencode.json");
}

function configFolder(target: InstallTarget): string {
  const base = target.env["XDG_CONFIG_HOME"] || join(target.userHome, ".config");
  return target.env["OPENCODE_CONFIG_DIR"] || join(base, "opencode");
}

function dataFolder(target: InstallTarget): string {
  return join(target.env["XDG_DATA_HOME"] || join(target.userHome, ".local", "share"), "opencode");
}
