/** The longest line that is read. The last event of the Responses API repeats the whole answer. */
const LONGEST = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Parses server-sent events from chunks of bytes, and calls `take` with the data of each. Keeps at most one event in memory. */
export class SseEvents {
  readonly #take: (data: string) => void;
  #line: Buffer[] = [];
  #size = 0;
  #data: string[] = [];

  constructor(take: (data: string) => void) {
    this.#take = take;
  }

  add(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= LONGEST) this.#line.push(part);
    else this.#line = [];
  }

  #endLine(): void {
    const line = Buffer.concat(this.#line).toString("utf8").replace(/\r$/, "");
    const isTooLong = this.#size > LONGEST;
    this.#line = [];
    this.#size = 0;
    if (isTooLong) return;
    if (line.startsWith("data:")) this.#data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line === "" && this.#data.length > 0) {
      const data = this.#data.join("\n");
      this.#data = [];
      this.#take(data);
    }
  }
}
