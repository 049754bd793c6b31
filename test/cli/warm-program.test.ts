import { readdirSync, readlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, sample, wordsOnly } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace(wordsOnly);
});
afterEach(() => place.remove());

// Only Linux tells which files a process has open.
describe.runIf(process.platform === "linux")("a command in the warm program", () => {
  it.each([
    ["status", ["status"]],
    ["remember", ["remember", "The port is 5433."]],
    ["import", ["import", sample]],
    ["doctor", ["doctor"]],
  ])("%s has closed its mind when it is over, as the end of a process does", async (_, words) => {
    for (let nth = 0; nth < 3; nth++) {
      await place.run(words);
      expect(listOpenFilesIn(place.home)).toEqual([]);
    }
  });
});

/** Of all processes. */
function listOpenFilesIn(folder: string): readonly string[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.flatMap((id) => listOpenFiles(`/proc/${id}/fd`)).filter((file) => file.startsWith(`${folder}/`));
}

function listOpenFiles(descriptors: string): readonly string[] {
  try {
    return readdirSync(descriptors).map((name) => readlinkSync(`${descriptors}/${name}`));
  } catch {
    // The process, or one of its files, is gone.
    return [];
  }
}
