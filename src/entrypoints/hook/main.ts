import { writeSync } from "node:fs";
import { decodePayload, readDefaultReply } from "../../attend/decode-payload.ts";
import { isSomewhereOff, loadConfig, type LoadedConfig } from "../../config.ts";
import { tryParseJson } from "../../lib/json.ts";
import { countLost } from "../../lib/lost.ts";
import { findHost } from "../../observe/hosts/list.ts";
import { readPayload } from "./payload.ts";

/**
 * `oldhand hook HOST`: one payload on stdin, the host's answer on stdout. Whatever goes wrong, the host's
 * work goes on: silence and exit 0. What the store could not take in time waits in the spool.
 *
 * False where it did nothing: switched off, or something went wrong.
 *
 * This file loads little: most of the code comes only once there is something to store or to say.
 */
export async function runHook(args: readonly string[], home: string | null): Promise<boolean> {
  const io = newHookIo();
  try {
    if (home === null) return false;
    if (args.includes("--stream")) {
      await (await import("./stream.ts")).serveHookStream(home, args[0] ?? "");
      return true;
    }
    const config = loadConfig({ home });
    if (isSomewhereOff(config.off)) {
      const { recordOff } = await import("../../attend/record-off.ts");
      await recordOff({ config, env: process.env }, findHost(args[0] ?? ""), () => io.readPayload(MOST_BYTES));
    }
    if (config.off.everywhere) return false;
    await handlePayload(config, args, io);
    return true;
  } catch {
    // The border of borders: a hook that complains breaks its host. `oldhand doctor` reads the count.
    if (home !== null) countLost(home);
    return false;
  } finally {
    await printDefaultReply(args, io);
  }
}

/** One payload, one answer. */
interface HookIo {
  /** What was told, as it came; null: larger than anyone should send. */
  readPayload(max: number): Promise<string | null>;
  /** Once only: what comes after the host was told to go on is too late. */
  reply(text: string): void;
  readonly isAnswered: () => boolean;
}

function newHookIo(): HookIo {
  let payload: string | null | undefined;
  let answered = false;
  return {
    readPayload: async (max) => {
      if (payload !== undefined) return payload;
      // Until it has been read whole, it has not been read.
      payload = null;
      payload = await readPayload(max);
      return payload;
    },
    reply: (text) => {
      if (!answered) writeSync(1, text);
      answered = true;
    },
    isAnswered: () => answered,
  };
}

async function handlePayload(config: LoadedConfig, args: readonly string[], io: HookIo): Promise<void> {
  const host = findHost(args[0] ?? "");
  if (!host) return;
  const payload = await io.readPayload(config.policy.observe.payloadBytes);
  const parsed = payload === null ? undefined : tryParseJson(payload);
  if (parsed === undefined) {
    // Too large, or cut off on its way here. Nothing at all is nothing lost.
    if (payload !== "") countLost(config.home);
    return;
  }
  const decoded = await decodePayload({ config, env: process.env }, host, parsed);
  const first = decoded?.events[0];
  if (decoded === null || first === undefined) return;
  if (args.includes("--team") && (await import("./team-hooks.ts")).isReportedByUserHooks(config.home, host.name, first))
    return;
  const { answerOnce } = await import("./answer-once.ts");
  await answerOnce(config, decoded, io.reply);
}

/** For a host that takes nothing for a no: it goes on, whatever became of us. */
async function printDefaultReply(args: readonly string[], io: HookIo): Promise<void> {
  if (io.isAnswered() || args.includes("--stream")) return;
  try {
    const host = findHost(args[0] ?? "");
    // Most hosts take silence for what it is: nothing is read for them.
    if ((await readDefaultReply(host, undefined)) === "") return;
    io.reply(await readDefaultReply(host, tryParseJson((await io.readPayload(MOST_BYTES)) ?? "")));
  } catch {
    // Nobody reads any more.
  }
}

/** Where the settings could not be asked. */
const MOST_BYTES = 10_000_000;
