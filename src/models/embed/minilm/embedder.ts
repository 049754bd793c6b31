import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { OldhandError } from "../../../lib/errors.ts";
import { packageRoot } from "../../../lib/package-root.ts";
import type { Embedder } from "../../embed/embedder.ts";
import { quantiseVector } from "../quantise-vector.ts";

/** The second thread halves the time of catching up; a third would take CPU that the user's agent needs. */
const MOST_THREADS = 2;

/** all-MiniLM-L6-v2 in worker threads, loaded with the first text. Null if the build has no weights. English only. */
export function minilmEmbedder(): Embedder | null {
  const file = join(packageRoot(), "dist", "minilm.bin");
  const program = join(packageRoot(), "dist", "minilm-worker.js");
  if (!existsSync(file) || !existsSync(program)) return null;
  const threads: Thread[] = [];
  const take = (): Thread => {
    const idle = threads.find((thread) => thread.waiting === 0);
    if (idle) return idle;
    if (threads.length < Math.min(MOST_THREADS, availableParallelism())) {
      threads.push(newThread(program, file));
      return threads.at(-1) as Thread;
    }
    return threads.toSorted((a, b) => a.waiting - b.waiting)[0] as Thread;
  };
  return {
    model: "all-minilm-l6-v2-q4",
    // Measured with `oldhand bench search --pairs`: few unanswerable questions reach this similarity with any text.
    related: 0.28,
    embed: async (texts) => {
      if (texts.length < WORTH_PARTING) return (await take().embed(texts)).map(quantiseVector);
      const middle = Math.ceil(texts.length / 2);
      const [first, second] = await Promise.all([
        take().embed(texts.slice(0, middle)),
        take().embed(texts.slice(middle)),
      ]);
      return [...first, ...second].map(quantiseVector);
    },
    close: async () => {
      await Promise.all(threads.splice(0).map((thread) => thread.close()));
    },
  };
}

const WORTH_PARTING = 8;

interface Thread {
  /** Batches without a result yet. */
  waiting: number;
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

function newThread(program: string, file: string): Thread {
  const worker = new Worker(program, { workerData: { file } });
  const pending = new Map<number, { done(vectors: readonly Float32Array[]): void; fail(error: unknown): void }>();
  let last = 0;
  worker.on("message", ({ id, vectors }: { readonly id: number; readonly vectors: readonly Float32Array[] }) => {
    pending.get(id)?.done(vectors);
    pending.delete(id);
    settle();
  });
  const failAll = (error: unknown) => {
    for (const one of pending.values()) one.fail(error);
    pending.clear();
    settle();
  };
  worker.on("error", failAll);
  // A thread with nothing to do must not keep the process alive.
  const settle = () => {
    thread.waiting = pending.size;
    if (pending.size === 0) worker.unref();
  };
  const thread: Thread = {
    waiting: 0,
    embed: (texts) =>
      new Promise((done, fail) => {
        const id = ++last;
        pending.set(id, { done, fail });
        thread.waiting = pending.size;
        worker.ref();
        worker.postMessage({ id, texts });
      }),
    close: async () => {
      await worker.terminate();
      failAll(new OldhandError("unreachable", "the embedder is closed"));
    },
  };
  return thread;
}
