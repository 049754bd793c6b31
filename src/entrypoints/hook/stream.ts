import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { loadConfig } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { clockAt } from "../../lib/clock-at.ts";
import { tryParseJson } from "../../lib/json.ts";
import { whenOrphaned } from "../../lib/parent.ts";
import { openModels } from "../../models/open-models.ts";
import { openHookListener } from "./listen.ts";

/**
 * `oldhand hook HOST --stream`: one payload per line on stdin, one reply per line on stdout, empty if there is
 * nothing to say. For hosts whose plugin lives as long as its session. Ends when the host closes stdin or exits.
 */
export async function serveHookStream(home: string, hostName: string, now: string | undefined): Promise<void> {
  const models = openModels(() => loadConfig({ home }));
  const listener = openHookListener(home, models, clockAt(now) ?? systemClock);
  // Ctrl-C is meant for the host, but the terminal sends it to all its processes. This one ends when stdin ends.
  process.on("SIGINT", () => {});
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  whenOrphaned(() => lines.close());
  for await (const line of lines) printReply(await listener.reply(hostName, tryParseJson(line)));
  await listener.close();
  await models.close();
}

function printReply(reply: string): void {
  try {
    writeSync(1, `${reply}\n`);
  } catch {
    // The host is gone. The events it sent before are still stored.
  }
}
