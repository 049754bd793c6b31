import { parentPort } from "node:worker_threads";
import { OldhandError, systemCodeOf } from "../../lib/errors.ts";
import { type Batch, batchesOf, type ReadRequest } from "./read-file.ts";

/** What goes to a reading thread: a file to read, or that a batch has been stored. */
export type ToReader = { readonly kind: "read"; readonly request: ReadRequest } | { readonly kind: "stored" };

/** What comes back, in order. After `done` or `failed` it waits for the next file. */
export type FromReader =
  | { readonly kind: "batch"; readonly batch: Batch }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly error: Told };

/** An error as it can be sent: its class would be lost on the way. */
interface Told {
  readonly code: OldhandError["code"] | null;
  readonly message: string;
  readonly hint: string | undefined;
  /** Of the disk or of a gzip, where one of those is the cause. */
  readonly systemCode: string;
}

/** Batches on their way: enough that neither side waits, few enough that they need no memory. */
const AHEAD = 2;

/** A thread that reads files, takes secrets out and reads calls, while the main one stores. */
function serveReads(): void {
  const port = parentPort;
  if (port === null) return;
  let onTheWay = 0;
  let wake: (() => void) | null = null;
  const send = (message: FromReader) => port.postMessage(message);
  const read = async (request: ReadRequest) => {
    try {
      for await (const batch of batchesOf(request)) {
        send({ kind: "batch", batch });
        if (++onTheWay >= AHEAD) await new Promise<void>((resolve) => (wake = resolve));
      }
      send({ kind: "done" });
    } catch (error) {
      send({ kind: "failed", error: told(error) });
    }
  };
  port.on("message", (message: ToReader) => {
    if (message.kind === "read") void read(message.request);
    else {
      onTheWay--;
      wake?.();
      wake = null;
    }
  });
}

function told(error: unknown): Told {
  const ours = error instanceof OldhandError;
  return {
    code: ours ? error.code : null,
    message: error instanceof Error ? (ours ? error.message : (error.stack ?? error.message)) : String(error),
    hint: ours ? error.hint : undefined,
    systemCode: ours ? systemCodeOf(error.cause) : systemCodeOf(error),
  };
}

serveReads();
