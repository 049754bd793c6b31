import { Transform, type TransformCallback } from "node:stream";
import { tryParseJson } from "../../lib/json.ts";

/**
 * The maximum size of a line in bytes, more than any tool call needs; and how much is kept of the end of a longer
 * line.
 */
const LONGEST = 10_000_000;
const KEPT = 200;
const NEWLINE = 0x0a;

const PARSE_ERROR = -32_700;

/**
 * Passes on only lines that are JSON and not too long. For others, the sender gets an error and the connection stays
 * open.
 */
export class JsonLineFilter extends Transform {
  readonly #reply: (message: object) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  #tail = Buffer.alloc(0);

  constructor(reply: (message: object) => void) {
    super();
    this.#reply = reply;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#take(chunk.subarray(from));
    done();
  }

  #take(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    if (this.#size <= LONGEST) {
      this.#pieces.push(piece);
      return;
    }
    this.#tail = Buffer.concat([...this.#pieces.slice(-1), this.#tail, piece]).subarray(-KEPT);
    this.#pieces = this.#pieces.slice(0, 1);
  }

  #endLine(): void {
    const [first = this.#tail] = this.#pieces;
    const line = Buffer.concat(this.#pieces);
    const size = this.#size;
    const tail = this.#tail;
    this.#pieces = [];
    this.#size = 0;
    this.#tail = Buffer.alloc(0);
    if (size > LONGEST) this.#refuse(findRequestId(first, tail), `the line is longer than ${LONGEST} bytes`);
    else if (line.toString("latin1").trim() === "") return;
    else if (tryParseJson(line.toString("utf8")) === undefined) this.#refuse(null, "the line is not JSON");
    else this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
  }

  #refuse(id: unknown, why: string): void {
    this.#reply({ jsonrpc: "2.0", id, error: { code: PARSE_ERROR, message: `Parse error: ${why}` } });
  }
}

/**
 * The request's id, a number or a string near the beginning or the end, so that the sender can match the error to its
 * request.
 */
function findRequestId(head: Buffer, tail: Buffer): unknown {
  const atEnd = /"id"\s*:\s*(-?\d+|"[^"\\]*")\s*\}\s*$/.exec(tail.toString("utf8"))?.[1];
  const atStart = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d+|"[^"\\]*")/.exec(
    head.subarray(0, KEPT).toString("utf8"),
  )?.[1];
  return tryParseJson(atEnd ?? atStart ?? "null") ?? null;
}
