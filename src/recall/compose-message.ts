import { type Quotable, quoted } from "../domain/trust/quote.ts";
import type { Level } from "../domain/rule/rule.ts";
import { estimateTokens } from "../domain/advice/context-window.ts";
import { oneLine } from "../lib/text.ts";
import type { ShownKind, ShownPart } from "../store/shown/shown.ts";

/** One item that may be shown to an agent. */
export interface Part {
  readonly kind: ShownKind;
  readonly subject: string;
  readonly level?: Level;
  /** A string is a line in oldhand's name; a `Quotable` is somebody else's text, shown as quoted data. */
  readonly says: string | Quotable;
}

export interface MessageSection {
  readonly heading: string;
  readonly parts: readonly Part[];
  /** Its share of the whole, plus what earlier sections left unused. */
  readonly share: number;
}

export interface Message {
  readonly text: string;
  readonly parts: readonly ShownPart[];
}

export interface MessageRoom {
  readonly characters: number;
  /** `kind subject` of everything the session was already shown. */
  readonly already: ReadonlySet<string>;
}

/**
 * Composes what is new to the session, in the given order, as far as there is room; null if nothing is.
 * Variable text belongs at the end (`foot`), so that the start has the same bytes and prompt caches work.
 */
export function composeMessage(
  head: string,
  sections: readonly MessageSection[],
  room: MessageRoom,
  foot = "",
): Message | null {
  const fixed = head.length + foot.length + 2;
  const whole = room.characters - fixed;
  const blocks: string[] = [];
  const shown: ShownPart[] = [];
  let allowed = 0;
  let used = 0;
  for (const section of sections) {
    allowed += section.share * whole;
    const fresh = section.parts.filter((part) => !room.already.has(`${part.kind} ${part.subject}`));
    const taken: Part[] = [];
    let block = "";
    for (const part of fresh) {
      const longer = formatBlock(section.heading, [...taken, part]);
      if (used + longer.length + 1 > Math.min(allowed, whole)) continue;
      taken.push(part);
      block = longer;
    }
    if (taken.length === 0) continue;
    blocks.push(block);
    used += block.length + 1;
    for (const { kind, subject, level = "advise", says } of taken) {
      const tokens = estimateTokens(typeof says === "string" ? says : `${says.label}${says.text}`);
      shown.push({ kind, subject, level, tokens });
    }
  }
  if (shown.length === 0) return null;
  return { text: [head, ...blocks, foot].filter((one) => one !== "").join("\n"), parts: shown };
}

function formatBlock(heading: string, parts: readonly Part[]): string {
  const own = parts.flatMap(({ says }) => (typeof says === "string" ? [says] : []));
  const others = parts.flatMap(({ says }) => (typeof says === "string" ? [] : [says]));
  // Without a heading, a line is a sentence and gets no number.
  const lines = own.map((line, index) => `${heading === "" ? "" : `${index + 1}. `}${oneLine(line, LONGEST)}`);
  return [...(heading === "" ? [] : [heading]), ...lines, quoted(others)].filter((one) => one !== "").join("\n");
}

const LONGEST = 600;
