import { parentPort } from "node:worker_threads";
import type { ChatOptions } from "../../../converse/session/open-chat-session.ts";
import { type MindOptions, openContext } from "../../../mind.ts";
import type { ChatInput } from "./chat-update.ts";
import { openDrivenChat } from "./open-driven-chat.ts";

/**
 * Runs a chat whose screen is in the process's main thread. Nothing that happens here, however long it computes, delays
 * a key that is typed there. Returns when the screen closes the chat.
 */
export async function serveScreen(mindOptions: MindOptions, options: ChatOptions): Promise<number> {
  const port = parentPort;
  if (port === null) throw new Error("a chat's screen is in another thread");
  const inputs = newInputs();
  // The listener keeps the thread alive; what was typed before the session is open waits here.
  const listen = (input: ChatInput) => inputs.put(input);
  port.on("message", listen);
  const mind = await openContext(mindOptions);
  try {
    const { session, chat } = await openDrivenChat(mind, options, (update) => port.postMessage(update));
    try {
      for (;;) {
        const input = await inputs.next();
        if (input.kind === "close") return 0;
        // Not waited for: a stop must reach a turn that runs.
        void chat.take(input);
      }
    } finally {
      await session.close();
    }
  } finally {
    port.off("message", listen);
    await mind.close();
  }
}

/** Inputs in the order they came. */
function newInputs() {
  const waiting: ChatInput[] = [];
  let wake: ((input: ChatInput) => void) | null = null;
  return {
    put: (input: ChatInput) => {
      if (wake === null) return void waiting.push(input);
      wake(input);
      wake = null;
    },
    next: () =>
      new Promise<ChatInput>((resolve) => {
        const first = waiting.shift();
        if (first === undefined) wake = resolve;
        else resolve(first);
      }),
  };
}
