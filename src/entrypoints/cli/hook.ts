import type { Command } from "./command.ts";

/** For help and completion; the first file sends a host's own calls straight to the hook, past all of this. */
export const hook: Command = {
  name: "hook",
  summary: "One hook payload of a host on stdin, the host's answer on stdout. Never fails.",
  usage: "hook HOST",
  words: 1,
  flags: [],
  run: async (words, _values, globals) => {
    const entry = await import("../hook/main.ts");
    await entry.hook([...words, ...(globals.home === undefined ? [] : ["--home", globals.home])]);
    return 0;
  },
};
