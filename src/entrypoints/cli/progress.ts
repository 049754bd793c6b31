import { SECOND, systemClock } from "../../lib/clock.ts";

export interface Progress {
  tell(text: string): void;
  /** Takes the line away. */
  end(): void;
}

/** On stderr, for whoever has waited a second. A terminal sees one line change; a log gets one now and then. */
export function newProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  const begin = systemClock.now();
  const pause = stream.isTTY ? SECOND / 10 : 10 * SECOND;
  let last = begin + SECOND - pause;
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
