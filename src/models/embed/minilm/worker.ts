import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { loadMinilm } from "./model.ts";

/** Embeds in a thread, because it takes long enough to block everything else in the process. */
const { file } = workerData as { readonly file: string };
const embed = loadMinilm(readFileSync(file));

parentPort?.on("message", ({ id, texts }: { readonly id: number; readonly texts: readonly string[] }) => {
  parentPort?.postMessage({ id, vectors: texts.map((text) => embed(text)) });
});
