import { SECOND, systemClock } from "../../lib/clock.ts";

export interface Progress {
  tell(text: string): void;
  /** Takes the line away. */
  end(): void;
}

/** On stderr. A terminal sees one line change once a second has passed; a log gets a line each ten seconds. */
export function newProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  const begin = systemClock.now();
  const pause = stream.isTTY ? SECOND / 10 : 10 * SECOND;
  let last = stream.isTTY ? begin + SECOND - pause : begin;
  let shown = false;
  return {
    tell: (text) => {
      const now = systemClock.now();
      if (now - last < pause) return;
      last = now;
      shown = true;
      stream.write(stream.isTTY ? `\r\u001B[K${text}` : `${text}\n`);
    },
    end: () => {
      if (shown && stream.isTTY) stream.write("\r\u001B[K");
    },
  };
}
