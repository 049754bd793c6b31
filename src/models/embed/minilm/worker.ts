import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { loadMinilm } from "./model.ts";

/** A thread that embeds: what it does takes long enough to hold up everything else in its process. */
const { file } = workerData as { readonly file: string };
const embed = loadMinilm(readFileSync(file));

parentPort?.on("message", ({ id, texts }: { readonly id: number; readonly texts: readonly string[] }) => {
  parentPort?.postMessage({ id, vectors: texts.map((text) => embed(text)) });
});
