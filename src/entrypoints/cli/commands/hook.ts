import { resolveHome } from "../../../config.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";

/**
 * Declared for help and completion. When a host calls `oldhand hook`, the entry file runs the hook directly, without
 * this.
 */
export const hookCommand: CliCommand = {
  name: "hook",
  summary: "Reads one hook payload from stdin and prints the reply for the host. Never fails.",
  usage: "hook HOST [--stream]",
  words: 1,
  flags: [
    newFlag("stream", "boolean", "one payload and one reply per line, until stdin ends"),
    newFlag("team", "boolean", "for hooks shared by a team: does nothing if the user has their own hooks"),
  ],
  run: async (words, values, globals) => {
    const entry = await import("../../hook/main.ts");
    const flags = ["stream", "team"].filter((name) => values[name] === true).map((name) => `--${name}`);
    const now = globals.now === undefined ? [] : ["--now", globals.now];
    await entry.runHook([...words, ...flags, ...now], resolveHome({ home: globals.home }));
    return 0;
  },
};
