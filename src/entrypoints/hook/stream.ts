import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { loadConfig } from "../../config.ts";
import { tryParseJson } from "../../lib/json.ts";
import { whenOrphaned } from "../../lib/parent.ts";
import { openModels } from "../../models/open-models.ts";
import { openHookListener } from "./listen.ts";

/**
 * `oldhand hook HOST --stream`: a payload to a line on stdin, the answer to each as a line on stdout, empty for silence.
 * For a host whose plugin lives as long as its session; this process ends when the host closes its end, or dies.
 */
export async function serveHookStream(home: string, hostName: string): Promise<void> {
  const models = openModels(() => loadConfig({ home }));
  const listener = openHookListener(home, models);
  // Pressed for the host, and sent to every process of the terminal. The end of stdin is what ends this one.
  process.on("SIGINT", () => {});
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  whenOrphaned(() => lines.close());
  for await (const line of lines) printReply(await listener.answer(hostName, tryParseJson(line)));
  await listener.close();
  await models.close();
}

function printReply(answer: string): void {
  try {
    writeSync(1, `${answer}\n`);
  } catch {
    // The host is gone. What it told before is still to be stored.
  }
}
