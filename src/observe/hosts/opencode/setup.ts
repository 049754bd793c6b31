import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Finding, Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { hostText } from "../../wiring/host-file.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { markdownCommands } from "../../wiring/person-commands.ts";
import { agentsFile } from "../../wiring/rules-files.ts";
import { pluginText } from "./plugin.ts";
import { readTranscript } from "./transcript.ts";

export const opencodeSetup: Setup = {
  find: (place) => {
    const folder = [configFolder(place), dataFolder(place)].find((one) => existsSync(one));
    if (folder !== undefined) return { version: null, folder };
    return isOnPath(place, "opencode") ? { version: null, folder: configFolder(place) } : null;
  },
  plan: (place) => [plan(place)],
  without: (text) => (text.startsWith("// Written by oldhand.") ? "" : null),
  findings,
  transcripts: (place) => {
    const file = join(dataFolder(place), "opencode.db");
    return existsSync(file) ? [file] : [];
  },
  readTranscript,
  mcp: jsonMcp({
    path: configFile,
    at: ["mcp"],
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args] }),
  }),
  commands: (place) =>
    markdownCommands(place, join(configFolder(place), "command"), {
      argument: '"$ARGUMENTS"',
      output: (command) => `!\`${command}\``,
    }),
  rulesFiles: agentsFile,
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

function plan(place: Place): PlannedFile {
  const folder = place.project === null ? configFolder(place) : join(place.project, ".opencode");
  const path = join(folder, "plugins", "oldhand.js");
  const before = hostText(path);
  return {
    path,
    before,
    after: pluginText(place),
    why: "a plugin that tells oldhand of prompts and calls",
    way: "plugin",
  };
}

/** opencode fetches this for every folder with plugins, whether they use it or not, and waits for it. */
function findings(place: Place): readonly Finding[] {
  const folder = configFolder(place);
  const isOurs = existsSync(join(folder, "plugins", "oldhand.js"));
  if (!isOurs || existsSync(join(folder, "node_modules", "@opencode-ai", "plugin"))) return [];
  return [
    {
      level: "note",
      what: `opencode: its next start fetches @opencode-ai/plugin into ${folder}, as it does for every plugin`,
      hint: "start it once with a network: without one it waits about a minute before it gives up",
    },
  ];
}

/** With comments where its user has it so. */
function configFile(place: Place): string {
  const folder = place.project ?? configFolder(place);
  const withComments = join(folder, "opencode.jsonc");
  return existsSync(withComments) ? withComments : join(folder, "opencode.json");
}

function configFolder(place: Place): string {
  const base = place.env["XDG_CONFIG_HOME"] || join(place.userHome, ".config");
  return place.env["OPENCODE_CONFIG_DIR"] || join(base, "opencode");
}

function dataFolder(place: Place): string {
  return join(place.env["XDG_DATA_HOME"] || join(place.userHome, ".local", "share"), "opencode");
}
