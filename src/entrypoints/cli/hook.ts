import { resolveHome } from "../../config.ts";
import { type CliCommand, newFlag } from "./command.ts";

/** For help and completion; the first file sends a host's own calls straight to the hook, past all of this. */
export const hookCommand: CliCommand = {
  name: "hook",
  summary: "One hook payload of a host on stdin, the host's answer on stdout. Never fails.",
  usage: "hook HOST [--stream]",
  words: 1,
  flags: [
    newFlag("stream", "boolean", "one payload to a line, one answer to a line, until stdin ends"),
    newFlag("team", "boolean", "from hooks that a team shares: silent where the user has hooks of their own"),
  ],
  run: async (words, values, globals) => {
    const entry = await import("../hook/main.ts");
    const flags = ["stream", "team"].filter((name) => values[name] === true).map((name) => `--${name}`);
    await entry.runHook([...words, ...flags], resolveHome({ home: globals.home }));
    return 0;
  },
};
