import { isMainThread } from "node:worker_threads";
import type { ChatOptions } from "../../../converse/session/open-chat-session.ts";
import { chatModes } from "../../../domain/settings/chat-mode.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { runLineMode } from "../chat/line-mode.ts";
import { serveScreen } from "../chat/serve-screen.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";
import { modelFlags, readModelFlags } from "../parts/model-flags.ts";
import { requireMode } from "../parts/require-mode.ts";

/**
 * A conversation with oldhand's own agent. In a terminal, `entrypoints/screen/` shows it and runs this command in a
 * thread; elsewhere it works line by line.
 */
export const chatCommand: CliCommand = {
  name: "chat",
  summary:
    "Talks with oldhand's own agent in the terminal. Messages may name files as @file; /help lists the commands. Without a terminal it reads a message from each line.",
  usage: "chat [--continue] [--resume [ID]] [--mode MODE] [--model PROVIDER/MODEL [--fallback]] [--plain]",
  words: 1,
  flags: [
    newFlag("continue", "boolean", "go on with the last session of this workspace"),
    newFlag("resume", "boolean", "go on with the session ID; without ID, with the last one"),
    { ...newFlag("mode", "string", "what it may do without your yes"), values: chatModes },
    ...modelFlags,
    newFlag("plain", "boolean", "plain lines without colours and escape codes"),
  ],
  // An agent that calls it must not get more rights than its own.
  isOwnerOnly: () => true,
  run: async ([id], values, globals) => {
    if (globals.json)
      throw new OldhandError("usage", "chat prints no JSON", { hint: 'oldhand ask "TEXT" --json prints one document' });
    const isResumed = values["resume"] === true;
    if (id !== undefined && !isResumed)
      throw new OldhandError("usage", `"${id}" is not a flag of chat`, {
        hint: `oldhand chat --resume ${id}, or oldhand ask "${id}"`,
      });
    const mode = requireMode(values["mode"]);
    const options: ChatOptions = {
      surface: "chat",
      cwd: process.cwd(),
      session: id,
      continueLast: id === undefined && (isResumed || values["continue"] === true),
      hasPerson: !isMainThread || process.stdin.isTTY,
      ...{ mode, ...readModelFlags(values) },
    };
    const mind = { home: globals.home, now: globals.now };
    return isMainThread ? runLineMode(mind, options) : serveScreen(mind, options);
  },
};
