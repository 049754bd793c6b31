import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { root } from "../program.ts";

/**
 * Texts that tell a model to do something harmful: 300 of a collection, if it lies beside the repository, else a few of
 * our own.
 */
export function loadInjectedTexts(): readonly string[] {
  const collection = join(root, "..", "shared", "data", "injection_dev.json.gz");
  if (!existsSync(collection))
    return JSON.parse(readFileSync(join(root, "test/converse/injections.json"), "utf8")) as string[];
  const all = JSON.parse(gunzipSync(readFileSync(collection)).toString("utf8")) as { text: string; label: number }[];
  return all
    .filter(({ label }) => label === 1)
    .map(({ text }) => text)
    .slice(0, 300);
}
