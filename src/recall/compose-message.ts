import { type Quotable, quoted } from "../domain/trust/quote.ts";
import type { Level } from "../domain/rule/rule.ts";
import { estimateTokens } from "../domain/advice/context-window.ts";
import { oneLine } from "../lib/text.ts";
import type { ShownKind, ShownPart } from "../store/shown/shown.ts";

/** One thing that may be put before an agent. */
export interface Part {
  readonly kind: ShownKind;
  readonly subject: string;
  readonly level?: Level;
  /** In oldhand's own name, as a line; or somebody else's words, as quoted data. */
  readonly says: string | Quotable;
}

export interface MessageSection {
  readonly heading: string;
  readonly parts: readonly Part[];
  /** The share of the whole that is its own; what those before it left over is too. */
  readonly share: number;
}

export interface Message {
  readonly text: string;
  readonly parts: readonly ShownPart[];
}

export interface MessageRoom {
  readonly characters: number;
  /** `kind subject` of what the session was shown before. */
  readonly already: ReadonlySet<string>;
}

/**
 * One text of what is new to the session, in the order given, as much as there is room for; null where that is nothing.
 * What changes from one time to the next belongs last (`foot`): the same beginning is the same bytes, and a prompt
 * cache holds.
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
  // Without a heading it is a sentence of its own.
  const lines = own.map((line, index) => `${heading === "" ? "" : `${index + 1}. `}${oneLine(line, LONGEST)}`);
  return [...(heading === "" ? [] : [heading]), ...lines, quoted(others)].filter((one) => one !== "").join("\n");
}

const LONGEST = 600;
