import { newJsonEndDetector } from "../../lib/json-end.ts";

/** Like `readPayload`, through Node's own stdin; used where direct reads may block. */
export function readPayloadStream(max: number, idleMs: number, wholeMs: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const { stdin } = process;
    const isWhole = newJsonEndDetector();
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (payload: string | null) => {
      clearTimeout(idle);
      clearTimeout(whole);
      stdin.removeAllListeners();
      stdin.pause();
      resolve(payload);
    };
    const endHere = () => end(Buffer.concat(chunks, size).toString("utf8"));
    const idle = setTimeout(endHere, idleMs);
    const whole = setTimeout(endHere, wholeMs);
    stdin.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > max) return end(null);
      chunks.push(chunk);
      if (isWhole(chunk)) return endHere();
      idle.refresh();
    });
    stdin.once("end", endHere);
    stdin.once("error", reject);
  });
}
