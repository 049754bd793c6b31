import { toPlainText } from "../../lib/plain-text.ts";

/**
 * A text for the screen. Terminals disagree about the width of joined and modified emoji, and a line that is wider than
 * counted breaks the screen: they are shown apart and unmodified.
 */
export function toScreenText(text: string): string {
  return toPlainText(text).replaceAll(/(?<=\p{Extended_Pictographic})(?:\u200d|\ufe0f|\p{Emoji_Modifier})+/gu, "");
}
