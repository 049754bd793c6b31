import type { Progress } from "../../../context.ts";
import { SECOND, systemClock } from "../../../lib/clock.ts";
import { toPlainText } from "../../../lib/plain-text.ts";
import { bar } from "../../../lib/text.ts";

export interface ProgressLine {
  show(progress: Progress): void;
  /** Clears the line. */
  end(): void;
}

/**
 * Writes to stderr: on a terminal one line that is updated, starting after a second; otherwise a line every ten
 * seconds. A step has a line of its own.
 */
export function newProgressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  const begin = systemClock.now();
  const pause = stream.isTTY ? SECOND / 10 : 10 * SECOND;
  let last = stream.isTTY ? begin + SECOND - pause : begin;
  let shown = false;
  return {
    show: ({ text, done, total, isStep }) => {
      const now = systemClock.now();
      if (isStep === true) {
        last = now;
        stream.write(`${stream.isTTY ? "\r\u001B[K" : ""}${toPlainText(text)}\n`);
        return;
      }
      if (now - last < pause) return;
      last = now;
      shown = true;
      const line = done === undefined || !total ? text : `${bar(done / total)} ${text}`;
      stream.write(stream.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
    },
    end: () => {
      if (shown && stream.isTTY) stream.write("\r\u001B[K");
    },
  };
}
