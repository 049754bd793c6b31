import { writeSync } from "node:fs";
import { decodePayload, readDefaultReply } from "../../attend/decode-payload.ts";
import { findFlagValue, isSomewhereOff, loadConfig, type LoadedConfig } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { tryParseJson } from "../../lib/json.ts";
import { countLost } from "../../lib/lost.ts";
import { findHost } from "../../observe/hosts/list.ts";
import { readPayload } from "./payload.ts";

/**
 * `oldhand hook HOST`: one payload on stdin, the host's reply on stdout. If anything goes wrong, it prints nothing
 * and exits 0, so that the host can continue. Events that the store could not take in time go to the spool.
 *
 * Returns false if it did nothing: oldhand is off, or something went wrong.
 *
 * This file loads little: most of the code is loaded only if there is something to store or to say.
 */
export async function runHook(args: readonly string[], home: string | null): Promise<boolean> {
  const io = newHookIo();
  try {
    if (home === null) return false;
    if (args.includes("--stream")) {
      await (await import("./stream.ts")).serveHookStream(home, args[0] ?? "", findFlagValue(args, "--now"));
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
    // The outermost handler: an error from a hook would break its host. `oldhand doctor` reports the count.
    if (home !== null) countLost(home);
    return false;
  } finally {
    await printDefaultReply(args, io);
  }
}

interface HookIo {
  /** The payload as received; null if it is larger than `max`. */
  readPayload(max: number): Promise<string | null>;
  /** Prints only once. Any later text would come after the host has continued. */
  reply(text: string): void;
  readonly hasReplied: () => boolean;
}

function newHookIo(): HookIo {
  let payload: string | null | undefined;
  let replied = false;
  return {
    readPayload: async (max) => {
      if (payload !== undefined) return payload;
      // If reading fails, later calls return null.
      payload = null;
      payload = await readPayload(max);
      return payload;
    },
    reply: (text) => {
      if (!replied) writeSync(1, text);
      replied = true;
    },
    hasReplied: () => replied,
  };
}

async function handlePayload(config: LoadedConfig, args: readonly string[], io: HookIo): Promise<void> {
  const host = findHost(args[0] ?? "");
  if (!host) return;
  const payload = await io.readPayload(config.policy.observe.payloadBytes);
  const parsed = payload === null ? undefined : tryParseJson(payload);
  if (parsed === undefined) {
    // Too large, or cut off. An empty payload is not a loss.
    if (payload !== "") countLost(config.home);
    return;
  }
  const decoded = await decodePayload({ config, env: process.env }, host, parsed);
  const first = decoded?.events[0];
  if (decoded === null || first === undefined) return;
  if (args.includes("--team") && (await import("./team-hooks.ts")).isReportedByUserHooks(config.home, host.name, first))
    return;
  const { replyOnce } = await import("./reply-once.ts");
  // A hook never fails: what is not a time counts as not given.
  const at = Date.parse(findFlagValue(args, "--now") ?? "");
  const clock = Number.isNaN(at) ? systemClock : { now: () => at };
  await replyOnce(config, decoded, { clock, reply: io.reply });
}

/** For a host that takes an empty reply as a refusal: prints its default reply, whatever happened here. */
async function printDefaultReply(args: readonly string[], io: HookIo): Promise<void> {
  if (io.hasReplied() || args.includes("--stream")) return;
  try {
    const host = findHost(args[0] ?? "");
    // Most hosts accept an empty reply; the payload is not read for them.
    if ((await readDefaultReply(host, undefined)) === "") return;
    io.reply(await readDefaultReply(host, tryParseJson((await io.readPayload(MOST_BYTES)) ?? "")));
  } catch {
    // The host no longer reads.
  }
}

/** Used if the settings could not be read. */
const MOST_BYTES = 10_000_000;
