import { writeSync } from "node:fs";
import { decodePayload, silenceOf } from "../../attend/decode-payload.ts";
import { isSomewhereOff, loadConfig, type LoadedConfig } from "../../config.ts";
import { tryParse } from "../../lib/json.ts";
import { countLost } from "../../lib/lost.ts";
import { hostNamed } from "../../observe/hosts/list.ts";
import { readPayload } from "./payload.ts";

/**
 * `oldhand hook HOST`: one payload on stdin, the host's answer on stdout. Whatever goes wrong, the host's
 * work goes on: silence and exit 0. What the store could not take in time waits in the spool.
 *
 * False where it did nothing: switched off, or something went wrong.
 *
 * This file loads little: most of the code comes only once there is something to store or to say.
 */
export async function hook(args: readonly string[], home: string | null): Promise<boolean> {
  const talk = newTalk();
  try {
    if (home === null) return false;
    if (args.includes("--stream")) {
      await (await import("./stream.ts")).stream(home, args[0] ?? "");
      return true;
    }
    const config = loadConfig({ home });
    if (isSomewhereOff(config.off)) {
      const { noteOff } = await import("../../attend/note-off.ts");
      await noteOff({ config, env: process.env }, hostNamed(args[0] ?? ""), () => talk.hear(MOST_BYTES));
    }
    if (config.off.everywhere) return false;
    await look(config, args, talk);
    return true;
  } catch {
    // The border of borders: a hook that complains breaks its host. `oldhand doctor` reads the count.
    if (home !== null) countLost(home);
    return false;
  } finally {
    await keepSilence(args, talk);
  }
}

/** One payload, one answer. */
interface Talk {
  /** What was told, as it came; null: larger than anyone should send. */
  hear(max: number): Promise<string | null>;
  /** Once only: what comes after the host was told to go on is too late. */
  say(text: string): void;
  readonly isAnswered: () => boolean;
}

function newTalk(): Talk {
  let told: string | null | undefined;
  let answered = false;
  return {
    hear: async (max) => {
      if (told !== undefined) return told;
      // Until it has been read whole, it has not been read.
      told = null;
      told = await readPayload(max);
      return told;
    },
    say: (text) => {
      if (!answered) writeSync(1, text);
      answered = true;
    },
    isAnswered: () => answered,
  };
}

async function look(config: LoadedConfig, args: readonly string[], talk: Talk): Promise<void> {
  const host = hostNamed(args[0] ?? "");
  if (!host) return;
  const payload = await talk.hear(config.policy.observe.payloadBytes);
  const told = payload === null ? undefined : tryParse(payload);
  if (told === undefined) {
    // Too large, or cut off on its way here. Nothing at all is nothing lost.
    if (payload !== "") countLost(config.home);
    return;
  }
  const decoded = await decodePayload({ config, env: process.env }, host, told);
  const first = decoded?.events[0];
  if (decoded === null || first === undefined) return;
  if (args.includes("--team") && (await import("./team.ts")).isToldAnyway(config.home, host.name, first)) return;
  const { answer } = await import("./answer.ts");
  await answer(config, decoded, talk.say);
}

/** For a host that takes nothing for a no: it goes on, whatever became of us. */
async function keepSilence(args: readonly string[], talk: Talk): Promise<void> {
  if (talk.isAnswered() || args.includes("--stream")) return;
  try {
    const host = hostNamed(args[0] ?? "");
    // Most hosts take silence for what it is: nothing is read for them.
    if ((await silenceOf(host, undefined)) === "") return;
    talk.say(await silenceOf(host, tryParse((await talk.hear(MOST_BYTES)) ?? "")));
  } catch {
    // Nobody reads any more.
  }
}

/** Where the settings could not be asked. */
const MOST_BYTES = 10_000_000;
