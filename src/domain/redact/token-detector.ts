import { type SecretDetector, textBefore } from "./detector.ts";
import { entropyOf, isMasked } from "./judge.ts";
import type { TokenRule } from "./rules.ts";

/** Finds tokens of one format. Its pattern is compiled on first use. */
export function tokenDetector(rule: TokenRule): SecretDetector {
  const { anchors, head, tail, digits, fold, entropy = 2.5, end = "(?![A-Za-z0-9_])" } = rule;
  const lengths = head?.lengths ?? [0];
  let pattern: RegExp | undefined;
  return (text, at, from) => {
    pattern ??= new RegExp(
      `${head?.pattern ?? ""}(?:${anchors.map((literal) => literalPattern(literal, digits)).join("|")})${tail}${end}`,
      fold ? "iy" : "y",
    );
    for (const length of lengths) {
      const start = at - length;
      if (start < from) continue;
      pattern.lastIndex = start;
      if (!pattern.test(text)) continue;
      const stop = pattern.lastIndex;
      if (end !== "" && !isBoundary(text, start)) continue;
      const secret = text.slice(start, stop);
      if (entropy > 0 && (isMasked(secret) || entropyOf(secret) < entropy)) continue;
      if (secret.endsWith("EXAMPLE")) continue;
      return { start, end: stop, rule: rule.rule };
    }
    return undefined;
  };
}

function literalPattern(literal: string, digits: true | undefined): string {
  const escaped = literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return digits ? escaped.replaceAll("0", "\\d") : escaped;
}

/** A token starts after a non-word character, or after an escape whose last character is a letter. */
function isBoundary(text: string, at: number): boolean {
  if (at === 0 || !/\w/.test(text.charAt(at - 1))) return true;
  return /(?:\\[nrtbf]|\\u[\da-f]{4}|%[\da-f]{2}|\[[\d;]{1,12}m)$/i.test(textBefore(text, at, 16));
}
