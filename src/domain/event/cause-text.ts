import { findCauseLine } from "./cause-line.ts";

const FROM_START = 8_000;
const FROM_END = 4_000;

/**
 * What is read of an error: its beginning, the line that names its cause, and its end. Whoever asks what an error names
 * reads the same, however much the program printed before.
 */
export function causeText(error: string): string {
  if (error.length <= FROM_START + FROM_END) return error;
  return [error.slice(0, FROM_START), findCauseLine(error), error.slice(-FROM_END)].join("\n");
}
