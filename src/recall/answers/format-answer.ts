import { redact } from "../../domain/redact/redact.ts";
import { type Quotable, quoted, SHORT_PREFACE } from "../../domain/trust/quote.ts";
import type { FailureAnswer } from "./answer.ts";

/** Maximum length of an answer. */
export const MOST_CHARACTERS = 400;

/** As quoted data, with as many lines as fit; null if none fits. */
export function formatAnswer(answer: FailureAnswer, characters = MOST_CHARACTERS): string | null {
  const label = redact(answer.label);
  const forms = [answer.lines, ...(answer.shorter === undefined ? [] : [answer.shorter])].map((lines) =>
    lines.map((line) => redact(line)),
  );
  const most = Math.max(0, ...forms.map((lines) => lines.length));
  // More lines in the shorter form are better than fewer in the long one.
  for (let count = most; count > 0; count--)
    for (const lines of forms) {
      const text = quoted(
        [{ label, origin: "tool", text: lines.slice(0, count).join("\n") } satisfies Quotable],
        SHORT_PREFACE,
      );
      if (lines.length >= count && text.length <= Math.min(characters, MOST_CHARACTERS)) return text;
    }
  return null;
}
