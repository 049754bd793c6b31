import { oneLine } from "../../lib/text.ts";
import { readMessage } from "./signature.ts";

/** One failure as a person quotes it: who failed, and the line that names the cause, with its real names and numbers. */
export function quoteFailure(tool: string, input: unknown, error: string): string {
  const { subject, message } = readMessage(tool, input, error);
  return oneLine(`${subject}: ${message || "no output"}`, QUOTE);
}

const QUOTE = 200;
